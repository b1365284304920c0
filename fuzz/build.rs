//! Generates types for random definitions, the same in every build, for the target `generated_types`: `generated_types.rs` in
//! `OUT_DIR`.

#[path = "fuzz_targets/structural/made.rs"]
mod made;
#[path = "fuzz_targets/structural/mod.rs"]
#[allow(dead_code, unused_imports)]
mod structural;

use std::fmt::Write as _;
use std::path::PathBuf;

use crd_codegen::{
    BytesType, Config, Defaults, Definition, Layout, MapType, NumberType, Origin, ProblemSeverity, generate,
};

/// The number of definitions, and their seed.
const DEFINITIONS: usize = 24;
const SEED: u64 = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fuzz_targets/structural");
    let mut random = made::Random(SEED);
    let (mut texts, mut definitions) = (Vec::new(), Vec::new());
    while definitions.len() < DEFINITIONS {
        let at = definitions.len();
        let Some((text, crd)) = made::definition(at, &mut random) else { continue };
        definitions.push(Definition { crd, origin: Origin { file: format!("{at}.json"), document: 0 } });
        texts.push(text.to_string());
    }
    let mut others = Config::new();
    others.unions(true).constructors(true).setters(true).apply(true).open_enums(true).explicit_null(true);
    others
        .numbers(NumberType::Exact)
        .map_type(MapType::Hash)
        .bytes(BytesType::Bytes)
        .defaults(Defaults::Schema);
    let mut file = String::new();
    for (name, mut config) in [("usual", Config::new()), ("others", others)] {
        let types = types(&definitions, config.layout(Layout::SingleFile));
        let _ = writeln!(file, "#[allow(dead_code)]\npub mod {name} {{\n{types}\n}}");
    }
    file += "pub static KINDS: &[super::Kind] = &[\n";
    for (at, text) in texts.iter().enumerate() {
        let _ = writeln!(
            file,
            "    super::Kind {{ definition: {text:?}, usual: super::again::<usual::g{at}_example_com::v1::f::F>, \
             others: super::again::<others::g{at}_example_com::v1::f::F>, \
             applied: super::again::<others::g{at}_example_com::v1::f::FApply> }},"
        );
    }
    file += "];\n";
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo runs this"));
    std::fs::write(out.join("generated_types.rs"), file).expect("the target folder can be written");
}

fn types(definitions: &[Definition], config: &Config) -> String {
    let generated = generate(definitions, config);
    if let Some(error) = generated.findings.iter().find(|finding| finding.severity == ProblemSeverity::Error) {
        panic!("{}", error.diagnostic);
    }
    generated.files[0].contents.clone()
}
