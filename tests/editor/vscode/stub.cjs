// A stub of the module `vscode`, as much as a language client asks of it at its start.
"use strict";

const TEXT = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.example.com}
spec:
  group: example.com
  scope: Galactic
  names: {plural: shirts, singular: shirt, kind: Shirt, listKind: ShirtList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
`;
const disposable = () => ({ dispose() {} });
const settings = new Map([["path", process.env.CRDKIT], ["crdDirectories", []]]);
const diagnostics = new Map();
const document = { uri: null, languageId: "yaml", version: 1, getText: () => TEXT, isClosed: false };

/** Whatever has no meaning here: a class, a function and a namespace at the same time. */
const anything = () =>
  new Proxy(class {}, {
    get: (target, name) => (name in target ? target[name] : (target[name] = String(name).startsWith("on") ? disposable : anything())),
    apply: disposable,
  });

class Uri {
  constructor(path) { this.scheme = "file"; this.path = path; this.fsPath = path; this.authority = this.query = this.fragment = ""; }
  static parse(text) { return new Uri(text.replace(/^file:\/\//, "")); }
  static file(path) { return new Uri(path); }
  toString() { return `file://${this.path}`; }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class EventEmitter {
  constructor() { this.listeners = []; this.event = (listener, self) => { this.listeners.push((value) => listener.call(self, value)); return disposable(); }; }
  fire(value) { this.listeners.forEach((listener) => listener(value)); }
  dispose() {}
}
class CancellationTokenSource {
  constructor() { this.token = { isCancellationRequested: false, onCancellationRequested: disposable }; }
  cancel() { this.token.isCancellationRequested = true; }
  dispose() {}
}
document.uri = new Uri("/shirts.yaml");

const known = {
  Uri, Position, Range, Diagnostic, EventEmitter, CancellationTokenSource, diagnostics, document,
  version: "1.91.0",
  extensions: { getExtension: () => undefined },
  env: { appName: "stub", language: "en", onDidChangeTelemetryEnabled: disposable },
  window: new Proxy({
    createOutputChannel: () => ({ append() {}, appendLine(text) { console.error(text); }, show() {}, dispose() {} }),
    tabGroups: { all: [], onDidChangeTabs: disposable },
    visibleTextEditors: [], activeTextEditor: undefined,
    showErrorMessage: (text) => { throw new Error(text); },
  }, { get: (target, name) => target[name] ?? disposable }),
  workspace: new Proxy({
    getConfiguration: () => ({ get: (name, other) => settings.get(name) ?? other }),
    workspaceFolders: undefined, textDocuments: [document], notebookDocuments: [],
  }, { get: (target, name) => (name in target ? target[name] : disposable) }),
  languages: new Proxy({
    match: () => 10,
    createDiagnosticCollection: () => ({ set: (uri, found) => diagnostics.set(String(uri), found), delete() {}, clear() {}, dispose() {} }),
  }, { get: (target, name) => target[name] ?? disposable }),
  commands: { registerCommand: disposable, executeCommand: async () => undefined },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
};
module.exports = new Proxy(known, {
  get: (target, name) => (name in target ? target[name] : (target[name] = anything())),
});
