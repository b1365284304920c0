//! Places and remedies of messages about CRDs that people write by mistake, or find in their repositories.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tool;

use tool::{Folder, SHIRT};

fn folder(name: &str, text: &str) -> Folder {
    Folder::new(&format!("remedies-{name}"), &[("crd.yaml", text)])
}

#[test]
fn warnings_of_the_server_have_their_places() {
    let text = SHIRT.replace("type: string", "type: string, format: shade");
    let line = text.lines().position(|line| line.contains("shade")).map_or(0, |at| at + 1);
    let folder = folder("format", &text);
    folder.run("check crd.yaml").expect(0, &["unrecognized format \"shade\"", &format!("crd.yaml:{line}:")]);
    let stdout = folder.run("check --format github crd.yaml").stdout;
    assert!(stdout.contains(&format!("line={line},")), "{stdout}");
    let lines = folder.run("check --format json crd.yaml").lines();
    assert_eq!(lines[0]["warningPlaces"][0]["line"], line);
}

#[test]
fn a_key_that_is_given_twice_is_a_warning() {
    let text = SHIRT.replace("scope: Namespaced", "scope: Cluster\n  scope: Namespaced");
    let folder = folder("duplicate", &text);
    let warning = "warning: spec.scope: duplicate field: the last value is used";
    folder.run("check crd.yaml").expect(0, &[warning, "crd.yaml:", "1 accepted"]);
    folder.run("generate crd.yaml --out src").expect(0, &[warning]);
    folder.run("diff crd.yaml crd.yaml").expect(0, &["PASS"]);
}

#[test]
fn objects_that_hold_a_schema_name_the_way_to_the_crd() {
    for (kind, help) in [
        ("CompositeResourceDefinition", "the controller generates a CRD from it"),
        ("ConstraintTemplate", "kubectl get crd NAME -o yaml"),
        ("APIResourceSchema", "`kubectl kcp crd snapshot` generated it from a CRD"),
    ] {
        let folder = folder("kinds", &format!("apiVersion: example.com/v1\nkind: {kind}\nspec: {{}}\n"));
        folder.run("check crd.yaml").expect(2, &[&format!("1 other object (`{kind}`)"), help]);
        folder.run("sample crd.yaml").expect(2, &[&format!("(`{kind}`)"), help]);
    }
    folder("table", "NAME CREATED AT\nshirts.example.com 2026-01-01T00:00:00Z\n")
        .run("check crd.yaml")
        .expect(2, &["use `kubectl get ... -o yaml`"]);
}

#[test]
fn a_patch_that_is_named_is_an_error_with_the_remedy() {
    let patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shirts.stable.example.com}\n";
    folder("patch", patch)
        .run("check crd.yaml")
        .expect(1, &["spec.group: Required value", "this file has only a part of a CRD", "kustomize build"]);
}

#[test]
fn identical_copies_are_counted_once() {
    let other = SHIRT.replace("type: string", "type: integer");
    let files = [("chart/crds/a.yaml", SHIRT), ("config/crd/a.yaml", SHIRT), ("old/a.yaml", &*other)];
    let folder = Folder::new("remedies-copies", &files);
    folder.run("check .").expect(0, &["checked 2 CRDs: 2 accepted, 0 rejected", "1 identical copy left out"]);
    assert_eq!(folder.run("check --format json .").lines().len(), 3);
}

#[test]
fn versions_and_keywords_at_wrong_places_have_remedies() {
    let beta = SHIRT.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1");
    folder("beta", &beta).run("check crd.yaml").expect(1, &["`v1beta1` was removed in 1.22", "crd.yaml:1:1"]);
    let misspelt = SHIRT.replace("apiextensions.k8s.io/v1", "apiextension.k8s.io/v1");
    folder("group", &misspelt)
        .run("check crd.yaml")
        .expect(1, &["write `apiVersion: apiextensions.k8s.io/v1`"]);
    let property = SHIRT.to_owned() + "              x-kubernetes-validations: [{rule: 'true'}]\n";
    folder("keyword", &property)
        .run("check crd.yaml")
        .expect(1, &["put the keyword `x-kubernetes-validations` next to `properties`, not into it"]);
}

#[test]
fn strict_errors_have_the_place_of_their_field() {
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a, namespace: b}\nspec:\n  color: red\n  zz: 1\n";
    let folder = Folder::new("remedies-strict", &[("crd.yaml", SHIRT), ("a.yaml", object)]);
    folder
        .run("validate --field-validation strict --crd crd.yaml a.yaml")
        .expect(1, &["strict decoding error: unknown field \"spec.zz\"", "a.yaml:6:"]);
}

