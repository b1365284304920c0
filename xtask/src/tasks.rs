//! The commands of each task, in the order in which they run.

use clap::ValueEnum;

use self::Task::{Bench, Check, Conformance, E2e, Fuzz, Nightly, Record, Release, Test};

/// A group of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    /// Before each pull request: format, lints, and all tests that need only Rust; ten minutes
    Check,
    /// Longer tests, including hostile input; half an hour
    Test,
    /// Tests against a real API server, which is built from its sources; needs Go
    E2e,
    /// Recorded responses and real CRDs, if they are next to the project
    Conformance,
    /// Published packages, documentation and book
    Release,
    /// Longer searches and comparisons. `.ci/run` runs all tasks above, and none of the tasks below
    Nightly,
    /// Ten minutes of each fuzz target; needs cargo-fuzz
    Fuzz,
    /// Benchmarks
    Bench,
    /// Recordings of real servers: `cargo xtask record sessions -- KUBECONFIG`
    Record,
}

/// A command of a task.
#[derive(Debug)]
pub(crate) struct Step {
    task: Task,
    /// The words of the command. The first words can set environment variables; the other words contain no spaces and no quotes.
    pub(crate) command: &'static str,
    pub(crate) purpose: &'static str,
}

impl Task {
    /// Returns the task's commands.
    pub(crate) fn steps(self) -> impl Iterator<Item = &'static Step> {
        STEPS.iter().filter(move |step| step.task == self)
    }
}

const fn step(task: Task, command: &'static str, purpose: &'static str) -> Step {
    Step { task, command, purpose }
}

