//! The command `cel`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tool;

use serde_json::{Value, json};
use tool::{Folder, SHIRT};

#[test]
fn rules_are_compiled_and_priced() {
    let crd = SHIRT.replace(
        "color: {type: string}",
        "color: {type: string}\n              sizes: {type: array, items: {type: string}}",
    );
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    let folder = Folder::new("cli-cel", &[("crd.yaml", &*crd), ("schema.json", schema)]);
    let run = folder.run("cel --crd crd.yaml --at spec self.color.startsWith('r')");
    run.expect(0, &[]);
    assert!(run.stdout.contains("type: bool\n  cost: "), "{}", run.stdout);
    let run = folder.run("cel --crd crd.yaml --at spec self.colour=='r' self.size()");
    let expected = [
        "error: undefined field 'colour'",
        "rule 1:1:5",
        "self.colour=='r'",
        "did you mean `color`?",
        "rule 2",
    ];
    run.expect(1, &expected);

    let run = folder.run("cel --crd crd.yaml --at spec.sizes[*] self.matches('^[a-z]+$')");
    run.expect(1, &["the rule costs", "add `maxItems: 15` to `spec.sizes`"]);
    assert!(run.stdout.contains(" times: "), "{}", run.stdout);
    folder
        .run("cel --crd crd.yaml --at spec self.sizes.all(x,self.sizes.exists(y,x==y))")
        .expect(1, &["times the limit", "add `maxItems: 5` to `self.sizes`"]);

    let old = "cel --crd crd.yaml --at spec --kube-version 1.30 isQuantity(self.color)";
    folder.run(old).expect(0, &[]);
    folder.run(&old.replace("isQuantity", "isIP")).expect(1, &["isIP", "Kubernetes 1.30", "since 1.31"]);
    folder.run(&old.replace("1.30", "1.29")).expect(2, &["expected a Kubernetes version from 1.30 to 1.37"]);
    folder.run(&old.replace("1.30", "1,34")).expect(2, &["did you mean `1.34`?"]);

    let run = folder.run("cel --format json --schema schema.json -- self.n>1 self.n self.m");
    assert_eq!(run.status, 1);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let priced = json!({"rule": "self.n>1", "type": "bool", "cost": 3, "maxCardinality": 1_048_576});
    assert_eq!(lines[0], priced);
    assert_eq!(lines[1]["type"], "int");
    let wrong = "ERROR: <input>:1:5: undefined field 'm'\n | self.m\n | ....^";
    assert_eq!(lines[2], json!({"rule": "self.m", "error": wrong}));
    folder.run("cel --schema schema.json --root has(self.metadata)").expect(0, &[]);
    folder.run("cel --schema schema.json has(self.metadata)").expect(1, &["undefined field 'metadata'"]);

    folder
        .run("cel --crd crd.yaml --at spec.colors self")
        .expect(2, &["no field `colors`", "`color`, `sizes`"]);
    folder.run("cel --crd crd.yaml --version v2 self").expect(2, &["no version `v2`", "`v1`"]);
    folder.run("cel --crd schema.json self").expect(2, &["schema.json", "no CRD"]);
    folder.run("cel self").expect(2, &["--crd"]);
}

#[test]
fn rules_are_evaluated_on_an_object() {
    let crd = SHIRT.replace(
        "color: {type: string}",
        "color: {type: string}\n              sizes: {type: array, maxItems: 9, items: {type: integer}}",
    );
    let files = [
        ("crd.yaml", &*crd),
        ("new.yaml", "spec: {color: red, sizes: [4, 0]}\n"),
        ("old.yaml", "spec: {color: blue}\n"),
    ];
    let folder = Folder::new("cli-cel-object", &files);
    let run = folder.run("cel --crd crd.yaml --at spec.sizes[*] --object new.yaml 12/self>2");
    run.expect(1, &[]);
    assert!(
        run.stdout
            .ends_with("spec.sizes[0]: true (cost 3)\n  spec.sizes[1]: error: division by zero (cost 3)\n"),
        "{}",
        run.stdout
    );
    let transition = "cel --format json --crd crd.yaml --at spec --object new.yaml self.color==oldSelf.color";
    for (command, status, values) in [
        (transition.to_owned(), 0, json!([{"at": "spec", "notRun": true}])),
        (
            transition.replace("new.yaml", "new.yaml --old old.yaml"),
            1,
            json!([{"at": "spec", "value": false, "cost": 5}]),
        ),
        (
            transition.replace("==oldSelf.color", "+'ish'"),
            0,
            json!([{"at": "spec", "value": "redish", "cost": 3}]),
        ),
    ] {
        let run = folder.run(&command);
        assert_eq!(run.status, status, "{command}");
        let line: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(line["values"], values, "{command}");
    }
    folder.run("cel --crd crd.yaml --old old.yaml self").expect(2, &["--object"]);
    folder.run("cel --crd crd.yaml --object none.yaml self").expect(2, &["none.yaml"]);
}
