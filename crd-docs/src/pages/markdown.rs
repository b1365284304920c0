//! Pages in Markdown that mdBook, Docusaurus (MDX) and Hugo read alike. Every text of a definition passes through [`text`], [`code`] or
//! [`code_block`].

use crd_core::CustomResourceDefinition;

use super::description::{self, Block, Inline, is_web, visible};
use super::facts::{self, Fact};
use super::field::{self, Field};
use super::kind::{self, PageVersion};
use super::{PageEntry, PageSample};

/// Returns the page of a kind.
pub(super) fn page(
    crd: &CustomResourceDefinition,
    versions: &[PageVersion<'_>],
    samples: &[PageSample],
) -> String {
    let mut out = format!("# {}\n\n", text(&crd.spec.names.kind));
    labels(&kind::names(crd), &mut out);
    out += "## Commands {#kubectl-commands}\n\n";
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
    *out += &format!("## {} {{#version.{}}}\n\n", text(&api_version), field::segment(&version.name));
    labels(&kind::version_facts(version), out);
    if let Some(schema) = &one.schema {
        blocks(&description::read(schema.generic.description.as_deref().unwrap_or_default()), "", out);
        facts(&facts::of_root(schema), out);
        for field in &field::fields(schema, &one.prefix) {
            write_field(field, one, out);
        }
    } else {
        *out += "The version has no schema.\n\n";
    }
    if !one.gone.is_empty() {
        *out += "Fields of the version before that are gone:\n\n";
        one.gone.iter().for_each(|path| *out += &format!("- {}\n", code(path)));
        *out += "\n";
    }
    let columns = one.version.additional_printer_columns.as_deref().unwrap_or_default();
    if !columns.is_empty() {
        *out += "Printer columns:\n\n";
    }
    for column in columns {
        let wide = if column.priority.unwrap_or_default() > 0 { ", with `-o wide`" } else { "" };
        let (name, type_, path) = (text(&column.name), text(&column.type_), code(&column.json_path));
        *out += &format!("- {name} ({type_}{wide}): {path} {}\n", text(&column.description));
    }
    *out += if columns.is_empty() { "" } else { "\n" };
    for sample in samples.iter().filter(|sample| sample.version == version.name) {
        *out += "A valid object:\n\n";
        *out += &code_block(&sample.yaml, "yaml");
    }
}

fn write_field(field: &Field<'_>, one: &PageVersion<'_>, out: &mut String) {
    *out += &format!("### {} {{#{}}}\n\n{}", text(&field.path), field.anchor, text(&field.type_));
    *out += if field.is_required { ", required" } else { "" };
    if let Some(since) = one.since(&field.path) {
        *out += &format!(", since {}", text(since));
    }
    *out += if field.is_deprecated() { ", deprecated" } else { "" };
    *out += "\n\n";
    blocks(&description::read(field.description), "", out);
    blocks(field.reference.as_slice(), "", out);
    facts(&field.facts, out);
    for below in &field.fields {
        write_field(below, one, out);
    }
}

fn labels(labels: &[(&str, String)], out: &mut String) {
    for (label, value) in labels {
        *out += &format!("- {label}: {}\n", text(value));
    }
    *out += if labels.is_empty() { "" } else { "\n" };
}

fn facts(facts: &[Fact], out: &mut String) {
    for fact in facts {
        let codes: Vec<String> = fact.codes.iter().map(|one| code(one)).collect();
        let words = text(&fact.text);
        let parts = [codes.join(", "), words];
        let shown: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        *out += &format!("- {}: {}\n", fact.label, shown.join(" – "));
    }
    *out += if facts.is_empty() { "" } else { "\n" };
}

fn blocks(blocks_: &[Block], indent: &str, out: &mut String) {
    for block in blocks_ {
        match block {
            Block::Paragraph(inlines) => {
                let line: String = inlines.iter().map(inline).collect();
                *out += &format!("{indent}{}\n\n", line.trim());
            }
            Block::Code(text) => {
                for line in code_block(text, "").lines() {
                    *out += &format!("{indent}{line}\n");
                }
                *out += "\n";
            }
            Block::List(items) => {
                for item in items {
                    let mut inside = String::new();
                    blocks(item, &format!("{indent}  "), &mut inside);
                    let start = indent.len() + 2;
                    *out += &format!("{indent}- {}", inside.get(start..).unwrap_or("\n"));
                }
                *out += "\n";
            }
        }
    }
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Text(content) => text(content),
        Inline::Code(content) => code(content),
        Inline::Link { url, text: content } => link(url, content),
    }
}