#[rustfmt::skip]
const STEPS: &[Step] = &[
    step(Check, "cargo fmt --all --check", "all files are formatted"),
    step(Check, "cargo clippy --workspace --all-targets --all-features -- -D warnings", "lints"),
    step(Check, "cargo clippy -p example-package --no-default-features -- -D warnings", "a generated package compiles when all its features are off"),
    step(Check, "cargo test --workspace", "all tests that need only Rust"),
    step(Check, "cargo run -p example-derive", "the first command of the README"),
    step(Check, "cargo run -p crdkit-cli -- generate examples/generated-types/crds/caches.yaml --out -", "the second command of the README"),

    step(Test, "cargo test -p crdkit --features proptest --test objects", "objects that proptest strategies generate"),
    step(Test, "cargo test -p crd-tests --test corpus_generate -- --ignored", "types of public CRDs; needs the collection of public CRDs"),
    step(Test, "cargo test -p crd-derive --lib -- --ignored hostile", "the derives do not panic on hostile values of every attribute at every place"),
    step(Test, "cargo test -p crd-tests --test documentation -- --ignored", "rustdoc finds no tests in generated documentation"),
    step(Test, "tests/editor/session", "a session of an editor with `crdkit lsp`, played by the client of pygls; needs Python"),
    step(Test, "tests/editor/neovim", "a finding, a fix and a completion of `crdkit lsp` in Neovim; skipped without `nvim`"),
    step(Test, "CRD_DOCS_READERS=required cargo test -p crd-docs --test markdown -- --ignored", "random descriptions in Markdown pages, parsed by five Markdown renderers; needs Node.js and Python; CRD_DOCS_DESCRIPTIONS and CRD_DOCS_SEED choose other descriptions"),
    step(Test, "cargo test -p crd-tests --test hostile --test hostile_objects --test hostile_schemas --test hostile_rules --test hostile_inputs --test hostile_files -- --ignored", "hostile input within limits of processor time and memory; killed runs, links, pipes, a full disk; HOSTILE chooses a case, HOSTILE_FIGURES prints figures, HOSTILE_PROMISED demands the promised time instead of four times as much"),
    step(Test, ".ci/hostile", "hostile inputs from a directory next to the project; needs Node.js and Python"),
    step(Nightly, "cargo test -p crd-tests --test user_features -- --ignored", "a program that uses only kube prints the same output after crdkit is added"),
    step(Test, "cargo test -p crd-tests --test kube_versions -- --ignored", "generated clients and derived types with kube 5 and kube 4"),

    step(E2e, "CRD_E2E=required cargo test -p crd-tests -p crd-tests-clients --features e2e --test e2e --test e2e_arrival --test e2e_clients --test e2e_cluster --test e2e_corpus --test e2e_derived --test e2e_go --test e2e_kubectl --test shapes_e2e", "a real API server; CRD_E2E_KUBE=1.30 chooses the release"),
    step(E2e, "CRD_E2E_SERVER=crd-server CRD_E2E=required cargo test -p crd-tests --features e2e --test e2e_clients --test e2e_derived", "the same tests against `crd-server`"),
    step(E2e, "crd-server/tests/clients/run kopf client-node python kubectl-apply", "clients in Python and JavaScript, and applies of kubectl, against `crdkit serve`; needs Node.js and Python"),

    step(Conformance, ".ci/conformance", "recorded responses, what a server publishes, and the pages of the book"),

    step(Release, ".ci/packages", "README, licenses, metadata, features and unused dependencies of the published packages"),
    step(Release, "book/listings", "the listings of the book equal their sources; `book/listings --update` copies them again"),
    step(Release, "book/links", "links and anchors of the README and the book exist, on GitHub and in mdBook; figures of the README are measured"),
    step(Release, "cargo package --workspace --no-verify --exclude crd-tests* --exclude example-* --exclude xtask", "the archives of the published packages, which the next command builds"),
    step(Release, "tests/packages/ways", "an operator, a build script and the command in CI, each in an empty directory with the packaged crates"),
    step(Release, "RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --exclude crd-tests-clients --no-deps --all-features", "documentation without warnings"),
    step(Release, "mdbook build book", "the book"),

    step(Nightly, "cargo test -p crd-tests --test combinations -- --ignored --skip with_every_combination", "types of demanding public CRDs compile without warnings, and keep all values of real objects"),
    step(Nightly, "cargo test -p crd-tests --test combinations -- --ignored with_every_combination --nocapture", "types of demanding public CRDs with all combinations of options; hours; COMBINATIONS=3,12 and DEFINITIONS=istio,kafkas choose some"),
    step(Nightly, "cargo test --release -p crd-codegen --test random_changes -- --ignored --nocapture", "random changes of public CRDs rename no type"),
    step(Nightly, "cargo test --release -p crd-tests --test corpus_generate -- --ignored", "types of all public CRDs"),
    step(Nightly, "cargo test --release -p crd-tests --test round_trip -- --ignored", "the CRDs of derived types equal the public CRDs from which the types were generated"),
    step(Nightly, "DERIVED_TYPES=10000 DERIVED_TYPES_OBJECTS=500 cargo test -p crd-tests --test derived_types -- --ignored --nocapture", "ten thousand random types with the derives read what their schemas accept, and write what their schemas accept; takes hours"),
    step(Nightly, "cargo test -p crd-tests --test generated_types -- --ignored", "types of random CRDs keep all values that the API server stores"),
    step(Nightly, "CRD_DOCS_READERS=required CRD_DOCS_DESCRIPTIONS=50000 CRD_DOCS_SEED=2 cargo test -p crd-docs --test markdown -- --ignored --nocapture", "Markdown pages with more random descriptions"),
    step(Nightly, "cargo test -p crd-docs --test json_schema -- --ignored _corpus_", "stored and generated objects, validated with our JSON Schemas"),
    step(Nightly, "cargo test --release -p crd-editor --test robust -- --ignored", "public CRDs that are cut and edited, with the requests of an editor at each key"),
    step(Nightly, "tests/editor/beside", "findings of `crdkit lsp` and of yaml-language-server in the same files; needs Python and Node.js"),
    step(Nightly, "tests/editor/vscode/test", "the types, the package and the start of the extension for Visual Studio Code; needs Node.js"),
    step(Nightly, "crd-docs/tests/json_schema/readers", "the same generated objects, validated with kubeconform and yaml-language-server; needs Go and Node.js"),
    step(Nightly, "cargo test --release -p crd-sample --test corpus -- --ignored --nocapture", "real CRDs have samples"),
    step(Nightly, "cargo test --release -p crd-lint --test corpus -- --ignored --nocapture", "lint finds as many faults in real CRDs as recorded, and the API server accepts its fixes, which change only what they describe"),
    step(Nightly, "CRD_DIFF_PAIRS=1000 CRD_DIFF_OBJECTS=2000 CRD_DIFF_SEED=7 cargo test --release -p crd-diff --test changes -- --ignored many_objects", "random changes of the project's own CRDs and of real ones, tested with random objects and edits"),
    step(Nightly, "cargo test --release -p crd-diff --test changes -- --ignored --nocapture findings_of_real", "compares the versions of real CRDs with each other; `tests/conformance/changes/record` shows how a server confirms the witnesses"),
    step(Nightly, "tests/packages/projects", "packages for ten public projects, compared with kopium's types; `--form derive` and `--form kube` make packages of another form"),
    step(Nightly, "cargo test --manifest-path tests/kopium/Cargo.toml", "the programs of the book with kopium's types"),
    step(Nightly, "cargo test -p crd-tests --test kubernetes_types -- --ignored", "the table of the types of k8s-openapi agrees with the sources and the code of k8s-openapi"),
    step(Nightly, "CRD_E2E_KUBE=1.30 cargo test -p crd-tests -p crd-tests-clients --features e2e --test e2e --test e2e_gates --test e2e_corpus --test shapes_e2e --test e2e_clients --test e2e_derived --test e2e_cluster", "tests against a server of another version, which is built once"),
    step(Nightly, "CRD_E2E_KUBE=1.30 CRD_DIFFERENTIAL_SECONDS=1800 cargo test -p crd-tests --features e2e --test e2e_differential -- --ignored --nocapture", "random CRDs and objects, sent to the real server and to crdkit"),
    step(Nightly, "CRD_E2E_KUBE=1.37 cargo test -p crd-tests --features e2e --test e2e_kubectl --test e2e_go -- --nocapture", "kubectl and client-go against a real server and `crdkit serve`"),
    step(Nightly, "CRD_E2E_KUBECTL=1.29 cargo test -p crd-tests --features e2e --test e2e_kubectl -- --nocapture", "an older kubectl, against kube-apiserver and `crdkit serve`"),
    step(Nightly, "CRD_E2E_KUBECTL=1.27 cargo test -p crd-tests --features e2e --test e2e_kubectl -- --nocapture", "a kubectl that reads `/openapi/v2`, against kube-apiserver and `crdkit serve`"),
    step(Nightly, "CRD_E2E=required cargo test -p crd-tests --features e2e --test e2e_kubectl -- --ignored --nocapture", "Helm with a chart of an operator, against kube-apiserver and `crdkit serve`"),
    step(Nightly, "crd-server/tests/openapi/readers/run", "generators of TypeScript and Python read `/openapi/v3`, and their clients work; needs Node.js and Python"),
    step(Nightly, "crd-server/tests/clients/run", "clients in five languages, and the tests of controller-runtime and kube, against `crdkit serve`; the file names the suites; needs Go, Node.js, Python, Java and Maven"),
    step(Nightly, "CRD_SESSIONS_SECONDS=600 cargo test -p crd-tests --features e2e --test e2e_sessions -- --ignored --nocapture", "random sessions about objects and about CRDs, sent to the real server and to `crd-server`"),
    step(Nightly, "tests/housekeeping/public", "no type of another project in a public signature, except those that the file lists"),
    step(Nightly, "cargo deny check", "licenses, sources and advisories of dependencies; needs `cargo install cargo-deny --locked`"),

    step(Fuzz, "fuzz/seeds", "writes the project's own CRDs, rules and objects as seeds for the targets below"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run check_yaml -- -max_total_time=600 -timeout=5 -max_len=4096", "reads bytes as CRDs, and checks them"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run cel_rule -- -max_total_time=600 -timeout=5 -max_len=4096", "compiles strings as rules, and estimates their cost"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run cel_object -- -max_total_time=600 -timeout=10 -max_len=4096", "runs rules on objects, alone and in CRDs"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run cel_typed -- -max_total_time=600 -timeout=5 -max_len=512", "builds well-typed expressions from the table of overloads, and compares checker, cost, program and value with their type"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run validate_object -- -max_total_time=600 -timeout=10 -max_len=16384", "validates bytes as objects of twenty CRDs, and validates the stored objects again"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run schema_and_object -- -max_total_time=600 -timeout=10 -max_len=4096 -len_control=0", "builds a CRD and objects that mostly fit it, validates them, and validates the stored objects again"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run generated_types -- -max_total_time=600 -timeout=5 -max_len=1024 -len_control=0", "reads and writes stored objects with generated types"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run documentation -- -max_total_time=600 -timeout=10 -max_len=1024", "puts texts at all places of a CRD, and reads the generated documentation as rustdoc does"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run generated_code -- -max_total_time=600 -timeout=10 -max_len=4096 -len_control=0", "builds a CRD and options, and checks that generated code parses and has no duplicate names"),

    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run pages -- -max_total_time=600 -timeout=5 -max_len=4096", "puts texts on pages of documentation, and reads the pages with parsers of Markdown and HTML"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run requests -- -max_total_time=600 -timeout=10 -max_len=4096", "sends requests to the test server"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run patches -- -max_total_time=600 -timeout=10 -max_len=4096", "patches a custom resource, its status, a Deployment and a CRD in the test server"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run json_path -- -max_total_time=600 -timeout=5 -max_len=1024", "follows paths of printer columns in objects"),
    step(Fuzz, "RUSTC_BOOTSTRAP=1 cargo fuzz run git_trees -- -max_total_time=600 -timeout=10 -max_len=256", "reads commits with trees that git itself would not write"),

    step(Bench, "cargo bench --manifest-path tests/benchmarks/Cargo.toml", "comparisons with other projects"),
    step(Bench, "cargo bench -p crd-codegen --bench check", "checks of real CRDs, and of schemas of increasing size"),
    step(Bench, "cargo test --release -p crd-server --test client -- --ignored --nocapture", "creates and reads of `crd-server` per second"),

    step(Bench, "cargo build --release -p crdkit-cli --bin crdkit", "builds the command for the next test"),
    step(Bench, "cargo run --release -p crd-server --example load -- target/release/crdkit", "load on `crdkit serve`, with limits of time and memory: pages of 100,000 objects, deletions, patches of one object, and ten minutes of 50 watches and 20 writers; runs only on Linux; its source names the parts"),

    step(Record, "tests/conformance/sessions/record.py", "sessions of `crd-server`: KUBECONFIG, as `tests/crdserver` prints it; or KUBECONFIG built-in, with the kubeconfig of `tests/apiserver`"),
    step(Record, "tests/conformance/changes/record", "the witnesses of changes; its source explains the arguments KUBECONFIG and PLAN"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that CI runs the test commands in the README, because people copy them.
    #[test]
    fn the_commands_of_the_readme_are_steps() {
        let readme = include_str!("../../README.md");
        let commands =
            readme.lines().filter(|line| line.starts_with("cargo test ") || line.starts_with("cargo run "));
        let mut count = 0;
        for line in commands {
            count += 1;
            let command =
                line.split(" # ").next().unwrap_or(line).split(" | ").next().unwrap_or(line).trim_end();
            assert!(STEPS.iter().any(|step| step.command == command), "no task runs: {command}");
        }
        assert_eq!(count, 3, "the README has lost its commands");
    }

    /// Checks that commands need no shell, because they are split at spaces and run directly.
    #[test]
    fn commands_need_no_shell() {
        for step in STEPS {
            assert!(!step.command.contains(['"', '\'', '|', '&', ';', '$', '(']), "{}", step.command);
        }
    }
}
