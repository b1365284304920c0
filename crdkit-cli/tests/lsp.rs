//! `crdkit lsp`: a session over the standard streams.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

mod tool;

/// A server with an editor that speaks to it.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

const URI: &str = "file:///shirt.yaml";

impl Editor {
    fn start(arguments: &[&str]) -> (Self, Value) {
        Self::start_in(arguments, &Value::Null)
    }

    /// Starts a server for a directory.
    fn start_in(arguments: &[&str], root: &Value) -> (Self, Value) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
        let streams = command.arg("lsp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = streams.current_dir(std::env::temp_dir()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut editor = Self { child, input, output: BufReader::new(output), id: 0 };
        let about = editor.ask("initialize", &json!({"capabilities": {}, "rootUri": root}));
        editor.tell("initialized", &json!({}));
        (editor, about)
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks, and returns the response without what comes before it.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", bytes)) => length = bytes.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn open(&mut self, text: &str) {
        let document = json!({"uri": URI, "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Replaces `characters` of a line.
    fn change(&mut self, version: i32, line: u32, characters: (u32, u32), text: &str) {
        let at = |character| json!({"line": line, "character": character});
        let change = json!({"range": {"start": at(characters.0), "end": at(characters.1)}, "text": text});
        let document = json!({"uri": URI, "version": version});
        self.tell("textDocument/didChange", &json!({"textDocument": document, "contentChanges": [change]}));
    }

    /// Reads until findings of a version come that are wanted.
    fn findings(&mut self, version: i32, is_wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        loop {
            let message = self.read();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && params["version"] == version
                && is_wanted(params["diagnostics"].as_array().unwrap())
            {
                return params["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    fn end(mut self) {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn findings_and_fixes_follow_the_text() {
    let (mut editor, about) = Editor::start(&["--stdio"]);
    assert_eq!(about["result"]["capabilities"]["positionEncoding"], "utf-16");
    let text = tool::SHIRT.replace("{type: string}", "{type: string} # 😀");
    editor.open(&text);
    let line = u32::try_from(text.lines().count() - 1).unwrap();
    editor.findings(1, |_| true);
    editor.change(2, line, (21, 36), "{type: strin, nullable: false}");
    let found = editor.findings(2, |found| !found.is_empty());
    let shown: Vec<String> = found
        .iter()
        .map(|finding| format!("{} {} {}", finding["source"], finding["code"], finding["range"]))
        .collect();
    assert!(
        shown.contains(&format!(
            "\"crdkit check\" \"FieldValueNotSupported\" {}",
            json!({"start": {"line": line, "character": 28}, "end": {"line": line, "character": 33}})
        )),
        "{shown:#?}"
    );
    let dropped = found.iter().find(|finding| finding["code"] == "dropped-value").unwrap();
    let params = json!({
        "textDocument": {"uri": URI}, "range": dropped["range"], "context": {"diagnostics": [dropped]},
    });
    let actions = editor.ask("textDocument/codeAction", &params);
    let action = &actions["result"][0];
    assert_eq!(&action["diagnostics"][0], dropped, "{action:#}");
    assert_eq!(action["edit"]["changes"][URI][0]["newText"], "", "{action:#}");
    editor.change(3, line, (21, 21), "[");
    let found = editor.findings(3, |_| true);
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("Unreadable")), "{found:#?}");
    assert_eq!(editor.ask("textDocument/unknown", &json!({}))["error"]["code"], -32601);
    editor.end();
}

#[test]
fn searches_follow_a_moment_later() {
    let (mut editor, _) = Editor::start(&[]);
    let rules = "              size: {type: integer}\n            x-kubernetes-validations:\n            - rule: self.size > 0\n              message: too small\n";
    editor.open(&format!("{}{rules}", tool::SHIRT));
    let found =
        editor.findings(1, |found| found.iter().any(|finding| finding["code"] == "rule-fails-without-field"));
    assert!(found.iter().any(|finding| finding["source"] == "crdkit lint"), "{found:#?}");
    editor.end();
}

#[test]
fn the_release_answers() {
    let (mut editor, _) = Editor::start(&["--kube-version", "1.30"]);
    let text = tool::SHIRT
        .replace("    schema:\n", "    selectableFields:\n    - jsonPath: .spec.color\n    schema:\n");
    editor.open(&text);
    let found = editor.findings(1, |_| true);
    assert!(found.iter().any(|finding| finding["code"] == "inert-field"), "{found:#?}");
    editor.end();
}

#[test]
fn objects_are_answered_by_the_crds_of_the_directory() {
    let folder = tool::Folder::new("lsp-objects", &[("crds/shirt.yaml", tool::SHIRT)]);
    let root = json!(format!("file://{}", folder.0.display()));
    let (mut editor, _) = Editor::start_in(&[], &root);
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\nspec:\n  color: 1\n  ";
    editor.open(object);
    let found = editor.findings(1, |found| !found.is_empty());
    assert_eq!(found[0]["source"], "crdkit validate", "{found:#?}");
    assert_eq!(found[0]["range"]["start"], json!({"line": 4, "character": 9}), "{found:#?}");
    editor.change(2, 4, (0, 10), "");
    let at = json!({"textDocument": {"uri": URI}, "position": {"line": 5, "character": 2}});
    let offered = editor.ask("textDocument/completion", &at);
    assert_eq!(offered["result"][0]["label"], "color", "{offered:#}");
    editor.end();
}
