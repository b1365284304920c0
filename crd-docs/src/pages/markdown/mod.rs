//! Pages in Markdown that look the same in GitHub, mdBook, MkDocs, Docusaurus (MDX), VitePress, Jekyll and Hugo. Every text from a CRD is
//! written by [`write`].

mod tame;
mod write;

use crd_core::CustomResourceDefinition;
use crd_core::crd::PrinterColumn;

use self::write::{blocks, code_block, text};
use super::description::{self, Block, Inline};
use super::facts::{self, Fact};
use super::field::{self, Field};
use super::kind::{self, PageVersion};
use super::{PageEntry, PageSample};

/// Returns a kind's page.
pub(super) fn page(
    crd: &CustomResourceDefinition,
    versions: &[PageVersion<'_>],
    samples: &[PageSample],
) -> String {
    let mut out = format!("# {}\n\n", text(&crd.spec.names.kind));
    out += &labels(&kind::names(crd));
    out += "## Commands {#page:commands}\n\n";
    out += &code_block(&kind::commands(crd, versions), "");
    for one in versions {
        version(crd, one, samples, &mut out);
    }
    out
}

/// Returns the index of all kinds.
pub(super) fn index(entries: &[&PageEntry]) -> String {
    let (mut out, mut group) = ("# Kinds\n".to_owned(), "");
    for entry in entries {
        if group != entry.group {
            out += &format!("\n## {}\n\n", text(&entry.group));
            group = &entry.group;
        }
        out += &format!("- [{}]({}): {}\n", text(&entry.kind), entry.path(), text(&entry.summary));
    }
    out
}

fn version(crd: &CustomResourceDefinition, one: &PageVersion<'_>, samples: &[PageSample], out: &mut String) {
    let version = one.version;
    let api_version = format!("{}/{}", crd.spec.group, version.name);
    *out += &format!("## {} {{#version:{}}}\n\n", text(&api_version), field::segment(&version.name));
    *out += &labels(&kind::version_facts(version));
    if let Some(schema) = &one.schema {
        *out += &blocks(description::read(schema.generic.description.as_deref().unwrap_or_default()));
        *out += &facts(&facts::for_root(schema));
        for field in &field::fields(schema, &one.prefix) {
            write_field(field, one, out);
        }
    } else {
        *out += "The version has no schema.\n\n";
    }
    if !one.gone.is_empty() {
        *out += "Removed fields of the previous version:\n\n";
        *out += &list(one.gone.iter().map(|path| vec![Inline::Code(path.clone())]).collect());
    }
    let columns = one.version.additional_printer_columns.as_deref().unwrap_or_default();
    if !columns.is_empty() {
        *out += "Printer columns:\n\n";
    }
    *out += &list(columns.iter().map(column).collect());
    for sample in samples.iter().filter(|sample| sample.version == version.name) {
        *out += "A valid object:\n\n";
        *out += &code_block(&sample.yaml, "yaml");
    }
}

fn column(column: &PrinterColumn) -> Vec<Inline> {
    let mut line = vec![Inline::Text(format!("{} ({}", column.name, column.type_))];
    if column.priority.unwrap_or_default() > 0 {
        line.extend([Inline::Text(", with ".to_owned()), Inline::Code("-o wide".to_owned())]);
    }
    line.extend([Inline::Text("): ".to_owned()), Inline::Code(column.json_path.clone())]);
    line.push(Inline::Text(format!(" {}", column.description)));
    line
}

fn write_field(field: &Field<'_>, one: &PageVersion<'_>, out: &mut String) {
    *out += &format!("### {} {{#{}}}\n\n", text(&field.path), field.anchor);
    let mut words = field.type_.clone();
    words += if field.is_required { ", required" } else { "" };
    if let Some(since) = one.since(&field.path) {
        words += &format!(", since {since}");
    }
    words += if field.is_deprecated() { ", deprecated" } else { "" };
    *out += &blocks(vec![Block::Paragraph(vec![Inline::Text(words)])]);
    *out += &blocks(description::read(field.description));
    *out += &blocks(field.reference.iter().cloned().collect());
    *out += &facts(&field.facts);
    for below in &field.fields {
        write_field(below, one, out);
    }
}

fn labels(labels: &[(&str, String)]) -> String {
    let item = |(label, value): &(&str, String)| vec![Inline::Text(format!("{label}: {value}"))];
    list(labels.iter().map(item).collect())
}

fn facts(facts: &[Fact]) -> String {
    let item = |fact: &Fact| {
        let mut line = vec![Inline::Text(format!("{}: ", fact.label))];
        for (at, code) in fact.codes.iter().enumerate() {
            line.extend((at > 0).then(|| Inline::Text(", ".to_owned())));
            line.push(Inline::Code(code.clone()));
        }
        let dash = if fact.codes.is_empty() || fact.text.is_empty() { "" } else { " – " };
        line.push(Inline::Text(format!("{dash}{}", fact.text)));
        line
    };
    list(facts.iter().map(item).collect())
}

fn list(lines: Vec<Vec<Inline>>) -> String {
    blocks(vec![Block::List(lines.into_iter().map(|line| vec![Block::Paragraph(line)]).collect())])
}
