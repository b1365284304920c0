//! Build times of derived CRDs: debug builds of an operator with one resource, with crdkit and with kube-derive 5, and the time of the
//! macros for three hundred fields. Prints the tables of the book.
//!
//! `cargo run --release --bin builds`. Both operators have the same types, kube's client and k8s-openapi. Processor seconds are those of cargo
//! and all that it runs, wall-clock ones need a machine at rest. Linux only: `/proc`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Linux counts processor time in hundredths of a second.
const TICKS: f64 = 100.0;

/// The crates that the derive adds, and those that it shares with others.
const PARTS: [&str; 5] = ["crd-go", "crd-cel", "crd-core", "crd-derive", "crdkit"];

/// Builds after a change, of which the fastest counts.
const CHANGES: u32 = 3;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let folder = env::temp_dir().join(format!("crd-builds-{}", std::process::id()));
    let result = run(&root, &folder);
    fs::remove_dir_all(&folder)?;
    result
}

fn run(root: &Path, folder: &Path) -> Result<()> {
    let crdkit = format!("crdkit = {{ path = {:?} }}\n", root.join("crdkit"));
    let ours = project(folder, "with-crdkit", "", &crdkit, "crdkit::CustomResource")?;
    let theirs = project(folder, "with-kube", ", \"derive\"", "", "kube::CustomResource")?;

    println!(
        "| an operator with one derived CRD | clean build | wall clock | after a change | binary |\n|---|---|---|---|---|"
    );
    for (name, project) in [("crdkit", &ours), ("kube-derive 5", &theirs)] {
        let (processor, wall) = build(project)?;
        let changed = (0..CHANGES).map(|_| changed(project)).collect::<Result<Vec<_>>>()?;
        let changed = changed.into_iter().fold(f64::INFINITY, f64::min);
        let megabytes = fs::metadata(project.join("target/debug/operator"))?.len() as f64 / 1e6;
        println!("| {name} | {processor:.1} s | {wall:.1} s | {changed:.1} s | {megabytes:.0} MB |");
    }
    println!("\n| of crdkit's | wall clock of its units |\n|---|---|");
    let units = units(&ours)?;
    for part in PARTS {
        let own: Vec<String> =
            units.iter().filter(|(name, _)| name == part).map(|(_, time)| format!("{time:.1} s")).collect();
        println!("| `{part}` | {} |", own.join(" + "));
    }
    println!("\n{}", expansion(root)?);
    Ok(())
}

/// Returns an operator with one resource, whose sources are fetched.
fn project(
    folder: &Path,
    name: &str,
    kube_features: &str,
    dependencies: &str,
    derive: &str,
) -> Result<PathBuf> {
    let project = folder.join(name);
    fs::create_dir_all(project.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"operator\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependencies}\
         kube = {{ version = \"5\", default-features = false, features = [\"client\", \"ring\", \"rustls-tls\"{kube_features}] }}\n\
         k8s-openapi = {{ version = \"0.29\", features = [\"latest\"] }}\nschemars = \"1\"\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
    );
    fs::write(project.join("Cargo.toml"), manifest)?;
    let types = "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]\n\
        #[kube(group = \"example.com\", version = \"v1\", kind = \"Shirt\", namespaced, status = \"ShirtStatus\")]\n\
        pub struct ShirtSpec {\n    pub color: String,\n    pub size: Option<i32>,\n}\n\n\
        #[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]\n\
        pub struct ShirtStatus {\n    pub worn: i32,\n}\n";
    let (of_traits, crd) = match name {
        "with-crdkit" => ("", "Shirt::crd().unwrap()"),
        _ => ("use kube::CustomResourceExt;\n", "Shirt::crd()"),
    };
    let text = format!(
        "use {derive};\n{of_traits}use schemars::JsonSchema;\nuse serde::{{Deserialize, Serialize}};\n\n{types}\n\
         fn main() {{\n    println!(\"{{}}\", serde_json::to_string(&{crd}).unwrap());\n}}\n"
    );
    fs::write(project.join("src/main.rs"), text)?;
    cargo(&project, &["fetch"])?;
    Ok(project)
}

/// Processor time and wall-clock time of a clean build, in seconds.
fn build(project: &Path) -> Result<(f64, f64)> {
    let (start, before) = (Instant::now(), processor()?);
    cargo(project, &["build", "--offline", "--timings"])?;
    Ok((processor()? - before, start.elapsed().as_secs_f64()))
}

/// Processor time of a build after a change of the types' file, in seconds.
fn changed(project: &Path) -> Result<f64> {
    let file = project.join("src/main.rs");
    fs::write(&file, fs::read_to_string(&file)? + "// changed\n")?;
    let before = processor()?;
    cargo(project, &["build", "--offline"])?;
    Ok(processor()? - before)
}

fn cargo(project: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(project).env("CARGO_TARGET_DIR", project.join("target"));
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("cargo {arguments:?} failed in {}", project.display()).into())
    }
}

/// Returns the processor time of child processes that have ended, in seconds.
fn processor() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("`/proc/self/stat` has a name")?.1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |i: usize| -> Result<f64> { Ok(fields.get(i).ok_or("`/proc/self/stat` is short")?.parse()?) };
    // `cutime` and `cstime` are the fields 16 and 17; the text begins with field 3.
    Ok((ticks(13)? + ticks(14)?) / TICKS)
}

/// Returns the units of the last build with their times in seconds, from the page that `--timings` writes.
fn units(project: &Path) -> Result<Vec<(String, f64)>> {
    let page = fs::read_to_string(project.join("target/cargo-timings/cargo-timing.html"))?;
    let data = page.split_once("const UNIT_DATA = [").ok_or("the page has units")?.1;
    let data = data.split_once("];").map_or(data, |(units, _)| units);
    let field = |unit: &str, key: &str| {
        let value = unit.split_once(&format!("\"{key}\": "))?.1;
        Some(value.split([',', '\n']).next()?.trim_matches('"').to_owned())
    };
    let unit = |unit: &str| Some((field(unit, "name")?, field(unit, "duration")?.parse().ok()?));
    Ok(data.split("\"i\": ").skip(1).filter_map(unit).collect())
}

/// Returns the times that the macros report.
fn expansion(root: &Path) -> Result<String> {
    let output = Command::new("cargo")
        .args([
            "test",
            "--package",
            "crd-derive",
            "--lib",
            "--",
            "--ignored",
            "--nocapture",
            "time_of_three_hundred_fields",
        ])
        .current_dir(root)
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().find(|line| line.contains("300 fields"));
    Ok(line.ok_or("the measurement has no such line")?.to_owned())
}
