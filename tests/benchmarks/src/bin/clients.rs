//! Generated code for public CRDs, from this project and from kopium in one run: lines, types, seconds to check and to build, size of
//! metadata, seconds and memory of generation. Prints the tables of the book.
//!
//! `cargo run --release --bin clients` measures the fifteen largest definitions of `demanding.txt`. With a number it measures so
//! many that are not measured yet, since all take half an hour: what was measured is kept in `measured.tsv` next to the program,
//! and begins anew where that is removed. All seconds are those of the processor, so that other work on the machine changes them
//! little; "check" is what `cargo check` does, "build" what `cargo build --release` does. Linux only: `/proc`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cpu_time::ProcessTime;
use crd_benchmarks::corpus;
use crd_codegen::{Config, Layout, Rejected, Versions};
use crd_input::{Limits, Source};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kopium::{Derive, SchemaMode, TypeGenerator};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Generators with options that give the same derives, the same documentation and `kube::Resource`: what `crdkit generate` writes
/// into a directory, what a build script includes without a `names.lock`, where types also have the names of their other places, and
/// what the peer prints.
const TOOLS: [&str; 3] = ["crd-codegen", IN_ONE_FILE, "kopium"];
const IN_ONE_FILE: &str = "crd-codegen, one file";

/// The number of definitions that are measured.
const COUNT: usize = 15;

/// The number of runs of each tool for a definition, of which the median counts.
const RUNS: usize = 9;

/// Linux counts processor time in hundredths of a second.
const TICKS: f64 = 100.0;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [tool, file, out] = &*arguments {
        return generate(tool, Path::new(file), Path::new(out));
    }
    let count = arguments.first().map_or(Ok(COUNT), |count| count.parse())?;
    let Some(corpus) = corpus() else {
        eprintln!("skipped: `../shared/corpus` is not beside the project");
        return Ok(());
    };
    let folder = env::current_exe()?.with_file_name("generated-clients");
    fs::create_dir_all(&folder)?;
    let kept = env::current_exe()?.with_file_name("measured.tsv");
    let mut rows = read(&kept)?;
    let files = largest(&corpus, COUNT)?;
    let open: Vec<&PathBuf> = files
        .iter()
        .filter(|file| !rows.iter().any(|(name, ..)| *name == name_of(file)))
        .take(count)
        .collect();
    let externs = if open.is_empty() { Vec::new() } else { externs(&folder)? };
    for file in open {
        for tool in TOOLS {
            let measured = measure(&folder, &externs, tool, file)?;
            eprintln!("{} {tool} {}", file.display(), cells(&measured));
            rows.push((name_of(file), tool.to_owned(), measured));
        }
        write(&kept, &rows)?;
    }
    let names: Vec<String> = files.iter().map(|file| name_of(file)).collect();
    print(&names, &rows);
    Ok(())
}

/// The measurements of one tool for one definition.
type Row = (String, String, Measured);

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the measurements of earlier runs.
fn read(kept: &Path) -> Result<Vec<Row>> {
    let text = fs::read_to_string(kept).unwrap_or_default();
    let row = |line: &str| {
        let [name, tool, numbers @ ..] = &*line.split('\t').collect::<Vec<_>>() else {
            return Err("no row".into());
        };
        let number =
            |at: usize| -> Result<f64> { Ok(numbers.get(at).ok_or("a column is missing")?.parse()?) };
        let compiled = match numbers.len() {
            4 => None,
            _ => Some(Compiled { check: number(4)?, build: number(5)?, rmeta_kib: number(6)? as u64 }),
        };
        let measured = Measured {
            lines: number(0)? as usize,
            types: number(1)? as usize,
            generate: number(2)?,
            peak_kib: number(3)? as u64,
            compiled,
        };
        Ok(((*name).to_owned(), (*tool).to_owned(), measured))
    };
    text.lines().map(row).collect()
}

fn write(kept: &Path, rows: &[Row]) -> Result<()> {
    let line = |(name, tool, row): &Row| {
        let Measured { lines, types, generate, peak_kib, compiled } = row;
        let compiled = compiled.as_ref().map_or_else(String::new, |Compiled { check, build, rmeta_kib }| {
            format!("\t{check}\t{build}\t{rmeta_kib}")
        });
        format!("{name}\t{tool}\t{lines}\t{types}\t{generate}\t{peak_kib}{compiled}\n")
    };
    Ok(fs::write(kept, rows.iter().map(line).collect::<String>())?)
}