/// Returns a link; its address has no character that ends it.
fn link(url: &str, content: &str) -> String {
    if !is_web(url) {
        return text(content);
    }
    let address: String = url
        .chars()
        .map(|char| match char {
            'a'..='z'
            | 'A'..='Z'
            | '0'..='9'
            | '-'
            | '.'
            | '_'
            | '~'
            | ':'
            | '/'
            | '?'
            | '#'
            | '@'
            | '!'
            | '$'
            | '&'
            | '+'
            | ','
            | ';'
            | '='
            | '%' => char.to_string(),
            other => other.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
        })
        .collect();
    format!("[{}]({address})", text(content))
}

/// Returns a text in one line, in which no character has a meaning.
fn text(content: &str) -> String {
    let content = visible(content);
    let mut out = String::new();
    for word in content.split([' ', '\n', '\t']).filter(|word| !word.is_empty()) {
        let space = if out.is_empty() { "" } else { " " };
        out += space;
        // MDX reads lines that begin with these words as code.
        let is_code = space.is_empty() && (word.starts_with("import") || word.starts_with("export"));
        for (index, char) in word.chars().enumerate() {
            match char {
                // Entities, because templates of sites read braces before Markdown is read.
                _ if is_code && index == 0 => out += &format!("&#{};", u32::from(char)),
                '{' | '}' | '<' | '>' | '&' | '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '$'
                | '!' | '"' | '\'' | '=' | '+' | '^' => out += &format!("&#{};", u32::from(char)),
                '-' | ':' if index == 0 => out += &format!("&#{};", u32::from(char)),
                '.' | ')' if index > 0 && word.bytes().take(index).all(|byte| byte.is_ascii_digit()) => {
                    out += &format!("&#{};", u32::from(char));
                }
                _ => out.push(char),
            }
        }
    }
    // Spaces around code and links stay.
    let before = content.starts_with([' ', '\n', '\t']) && !out.is_empty();
    let after = content.ends_with([' ', '\n', '\t']);
    format!("{}{out}{}", if before { " " } else { "" }, if after { " " } else { "" })
}

/// Returns `true` for texts that templates of sites would read even within code: `{{ }}` of Hugo and mdBook, `{% %}` of Jekyll.
fn is_template(content: &str) -> bool {
    content.contains("{{") || content.contains("{%")
}

/// Returns code within a line.
fn code(content: &str) -> String {
    let content = visible(content);
    let line: Vec<&str> = content.split(['\n', '\t']).map(str::trim).collect();
    let line = line.join(" ");
    if is_template(&line) || line.trim().is_empty() {
        return text(&format!("\"{line}\""));
    }
    let fence = "`".repeat(longest_run(&line) + 1);
    let space = if line.starts_with([' ', '`']) || line.ends_with([' ', '`']) { " " } else { "" };
    format!("{fence}{space}{line}{space}{fence}")
}

/// Returns a block of code.
fn code_block(content: &str, language: &str) -> String {
    let content = visible(content);
    let content = content.trim_end_matches('\n');
    if is_template(content) {
        // Lines of text with spaces that stay, because nothing in code can be escaped.
        let line = |line: &str| {
            let spaces = line.len() - line.trim_start_matches(' ').len();
            format!("{}{}", "&#160;".repeat(spaces), text(line.trim()))
        };
        return content.lines().map(line).collect::<Vec<_>>().join("\\\n") + "\n\n";
    }
    let fence = "`".repeat((longest_run(content) + 1).max(3));
    format!("{fence}{language}\n{content}\n{fence}\n\n")
}

fn longest_run(content: &str) -> usize {
    content.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}
