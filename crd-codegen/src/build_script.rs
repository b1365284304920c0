//! Generates one file in the `OUT_DIR` of a build script, and prints the instructions for cargo.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crd_input::{Limits, Problem, ProblemSeverity, Source, SourceMap};

use crate::{Changes, Config, GeneratedFile, Layout, Rejected, WriteError, generate};

/// Generates Rust in a build script: one file named `file` in `OUT_DIR`, for `include!`.
///
/// Inputs are files and directories of files, as on the command line. Cargo runs the script again when an input changes, and shows errors
/// and warnings about the inputs. The file is written only if its content changes.
///
/// A CRD that the API server would reject is an error, shown with its file, line and column. [`Config::rejected`] changes this.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), crd_codegen::BuildError> {
///     crd_codegen::build_script(&["crds"], "crds.rs", &crd_codegen::Config::new())
/// }
///
/// // src/lib.rs
/// mod crds {
/// #   #[cfg(any())]
///     include!(concat!(env!("OUT_DIR"), "/crds.rs"));
/// }
/// ```
///
/// # Errors
/// - `OUT_DIR` is not set, because no build script is running
/// - an input cannot be read, or nothing can be generated for a CRD
/// - the API server would reject a CRD
/// - the inputs contain no CRD
/// - the file cannot be written
pub fn build_script<P: AsRef<Path>>(inputs: &[P], file: &str, config: &Config) -> Result<(), BuildError> {
    let out = std::env::var_os("OUT_DIR").ok_or(BuildError(Cause::NoOutDir))?;
    let (instructions, result) = run(inputs, file, config, PathBuf::from(out));
    for line in instructions {
        print_for_cargo(&line);
    }
    result
}

/// Error of [`build_script`].
pub struct BuildError(Cause);

enum Cause {
    NoOutDir,
    /// The number of errors in the inputs. The build script has already shown these errors.
    Inputs(usize),
    NoDefinition,
    Write(WriteError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::NoOutDir => f.write_str("there is no `OUT_DIR`; help: call this function in a build script"),
            Cause::Inputs(1) => f.write_str("1 error in the inputs, see above"),
            Cause::Inputs(count) => write!(f, "{count} errors in the inputs, see above"),
            Cause::NoDefinition => f.write_str(
                "no CustomResourceDefinition in the inputs; help: name files or directories, relative to the directory of Cargo.toml",
            ),
            Cause::Write(error) => error.fmt(f),
        }
    }
}

// `fn main() -> Result<(), BuildError>` shows errors in this form.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Cause::Write(error) => Some(error),
            Cause::NoOutDir | Cause::Inputs(_) | Cause::NoDefinition => None,
        }
    }
}

#[expect(clippy::print_stdout, reason = "cargo reads standard output of build scripts")]
fn print_for_cargo(line: &str) {
    println!("{line}");
}

/// Generates the file. Returns the lines to print for cargo, and the build script's result.
fn run<P: AsRef<Path>>(
    inputs: &[P],
    file: &str,
    config: &Config,
    out: PathBuf,
) -> (Vec<String>, Result<(), BuildError>) {
    let limits = Limits::default();
    // The directory itself is an instruction, because files may be added to it.
    let mut instructions: Vec<String> = inputs.iter().map(|input| rerun(input.as_ref())).collect();
    let (sources, mut errors) = crd_input::sources(inputs, &limits);
    instructions.extend(sources.iter().filter_map(Source::path).map(rerun));
    let mut read = crd_input::definitions(&sources, &limits, &|| ());
    errors.append(&mut read.errors);
    let mut chosen = Config::new();
    chosen.rejected(Rejected::Error).overlay(config.clone()).layout(Layout::SingleFile);
    let generated = generate(&read.definitions, &chosen);

    instructions.extend(errors.iter().map(|error| instruction("error", &with_help(error, error.help()))));
    let mut places = FindingPlaces { sources: &sources, limits: &limits, maps: HashMap::new() };
    let mut failures = errors.len();
    for finding in read.findings.iter().chain(&generated.findings) {
        let level = match finding.severity {
            ProblemSeverity::Error => "error",
            ProblemSeverity::Warning => "warning",
        };
        failures += usize::from(finding.severity == ProblemSeverity::Error);
        instructions.push(instruction(level, &places.shown(finding)));
    }
    let result = match &*generated.files {
        _ if failures > 0 => Err(BuildError(Cause::Inputs(failures))),
        [single] => write(file, &single.contents, out),
        _ => Err(BuildError(Cause::NoDefinition)),
    };
    (instructions, result)
}

fn write(file: &str, contents: &str, out: PathBuf) -> Result<(), BuildError> {
    let file = GeneratedFile::new(file, contents);
    // Other files in `OUT_DIR` belong to other calls.
    let changes = Changes::plan_locked(out, &[file], &|| ()).map(Changes::without_removals);
    changes.and_then(|changes| changes.apply()).map_err(|error| BuildError(Cause::Write(error)))
}

fn rerun(path: &Path) -> String {
    instruction("rerun-if-changed", &path.to_string_lossy())
}

/// Returns a line for cargo. Line breaks are replaced, because cargo would read the text after a line break as another instruction.
fn instruction(name: &str, value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("cargo::{name}={value}")
}

/// Finds the lines and columns of problems in the input files.
struct FindingPlaces<'a> {
    sources: &'a [Source],
    limits: &'a Limits,
    maps: HashMap<String, Option<SourceMap>>,
}

