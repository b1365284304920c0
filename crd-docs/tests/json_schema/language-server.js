// Prints the problems that yaml-language-server finds in files, a line of JSON for each file.
//
//     node language-server.js NODE_MODULES FILE...
const { spawn } = require("child_process");
const { readFileSync } = require("fs");
const { join } = require("path");
const { pathToFileURL } = require("url");

const [, , modules, ...files] = process.argv;
const { StreamMessageReader, StreamMessageWriter, createMessageConnection } = require(join(modules, "vscode-jsonrpc/node"));
const server = spawn(process.execPath, [join(modules, "yaml-language-server/bin/yaml-language-server"), "--stdio"]);
const connection = createMessageConnection(
  new StreamMessageReader(server.stdout),
  new StreamMessageWriter(server.stdin),
);

const open = new Map(files.map((file) => [pathToFileURL(file).href, file]));
const settings = { validate: true, schemaStore: { enable: false } };

function stop(code) {
  server.kill();
  process.exit(code);
}

connection.onRequest("workspace/configuration", ({ items }) => items.map(() => settings));
connection.onRequest("client/registerCapability", () => null);
connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
  if (!open.has(uri)) return;
  console.log(JSON.stringify({ file: open.get(uri), problems: diagnostics.map(({ message }) => message) }));
  open.delete(uri);
  if (open.size === 0) stop(0);
});
connection.listen();

async function ask() {
  const capabilities = { workspace: { configuration: true } };
  await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities });
  connection.sendNotification("initialized", {});
  connection.sendNotification("workspace/didChangeConfiguration", { settings: { yaml: settings } });
  for (const [uri, file] of open) {
    const textDocument = { uri, languageId: "yaml", version: 1, text: readFileSync(file, "utf8") };
    connection.sendNotification("textDocument/didOpen", { textDocument });
  }
}

ask();
setTimeout(() => {
  console.error(`no answer about ${open.size} files, such as ${[...open.values()][0]}`);
  stop(1);
}, 300_000);