/// Returns the largest of the definitions that are chosen for being demanding.
fn largest(corpus: &Path, count: usize) -> Result<Vec<PathBuf>> {
    let parent = corpus.parent().ok_or("the corpus has a parent")?;
    let mut files = Vec::new();
    for line in fs::read_to_string(parent.join("demanding.txt"))?.lines() {
        let file = parent.join(line);
        files.push((fs::metadata(&file)?.len(), file));
    }
    files.sort();
    Ok(files.into_iter().rev().take(count).map(|(_, file)| file).collect())
}

/// The measurements of generation. A result without a line counts as a rejection.
#[derive(Default)]
struct Measured {
    lines: usize,
    types: usize,
    generate: f64,
    peak_kib: u64,
    /// `None` if the code does not compile.
    compiled: Option<Compiled>,
}

/// The measurements of compilation.
#[derive(Default)]
struct Compiled {
    check: f64,
    build: f64,
    rmeta_kib: u64,
}

/// Generates in this process, and prints seconds and peak memory for the parent.
fn generate(tool: &str, file: &Path, out: &Path) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let started = ProcessTime::now();
    let generated = match tool {
        "kopium" => vec![("mod.rs".to_owned(), kopium(&text)?)],
        IN_ONE_FILE => ours(&text, Layout::SingleFile),
        _ => ours(&text, Layout::Tree),
    };
    let seconds = started.elapsed().as_secs_f64();
    for (path, text) in generated {
        let path = out.join(path);
        fs::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
        fs::write(path, text)?;
    }
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    println!("{seconds} {}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

fn ours(text: &str, layout: Layout) -> Vec<(String, String)> {
    let sources = [Source::from_string("crd.yaml", text)];
    let read = crd_input::definitions(&sources, &Limits::default(), &|| ());
    let mut config = Config::new();
    // kopium generates a single version and checks nothing.
    config.kube(true).versions(Versions::Storage).layout(layout).rejected(Rejected::Ignore);
    let generated = crd_codegen::generate(&read.definitions, &config);
    let name = |path: String| if layout == Layout::SingleFile { "mod.rs".to_owned() } else { path };
    generated.files.into_iter().map(|file| (name(file.path), file.contents)).collect()
}

fn kopium(text: &str) -> Result<String> {
    let crd: CustomResourceDefinition = serde_yaml::from_str(text)?;
    let storage =
        crd.storage_version().map(|version| version.name.clone());
    let generator = TypeGenerator::builder()
        .api_version(storage)
        .schema_mode(SchemaMode::Disabled)
        .emit_docs(true)
        .smart_derive_elision(true)
        .derive_all([Derive::all("Default"), Derive::all("PartialEq")])
        .build();
    Ok(generator.generate_rust_types_for(&crd, None::<String>)?)
}

/// Generates code for a definition with both tools, and compiles the results.
fn measure(folder: &Path, externs: &[String], tool: &str, file: &Path) -> Result<Measured> {
    let out = folder.join("generated");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let output = Command::new(env::current_exe()?).arg(tool).arg(file).arg(&out).output()?;
        if !output.status.success() {
            // The table shows that there is nothing to measure.
            return Ok(Measured::default());
        }
        let stdout = String::from_utf8(output.stdout)?;
        let (seconds, peak) = stdout.trim().split_once(' ').ok_or("seconds and memory expected")?;
        runs.push((seconds.parse()?, peak.parse()?));
    }
    let (generate, peak_kib) = middle(runs);
    let text = texts(&out)?;
    let is_type = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("pub struct ") || line.starts_with("pub enum ")
    };
    let path = folder.join("compiled.rs");
    // Warnings of generated code are not part of the measurement.
    fs::write(&path, "#![allow(warnings)]\npub mod generated;\n")?;
    let compiled = match rustc(&path, externs, &["--emit=metadata"]) {
        Ok(check) => Some(Compiled {
            check,
            rmeta_kib: fs::metadata(folder.join("libcompiled.rmeta"))?.len() / 1024,
            build: rustc(&path, externs, &["--emit=metadata,link", "-Copt-level=3"])?,
        }),
        Err(error) if tool != "kopium" => return Err(error),
        // The dependency is needed by the other generator only, and the table names it.
        Err(_) => None,
    };
    Ok(Measured {
        lines: text.lines().count(),
        types: text.lines().filter(is_type).count(),
        generate,
        peak_kib,
        compiled,
    })
}

/// Returns the texts of all files with code in a directory, one after the other.
fn texts(folder: &Path) -> Result<String> {
    let mut all = String::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all += &texts(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all += &fs::read_to_string(path)?;
        }
    }
    Ok(all)
}

/// Returns the run of median length.
fn middle(mut runs: Vec<(f64, u64)>) -> (f64, u64) {
    runs.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    runs[runs.len() / 2]
}

