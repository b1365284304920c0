// Starts `crdkit lsp`, which does everything else.
// @ts-check
"use strict";

const { extensions, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

async function activate() {
  const settings = workspace.getConfiguration("crdkit");
  const server = {
    command: settings.get("path", "crdkit"),
    args: ["lsp"],
    transport: TransportKind.stdio,
  };
  client = new LanguageClient("crdkit", "crdkit", server, {
    documentSelector: [{ language: "yaml" }, { language: "json" }, { pattern: "**/crdkit.toml" }],
    initializationOptions: {
      crdDirectories: settings.get("crdDirectories", []),
      besideYamlLanguageServer: extensions.getExtension("redhat.vscode-yaml") !== undefined,
    },
  });
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
