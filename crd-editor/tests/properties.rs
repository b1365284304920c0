//! Properties at a cursor, which the tests mark with `¦`: where they are defined, and other names for them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod shirts;

use std::sync::Arc;

use crd_core::check::{ServerOptions, Verdict};
use crd_editor::{EditorDocument, EditorOptions, EditorSymbol, KnownKinds, Position, SymbolKind, TextRange};
use crd_input::{Limits, Source};

const CRD: &str = shirts!(
    "            required: [size, parts]
            default: {size: 1, parts: [{size: 2}]}
            anyOf:
            - required: [size]
            - properties: {size: {minimum: 1}}
            properties:
              size: {type: integer}
              other: {type: object, properties: {size: {type: integer}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              parts:
                type: array
                maxItems: 5
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [size]
                items:
                  type: object
                  required: [size]
                  properties: {size: {type: integer}}
            x-kubernetes-validations: # 😀
            - rule: \"'😀' != '' && self.size > 0 && self.?other.size.orValue(1) > 0\"
              messageExpression: \"'size: ' + string(self.size)\"
              fieldPath: .size
            - rule: >-
                self.parts.all(size,
                size.size > self.size)
              message: size
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    selectableFields:
    - jsonPath: .spec.size
    additionalPrinterColumns:
    - {name: size, type: integer, jsonPath: '.spec[''size'']'}
    - {name: other, type: integer, jsonPath: .spec.other.size}
"
);

fn crd() -> String {
    let status = "          status: {type: object, properties: {size: {type: integer}}}\n";
    CRD.replacen("          spec:\n", &format!("{status}          spec:\n"), 1)
}

fn document(text: &str) -> EditorDocument {
    EditorDocument::new(text, EditorOptions::default())
}

/// Returns the text after a property has another name, or the reason against it.
fn renamed(text: &str, at: usize, new: &str) -> Result<String, String> {
    let mut document = document(text);
    let position = document.text().position(at);
    let edits = document.rename(position, new).map_err(|error| error.to_string())?;
    let mut changed = document.text().clone();
    // Edits are about the text before all of them.
    for edit in edits.iter().rev() {
        changed = changed.with(edit.range, &edit.new_text);
    }
    Ok(changed.as_str().to_owned())
}

/// Returns the text of the line that a name leads to, from the name on.
fn defined(text: &str, at: usize) -> Option<String> {
    let mut document = document(text);
    let position = document.text().position(at);
    let target = document.definition(position)?;
    assert_eq!(target.file, None);
    let start = document.text().offset(document.target_range(&target)?.start);
    text[start..].lines().next().map(str::to_owned)
}

#[test]
fn names_lead_to_their_properties() {
    for text in [crd(), crd().replace('\n', "\r\n")] {
        let own = "size: {type: integer}";
        for part in [".size > 0 &&", ".size)\"", ".size\r\n    additional", ".size, status", "size''"] {
            let at = text.find(part).or_else(|| text.find(&part.replace('\r', ""))).unwrap();
            let at = at + usize::from(part.starts_with('.'));
            assert_eq!(defined(&text, at).as_deref(), Some(own), "{part}");
        }
        let inner = "size: {type: integer}}";
        let of_other = "other: {type: object, properties: {size: {type: integer}}}";
        for (part, before, expected) in [
            ("size.orValue", 0, format!("{inner}}}")),
            ("size.size >", 5, inner.to_owned()),
            ("other.size.orValue", 0, of_other.to_owned()),
            ("size]\r\n                items", 0, inner.to_owned()),
            ("parts.all", 0, "parts:".to_owned()),
            ("size, parts]", 0, own.to_owned()),
        ] {
            let at = text.find(part).or_else(|| text.find(&part.replace('\r', ""))).unwrap();
            assert_eq!(defined(&text, at + before), Some(expected), "{part}");
        }
        assert_eq!(
            defined(&text, text.find("size,\r").or(text.find("size,\n")).unwrap()),
            None,
            "a variable"
        );
        assert_eq!(defined(&text, text.find("scope").unwrap()), None);
    }
}

#[test]
fn another_name_reaches_all_that_names_a_property() {
    let text = crd();
    let own = text.find("size: {type: integer}\n").unwrap();
    let new = renamed(&text, own, "if").unwrap();
    assert_eq!(
        new,
        text.replace("required: [size, parts]", "required: [if, parts]")
            .replace("default: {size: 1,", "default: {if: 1,")
            .replace("- required: [size]", "- required: [if]")
            .replace("- properties: {size:", "- properties: {if:")
            .replacen("size: {type: integer}\n", "if: {type: integer}\n", 1)
            .replace("self.size", "self.__if__")
            .replace("fieldPath: .size", "fieldPath: .if")
            .replace(": .spec.size", ": .spec.if")
            .replace("''size''", "''if''")
    );
    // All names of the property lead to the same.
    for part in ["size, parts", "size: 1", "size > 0", "size)\"", "size\n            - rule", "size, status"]
    {
        let at = text.find(part).unwrap();
        if part != "size: 1" {
            assert_eq!(renamed(&text, at, "if").as_deref(), Ok(new.as_str()), "{part}");
        }
    }
    let crlf = text.replace('\n', "\r\n");
    let at = crlf.find("size, parts").unwrap();
    assert_eq!(renamed(&crlf, at, "if").unwrap(), new.replace('\n', "\r\n"));
    let inner = renamed(&text, text.find("size.size >").unwrap() + 5, "true").unwrap();
    assert_eq!(
        inner,
        text.replace("parts: [{size: 2}]", "parts: [{\"true\": 2}]")
            .replace("map-keys: [size]", "map-keys: [\"true\"]")
            .replace(
                "required: [size]\n                  properties: {size:",
                "required: [\"true\"]\n                  properties: {\"true\":"
            )
            .replace("size.size >", "size.__true__ >")
    );
}

#[test]
fn a_name_that_cannot_change_says_why() {
    let text = crd();
    let own = text.find("size: {type: integer}\n").unwrap();
    let rejected = |text: &str, at: usize, new: &str| renamed(text, at, new).unwrap_err();
    assert_eq!(rejected(&text, own, "parts"), "the property `parts` already exists");
    assert!(rejected(&text, own, "a b").starts_with("a name has letters"));
    let spec = text.find("spec:\n            type").unwrap();
    assert_eq!(rejected(&text, spec, "x"), "`spec` has a special meaning for the API server");
    assert_eq!(
        rejected(&text, text.find("scope").unwrap(), "x"),
        "there is no name of a property at this position"
    );
    let unknown = text.replace("self.size > 0 &&", "dyn(self).size > 0 &&");
    let own = unknown.find("size: {type: integer}\n").unwrap();
    assert!(rejected(&unknown, own, "x").ends_with("selects `size` from a value without a type"));
    let wrong = text.replace("self.size > 0 &&", "self.size > '' &&");
    assert!(
        rejected(&wrong, wrong.find("size: {type: integer}\n").unwrap(), "x").ends_with("does not compile")
    );
    let filter = text.replace(".spec.other.size}", "'.spec[?(@.size==1)].x'}");
    let own = filter.find("size: {type: integer}\n").unwrap();
    assert!(rejected(&filter, own, "x").contains("in a notation that is not supported"));
    let shared = text
        .replace(
            "{type: object, properties: {size: {type: integer}}}\n              free",
            "{type: object, properties: &p {size: {type: integer}}}\n              free",
        )
        .replace(
            "free: {type: object, x-kubernetes-preserve-unknown-fields: true}",
            "free: {type: object, properties: *p}",
        );
    assert_ne!(shared, text);
    let at = shared.find("&p {size").unwrap() + 4;
    assert!(rejected(&shared, at, "x").contains("alias"));
    let broken = format!("{text}  versi");
    let mut document = document(&text);
    document.findings();
    document.set_text(&broken);
    let position = document.text().position(broken.find("size: {type: integer}\n").unwrap());
    assert_eq!(document.rename(position, "x").unwrap_err().to_string(), "the text cannot be read");
    let (range, name) = document.renamed_range(position).unwrap();
    assert_eq!((&broken[document.text().bytes(range)], name.as_str()), ("size", "size"));
    assert!(document.renamed_range(Position::default()).is_err());
}

#[test]
fn fields_of_custom_resources_lead_to_their_crd() {
    let text = crd();
    let mut own = document(&text);
    let crds = own.crds().map(|crd| (crd.clone(), "shirts.yaml".to_owned(), 0)).collect::<Vec<_>>();
    let kinds = Arc::new(KnownKinds::in_files(crds, ServerOptions::default()));
    let object = "apiVersion: example.com/v1\nkind: Shirt\nspec:\n  parts:\n  - size: 3\n";
    let mut resource = document(object);
    resource.set_kinds(kinds);
    for (part, expected) in
        [("parts", "parts:"), ("size", "size: {type: integer}}"), ("3", "size: {type: integer}}")]
    {
        let position = resource.text().position(object.find(part).unwrap());
        let target = resource.definition(position).unwrap();
        assert_eq!(target.file.as_deref(), Some("shirts.yaml"));
        let start = own.text().offset(own.target_range(&target).unwrap().start);
        assert_eq!(text[start..].lines().next(), Some(expected), "{part}");
    }
    let kind = resource.text().position(object.find("kind").unwrap());
    assert_eq!(resource.definition(kind), None);
}

/// Returns the CRDs of the examples.
fn samples() -> Vec<String> {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut paths: Vec<_> = std::fs::read_dir(examples)
        .unwrap()
        .filter_map(|example| std::fs::read_dir(example.unwrap().path().join("crds")).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Collects the places of the names of fields.
fn named(symbols: &[EditorSymbol], places: &mut Vec<TextRange>) {
    for symbol in symbols {
        places.extend((symbol.kind == SymbolKind::Field).then_some(symbol.name_range));
        named(&symbol.children, places);
    }
}

/// Returns the verdicts on the CRDs of a text, with messages in which a name is replaced.
fn verdicts(text: &str, name: &str, new: &str) -> Vec<(bool, Vec<String>, usize)> {
    let (documents, faults) = crd_input::documents(&Source::from_string("", text), &Limits::default());
    assert!(faults.is_empty());
    let verdict = |document: crd_input::Document| {
        let (verdict, _) = Verdict::with_definition_at(document.value, ServerOptions::default());
        let errors = verdict.errors.iter().map(|error| error.to_string().replace(new, name)).collect();
        (verdict.accepted, errors, verdict.warnings.len())
    };
    documents.into_iter().map(verdict).collect()
}

#[test]
fn verdicts_on_sample_crds_stay_the_same_with_other_names() {
    const NEW: &str = "renamedByTest";
    let (mut changed, mut kept) = (0, Vec::new());
    for text in samples() {
        let mut own = document(&text);
        let mut names = Vec::new();
        named(&own.outline(), &mut names);
        // Some names of each text.
        let step = names.len().div_ceil(15).max(1);
        for range in names.into_iter().step_by(step) {
            let Ok((found, name)) = own.renamed_range(range.start) else { continue };
            assert_eq!(found, range);
            let bytes = own.text().bytes(range);
            let at = bytes.start;
            match renamed(&text, at, NEW) {
                Ok(new) => {
                    changed += 1;
                    assert_eq!(verdicts(&text, &name, &name), verdicts(&new, &name, NEW), "{name}");
                    // Each place that names the property leads back.
                    let back = new.match_indices(NEW).find_map(|(at, _)| renamed(&new, at, &name).ok());
                    assert_eq!(back.as_deref(), Some(text.as_str()), "{name}");
                }
                Err(reason) => kept.push(format!("{name}: {reason}")),
            }
        }
    }
    println!("{changed} names changed; kept: {kept:#?}");
    assert!(changed > 50, "{changed} of {}: {kept:#?}", changed + kept.len());
}
