//! Descriptions at random in pages in Markdown: no reader finds anything but the paragraphs, lists, code and links that were meant.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod page;
mod random;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use pulldown_cmark::Options;
use serde_json::json;

use self::page::{pages, strange, words};
use self::random::Random;

/// The fields of one page.
const FIELDS: usize = 25;

#[test]
fn a_parser_finds_only_what_was_meant() {
    let mut random = Random::new(1);
    for _ in 0..80 {
        let descriptions: Vec<String> = (0..FIELDS).map(|_| random.description()).collect();
        let [markdown, html] = pages(&descriptions);
        assert_eq!(words(&html).len(), FIELDS);
        for options in [Options::empty(), Options::all()] {
            assert_eq!(strange(&markdown, options), None, "{descriptions:#?}\n{markdown}");
        }
    }
}

/// Runs the readers of other languages over random descriptions: `CRD_DOCS_DESCRIPTIONS` of them from the seed `CRD_DOCS_SEED`.
/// Without node and Python it is skipped, unless `CRD_DOCS_READERS=required`.
#[test]
#[ignore = "installs the readers, and takes minutes"]
fn readers_find_only_what_was_meant() {
    let readers = match readers() {
        Ok(readers) => readers,
        Err(why) if env::var_os("CRD_DOCS_READERS").is_none() => return eprintln!("skipped: {why}"),
        Err(why) => panic!("{why}"),
    };
    let number = |name: &str, usual: u64| env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (count, seed) = (number("CRD_DOCS_DESCRIPTIONS", 5_000), number("CRD_DOCS_SEED", 1));
    let mut random = Random::new(seed);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("markdown-{seed}.jsonl"));
    let mut done = 0;
    while done < count {
        let mut lines = String::new();
        for _ in 0..80 {
            let descriptions: Vec<String> = (0..FIELDS).map(|_| random.description()).collect();
            let [markdown, html] = pages(&descriptions);
            lines += &format!(
                "{}\n",
                json!({"page": markdown, "words": words(&html), "descriptions": descriptions})
            );
            done += FIELDS as u64;
        }
        fs::write(&file, lines).unwrap();
        for (program, script) in &readers {
            let output = Command::new(program).arg(script).arg(&file).output().unwrap();
            let found = String::from_utf8_lossy(&output.stdout);
            let first: Vec<&str> = found.lines().take(5).collect();
            assert!(
                first.is_empty(),
                "seed {seed}, before {done}, in {}:\n{}",
                file.display(),
                first.join("\n")
            );
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    println!("{done} descriptions with the seed {seed}");
}

/// Installs the readers below the target folder, and returns the commands that run them.
fn readers() -> Result<[(PathBuf, PathBuf); 2], String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/markdown");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("markdown-readers");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for name in ["package.json", "readers.mjs", "readers.py", "requirements.txt"] {
        fs::copy(sources.join(name), folder.join(name)).map_err(|error| error.to_string())?;
    }
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output();
        match output.map_err(|error| format!("{}: {error}", program.display()))? {
            output if output.status.success() => Ok(()),
            output => Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr))),
        }
    };
    run(Path::new("npm"), &["install", "--no-audit", "--no-fund", "--ignore-scripts"])?;
    let python = folder.join("venv/bin/python");
    run(Path::new("python3"), &["-m", "venv", "venv"])?;
    run(&python, &["-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"])?;
    Ok([("node".into(), folder.join("readers.mjs")), (python, folder.join("readers.py"))])
}
