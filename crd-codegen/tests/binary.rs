//! The binary `crd-codegen`, which generates and nothing else.
#![cfg(feature = "cli")]

use std::process::Command;

#[test]
fn it_generates_and_nothing_else() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-codegen"));
        let output = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        let [out, messages] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code().unwrap(), out, messages)
    };
    let (status, help, _) = run(&["--help"]);
    assert_eq!(status, 0);
    for command in ["generate", "run", "completions"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
    assert!(!help.contains("\n  check "), "{help}");
    let (status, help, _) = run(&["generate", "--help"]);
    assert!(status == 0 && help.contains("\n  crd-codegen generate crds/ --out src/generated\n"), "{help}");
    let (status, code, messages) = run(&["generate", "tests/fixtures/shared.json", "--out", "-"]);
    assert_eq!((status, &*messages), (0, ""));
    assert!(code.contains("pub struct"));
    if cfg!(not(feature = "cluster")) {
        let (status, _, messages) = run(&["generate", "--cluster", "--out", "-"]);
        assert_eq!(status, 2);
        assert!(messages.contains("`cargo install crd-codegen --features cluster`"), "{messages}");
    }
}