#[test]
fn binary_values_are_strings() {
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a, namespace: b}\nspec: {color: !!binary cmVk}\n";
    let folder = Folder::new("remedies-binary", &[("crd.yaml", SHIRT), ("a.yaml", object)]);
    folder.run("validate --crd crd.yaml a.yaml").expect(0, &["1 accepted"]);
}

#[test]
fn short_names_that_the_stored_crd_has_are_never_accepted() {
    let own = SHIRT.replace("kind: Shirt", "kind: Shirt, shortNames: [shirt, st]");
    let folder = Folder::new("remedies-names", &[("old.yaml", SHIRT), ("new.yaml", &*own)]);
    folder.run("check new.yaml").expect(0, &["1 accepted"]);
    folder.run("check --old old.yaml new.yaml").expect(
        0,
        &["warning[names-not-accepted]: spec.names.shortNames[0]: `shirt` is already in use as the singular name", "new.yaml:"],
    );
    let run = folder.run("check --old new.yaml new.yaml");
    assert!(!run.stderr.contains("names-not-accepted"), "{}", run.stderr);
}

#[test]
fn stored_crds_that_keep_unknown_fields_keep_them() {
    let kept = SHIRT.replace("  scope:", "  preserveUnknownFields: true\n  scope:");
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a, namespace: b}\nspec: {color: red, extra: {a: 1}}\n";
    let folder =
        Folder::new("remedies-kept", &[("old.yaml", &*kept), ("new.yaml", SHIRT), ("a.yaml", object)]);
    let run = folder.run("validate --crd old.yaml a.yaml");
    run.expect(0, &["1 accepted"]);
    assert!(!run.stderr.contains("unknown field"), "{}", run.stderr);
    folder.run("validate --crd new.yaml a.yaml").expect(0, &["spec.extra: unknown field"]);
    folder.run("diff old.yaml new.yaml").expect(
        1,
        &["error[preserve-unknown-fields-removed]", "`spec.preserveUnknownFields` is no longer true (data)"],
    );
}

/// Checks that a rule is rejected with a remedy, and that it is accepted with another text in the CRD.
fn cured(name: &str, keywords: &str, help: &str, (from, to): (&str, &str)) {
    let text = SHIRT.replace("color: {type: string}", &format!("color: {{{keywords}}}"));
    folder(name, &text).run("check crd.yaml").expect(1, &["exceeds budget by factor of", help]);
    assert!(text.contains(from), "{text}");
    folder(name, &text.replace(from, to)).run("check crd.yaml").expect(0, &["1 accepted"]);
}

#[test]
fn rules_that_cost_too_much_have_remedies_that_suffice() {
    let amounts = "type: array, x-kubernetes-list-type: atomic, maxItems: 16, items: {x-kubernetes-int-or-string: true, \
                   x-kubernetes-validations: [{rule: \"quantity(string(self)).isGreaterThan(quantity('0'))\"}]}";
    let help = "to `spec.color[*]`, or lower `maxItems` of `spec.color` from 16 to 15";
    cured("cost-lower", amounts, help, ("maxItems: 16", "maxItems: 15"));
    cured("cost-length", amounts, help, ("int-or-string: true,", "int-or-string: true, maxLength: 20,"));
    let optional = "type: object, properties: {mode: {type: string, maxLength: 20}}, \
                    x-kubernetes-validations: [{rule: '!oldSelf.hasValue() || oldSelf.value().?mode == self.?mode', optionalOldSelf: true}]";
    let written = "(has(oldSelf.value().mode) ? has(self.mode) && oldSelf.value().mode == self.mode : !(has(self.mode)))";
    let help = format!("write `!oldSelf.hasValue() || {written}`");
    cured("cost-optional", optional, &help, ("oldSelf.value().?mode == self.?mode", written));
    let (from, to) = (
        "self.filter(x, x.count > 1).all(x, x.a.matches('^b+$'))",
        "self.all(x, !(x.count > 1) || (x.a.matches('^b+$')))",
    );
    let filtered = format!(
        "type: array, x-kubernetes-list-type: atomic, maxItems: 20, x-kubernetes-validations: [{{rule: \"{from}\"}}], \
         items: {{type: object, properties: {{a: {{type: string, maxLength: 20}}, count: {{type: integer}}}}}}"
    );
    cured("cost-filter", &filtered, &format!("write `{to}`"), (from, to));
}
