//! The processor time of findings, completion and hover after a key in a CRD of 1 MB, and the memory after 1,000 keys.
//!
//! `cargo bench -p crd-editor`
#![expect(clippy::print_stdout, reason = "its output is for people")]

use std::time::Duration;

use crd_editor::{EditorDocument, EditorOptions, TextRange};

const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shirts.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: shirts, singular: shirt, kind: Shirt, listKind: ShirtList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n";

/// Fields as real CRDs have them: objects with descriptions, lists, and a rule now and then.
fn text() -> String {
    let mut text = HEAD.to_owned();
    for i in 0..1_300 {
        text += &format!(
            "              field{i}:\n                type: object\n                description: |\n                  The settings of part {i}. They count from the start of the process on, and a change\n                  restarts it. Leave them out unless the documentation of the part says otherwise.\n                properties:\n                  name:\n                    type: string\n                    maxLength: 63\n                    description: The name of the part, a DNS label. It cannot change after the start.\n                  ports:\n                    type: array\n                    maxItems: 16\n                    x-kubernetes-list-type: set\n                    items: {{type: integer, minimum: 1, maximum: 65535}}\n"
        );
        if i % 50 == 0 {
            text += "                x-kubernetes-validations:\n                - rule: self.ports.all(p, p > 1024)\n                  message: ports must be larger than 1024\n";
        }
    }
    text
}

/// Returns the memory of the process that is in use, in bytes.
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}

/// Returns the time that this thread has used a processor.
fn processor() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(times.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or_default())
}

fn measured(name: &str, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..15 {
        let start = processor();
        work();
        times.push(processor().saturating_sub(start));
    }
    times.sort_unstable();
    println!("{name}: {} ms (median of 15)", times[times.len() / 2].as_millis());
}

fn main() {
    let text = text();
    let rule = text.rfind("self.ports.all").unwrap_or_default() + "self.po".len();
    let field = text.rfind("maxItems").unwrap_or_default() + 4;
    let before = memory();
    let mut document = EditorDocument::new(&text, EditorOptions::default());
    document.findings();
    println!("{} bytes, {} findings", text.len(), document.findings().len());
    let key = |document: &mut EditorDocument, i: usize| {
        let at = document.text().position(rule);
        match i % 2 {
            0 => document.change(TextRange { start: at, end: at }, "x"),
            _ => {
                let end = document.text().position(rule + 1);
                document.change(TextRange { start: at, end }, "");
            }
        }
    };
    let mut i = 0;
    measured("key, findings", || {
        key(&mut document, i);
        i += 1;
        document.findings();
    });
    let at = document.text().position(rule);
    measured("completion in a rule", || drop(document.completions(at)));
    measured("hover on a rule", || drop(document.hover(at)));
    let at = document.text().position(field);
    measured("completion of a keyword", || drop(document.completions(at)));
    measured("hover on a keyword", || drop(document.hover(at)));
    for i in 0..1_000 {
        key(&mut document, i + 1);
        // Fast typing: findings are computed when no key waits.
        if i % 20 == 0 {
            document.findings();
        }
    }
    let used = memory().saturating_sub(before);
    println!("memory after 1,000 keys: {:.1} times the text", used as f64 / text.len() as f64);
}