impl FindingPlaces<'_> {
    /// Formats a problem as a compiler message, which begins with the file, line and column.
    fn shown(&mut self, finding: &Problem) -> String {
        let file = &finding.origin.file;
        let (sources, limits) = (self.sources, self.limits);
        let map = self.maps.entry(file.clone()).or_insert_with(|| {
            let source = sources.iter().find(|source| source.relative() == file)?;
            source.read(limits).ok().map(|text| SourceMap::new(&text))
        });
        let location =
            map.as_ref().and_then(|map| map.locate(finding.origin.document, &finding.diagnostic.field));
        let shown = with_help(&finding.diagnostic, finding.diagnostic.help());
        match location {
            Some(location) => format!("{file}:{}:{}: {shown}", location.line, location.column),
            None => format!("{file}: {shown}"),
        }
    }
}

/// Formats an error and its help text on one line.
fn with_help(error: &impl fmt::Display, help: Option<&str>) -> String {
    match help {
        Some(help) => format!("{error}; help: {help}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a directory that only this test uses.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("crd-codegen-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    const SHIRT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  names: {plural: shirts, kind: Shirt}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x: 1
";

    #[test]
    fn the_file_is_written_only_if_it_changes() {
        let folder = folder("written");
        let input = folder.join("shirt.yaml");
        fs::write(&input, SHIRT.replace("            type: object\n", "")).unwrap();
        let mut config = Config::new();
        config.rejected(Rejected::Warn);
        let (instructions, result) = run(&[&input], "crds.rs", &config, folder.clone());
        result.unwrap();
        assert!(
            instructions[0].starts_with("cargo::rerun-if-changed=")
                && instructions[0].ends_with("shirt.yaml"),
            "{instructions:?}"
        );
        let warning = instructions.iter().find(|line| line.starts_with("cargo::warning=")).unwrap();
        assert!(warning.contains("shirt.yaml:16:11: "), "{warning}");
        let first = fs::metadata(folder.join("crds.rs")).unwrap().modified().unwrap();
        run(&[&input], "crds.rs", &config, folder.clone()).1.unwrap();
        assert_eq!(fs::metadata(folder.join("crds.rs")).unwrap().modified().unwrap(), first);
        assert!(fs::read_to_string(folder.join("crds.rs")).unwrap().contains("pub struct Shirt"));
    }

    #[test]
    fn errors_are_instructions_for_cargo() {
        let folder = folder("faults");
        let input = folder.join("broken.yaml");
        fs::write(&input, "a: [\n").unwrap();
        let (instructions, result) = run(&[&input], "crds.rs", &Config::new(), folder.clone());
        assert!(instructions.iter().any(|line| line.starts_with("cargo::error=")), "{instructions:?}");
        assert_eq!(result.unwrap_err().to_string(), "1 error in the inputs, see above");
        assert!(!folder.join("crds.rs").exists());

        fs::write(&input, "kind: Pod\n").unwrap();
        let (_, result) = run(&[&input], "crds.rs", &Config::new(), folder);
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with("no CustomResourceDefinition in the inputs; help: name files"), "{error}");
    }

    #[test]
    fn the_error_of_a_file_that_cannot_be_written_has_a_source() {
        use std::error::Error as _;

        let folder = folder("source");
        let input = folder.join("shirt.yaml");
        fs::write(&input, SHIRT).unwrap();
        // A file stands where the directory is expected.
        let out = folder.join("out");
        fs::write(&out, "").unwrap();
        let config = Config::new().rejected(Rejected::Ignore).clone();
        let error = run(&[&input], "crds.rs", &config, out).1.unwrap_err();
        assert_eq!(error.source().unwrap().to_string(), error.to_string());
    }

    #[test]
    fn a_definition_that_the_api_server_refuses_is_an_error() {
        let folder = folder("refused");
        let input = folder.join("shirt.yaml");
        fs::write(&input, SHIRT.replace("Namespaced", "Galactic")).unwrap();
        let (instructions, result) = run(&[&input], "crds.rs", &Config::new(), folder.clone());
        let error = instructions.iter().find(|line| line.starts_with("cargo::error=")).unwrap();
        assert!(error.contains("shirt.yaml:7:3: spec.scope: Unsupported value: \"Galactic\""), "{error}");
        assert_eq!(result.unwrap_err().to_string(), "1 error in the inputs, see above");
        assert!(!folder.join("crds.rs").exists());

        for (choice, level) in [(Rejected::Warn, Some("cargo::warning=")), (Rejected::Ignore, None)] {
            let (instructions, result) =
                run(&[&input], "crds.rs", Config::new().rejected(choice), folder.clone());
            result.unwrap();
            let line = instructions.iter().find(|line| line.contains("Galactic"));
            assert_eq!(line.is_some(), level.is_some(), "{instructions:?}");
            assert!(line.is_none_or(|line| line.starts_with(level.unwrap_or_default())), "{instructions:?}");
        }
    }

    #[test]
    fn errors_come_with_their_remedies() {
        let folder = folder("remedies");
        let input = folder.join("shirt.yaml");
        fs::write(&input, SHIRT.replace("plural: shirts, ", "")).unwrap();
        let (instructions, _) = run(&[&input], "crds.rs", &Config::new(), folder);
        let error = instructions.iter().find(|line| line.contains("spec.names.plural")).unwrap();
        assert!(error.contains("Required value; help: add the plural name"), "{error}");
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(instruction("error", "a\ncargo::rustc-cfg=x"), "cargo::error=a cargo::rustc-cfg=x");
    }
}