/// Compiles a library as cargo does. Returns the seconds that it took.
fn rustc(path: &Path, externs: &[String], arguments: &[&str]) -> Result<f64> {
    let folder = path.parent().ok_or("a file has a folder")?;
    let before = children()?;
    let output = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=lib", "--out-dir"])
        .arg(folder)
        .arg(path)
        .args(arguments)
        .args(externs)
        .output()?;
    if !output.status.success() {
        return Err(format!("{}:\n{}", path.display(), String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok((children()? - before) as f64 / TICKS)
}

/// Returns the crates that the peer was built with, as arguments for rustc.
fn externs(folder: &Path) -> Result<Vec<String>> {
    let deps = env::current_exe()?.with_file_name("deps");
    let [kube, k8s, serde, json] =
        ["kube", "k8s_openapi", "serde", "serde_json"].map(|name| libraries(&deps, name));
    let probe = folder.join("probe.rs");
    fs::write(
        &probe,
        "pub use kube::CustomResource;\n\
         use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;\n\
         pub fn probe<T: serde::Serialize>() {}\n\
         pub fn all(of_kube: kube::core::ObjectMeta) -> ObjectMeta { probe::<ObjectMeta>(); probe::<serde_json::Value>(); of_kube }\n",
    )?;
    let (kube, k8s, serde, json) = (&kube?, &k8s?, &serde?, &json?);
    // Build scripts, macros and other benchmarks have their own builds of some crates: these do not fit together with the others.
    let all = kube.iter().flat_map(|kube| k8s.iter().map(move |k8s| (kube, k8s)));
    let all = all.flat_map(|pair| serde.iter().map(move |serde| (pair, serde)));
    for (((kube, k8s), serde), json) in all.flat_map(|three| json.iter().map(move |json| (three, json))) {
        let named = [("kube", kube), ("k8s_openapi", k8s), ("serde", serde), ("serde_json", json)];
        let mut arguments = vec!["-L".to_owned(), format!("dependency={}", deps.display())];
        for (name, path) in named {
            arguments.extend(["--extern".to_owned(), format!("{name}={path}")]);
        }
        if rustc(&probe, &arguments, &["--emit=metadata"]).is_ok() {
            return Ok(arguments);
        }
    }
    Err("the crates that the peer was built with are not there".into())
}

/// Returns the builds of a library.
fn libraries(deps: &Path, name: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(deps)? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib") {
            found.push(path.display().to_string());
        }
    }
    Ok(found)
}

/// Returns the processor time of all children that have ended, in hundredths of a second.
fn children() -> Result<u64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, can contain any characters.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let user: u64 = fields.get(13).ok_or("no cutime")?.parse()?;
    let system: u64 = fields.get(14).ok_or("no cstime")?.parse()?;
    Ok(user + system)
}

fn print(names: &[String], rows: &[Row]) {
    println!("| definition | | lines | types | generate | peak | check | build | rmeta |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for name in names {
        for (_, tool, measured) in rows.iter().filter(|(of, ..)| of == name) {
            println!("| {name} | {tool} {}", cells(measured));
        }
    }
    // Definitions whose code does not compile with one of the tools are not part of any sum.
    let compiles = |name: &String| !rows.iter().any(|(of, _, row)| of == name && row.compiled.is_none());
    for (title, count) in [("the five largest", 5), ("all that compile of both", names.len())] {
        let names: Vec<&String> = names.iter().take(count).filter(|name| compiles(name)).collect();
        for tool in TOOLS {
            let (mut sum, mut all) = (Measured::default(), Compiled::default());
            for (_, _, row) in rows.iter().filter(|(of, by, _)| by == tool && names.contains(&of)) {
                sum.lines += row.lines;
                sum.types += row.types;
                sum.generate += row.generate;
                sum.peak_kib = sum.peak_kib.max(row.peak_kib);
                let Some(compiled) = &row.compiled else { continue };
                all.check += compiled.check;
                all.build += compiled.build;
                all.rmeta_kib += compiled.rmeta_kib;
            }
            sum.compiled = Some(all);
            println!("| **{title}** | {tool} {}", cells(&sum));
        }
    }
}

fn cells(row: &Measured) -> String {
    if row.lines == 0 {
        return "| refused | – | – | – | – | – | – |".to_owned();
    }
    let compiled = row.compiled.as_ref().map_or_else(
        || "does not compile | – | – |".to_owned(),
        |Compiled { check, build, rmeta_kib }| format!("{check:.1} s | {build:.1} s | {rmeta_kib} KiB |"),
    );
    format!(
        "| {} | {} | {:.0} ms | {:.0} MiB | {compiled}",
        row.lines,
        row.types,
        row.generate * 1000.0,
        row.peak_kib as f64 / 1024.0,
    )
}
