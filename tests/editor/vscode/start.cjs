// Starts the extension in the directory EXTENSION with a stub of `vscode`, and waits for the finding on an open CRD.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");
const vscode = require("./stub.cjs");

const EXPECTED = 'spec.scope: Unsupported value: "Galactic": supported values: "Cluster", "Namespaced"';
/** The longest wait, in milliseconds. */
const LONGEST = 30000;

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = require(path.resolve(process.env.EXTENSION, "extension.js"));

async function play() {
  await extension.activate();
  for (let waited = 0; vscode.diagnostics.size === 0 && waited < LONGEST; waited += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const messages = [...vscode.diagnostics.values()].flat().map((found) => found.message);
  assert.deepStrictEqual(messages, [EXPECTED]);
  await extension.deactivate();
  console.log("the extension starts crdkit, shows a finding and stops it");
}

play().catch((error) => {
  console.error(error);
  process.exit(1);
});
