//! Pages in HTML. Every text from a CRD is written with [`Page::text`].

use crd_core::CustomResourceDefinition;
use pulldown_cmark_escape::escape_html;

use super::description::{self, Block, Inline, is_web};
use super::facts::{self, Fact};
use super::field::{self, Field};
use super::kind::{self, PageVersion};
use super::{PageEntry, PageSample};

/// Fields deeper than this are shown next to their parents, because browsers reject deeper trees.
const DEEPEST: usize = 64;
/// Fields above this depth are expanded.
const UNFOLDED: usize = 2;

/// Returns a kind's page.
pub(super) fn page(
    crd: &CustomResourceDefinition,
    versions: &[PageVersion<'_>],
    samples: &[PageSample],
) -> String {
    let kind = &crd.spec.names.kind;
    let mut page = Page::new(kind, "../");
    page.raw("<header><p><a href=\"../index.html\">All kinds</a></p><h1>").text(kind).raw("</h1>");
    page.raw("<p class=\"tools\"><input id=\"page:filter\" type=\"search\" placeholder=\"Filter fields\" aria-label=\"Filter fields\"> ");
    page.raw("<button type=\"button\" id=\"page:unfold\">Unfold all</button> <button type=\"button\" id=\"page:fold\">Fold all</button> ");
    page.raw("<button type=\"button\" id=\"page:theme\">Dark or light</button></p></header><main>");
    page.labels(&kind::names(crd));
    if versions.len() > 1 {
        page.raw("<nav aria-label=\"Versions\">Versions:");
        for one in versions {
            page.raw(" <a href=\"#version:").raw(&field::segment(&one.version.name)).raw("\">");
            page.text(&one.version.name).raw("</a>");
        }
        page.raw("</nav>");
    }
    page.raw("<h2>Commands</h2>").code_block(&kind::commands(crd, versions));
    for one in versions {
        page.version(crd, one, samples);
    }
    page.end()
}

/// Returns the index of all kinds.
pub(super) fn index(entries: &[&PageEntry]) -> String {
    let mut page = Page::new("Kinds", "");
    page.raw("<header><h1>Kinds</h1><p class=\"tools\"><input id=\"page:filter\" type=\"search\" placeholder=\"Search kinds\" ");
    page.raw("aria-label=\"Search kinds\"> <button type=\"button\" id=\"page:theme\">Dark or light</button></p></header><main>");
    let mut group = "";
    for entry in entries {
        if group != entry.group {
            page.raw(if group.is_empty() { "" } else { "</ul></section>" });
            page.raw("<section class=\"group\"><h2>").text(&entry.group).raw("</h2><ul class=\"kinds\">");
            group = &entry.group;
        }
        let words = format!("{} {} {}", entry.kind, entry.group, entry.names).to_lowercase();
        page.raw("<li data-words=\"").text(&words).raw("\"><a href=\"").text(&entry.path()).raw("\">");
        page.text(&entry.kind).raw("</a> <span>").text(&entry.summary).raw("</span></li>");
    }
    page.raw(if group.is_empty() { "" } else { "</ul></section>" });
    page.end()
}

struct Page(String);

impl Page {
    fn new(title: &str, up: &str) -> Self {
        let mut page = Self(String::new());
        page.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
        page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>")
            .text(title);
        page.raw("</title><link rel=\"stylesheet\" href=\"").raw(up).raw("style.css\"><script defer src=\"");
        page.raw(up).raw("script.js\"></script></head><body>\n");
        page
    }

    fn end(mut self) -> String {
        self.raw("<p id=\"page:nothing\" hidden>Nothing matches.</p></main></body></html>\n");
        self.0
    }

    /// Writes markup.
    fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Writes a text between tags or in a quoted attribute.
    fn text(&mut self, text: &str) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = escape_html(&mut self.0, &description::visible(text));
        self
    }

    fn code(&mut self, text: &str) -> &mut Self {
        self.raw("<code>").text(text).raw("</code>")
    }

    fn code_block(&mut self, text: &str) -> &mut Self {
        // A line feed after the start tag would be dropped.
        self.raw("<pre tabindex=\"0\"><code>").text(text).raw("</code></pre>")
    }

    fn labels(&mut self, labels: &[(&str, String)]) {
        if labels.is_empty() {
            return;
        }
        self.raw("<dl>");
        for (label, value) in labels {
            self.raw("<dt>").text(label).raw("</dt><dd>").text(value).raw("</dd>");
        }
        self.raw("</dl>");
    }

    fn version(&mut self, crd: &CustomResourceDefinition, one: &PageVersion<'_>, samples: &[PageSample]) {
        let version = one.version;
        self.raw("<section class=\"version\" id=\"version:")
            .raw(&field::segment(&version.name))
            .raw("\"><h2>");
        self.text(&format!("{}/{}", crd.spec.group, version.name)).raw("</h2>");
        self.labels(&kind::version_facts(version));
        if let Some(schema) = &one.schema {
            self.blocks(&description::read(schema.generic.description.as_deref().unwrap_or_default()));
            self.facts(&facts::for_root(schema));
            self.raw("<h3>Fields</h3>");
            for field in &field::fields(schema, &one.prefix) {
                self.field(field, one, 0);
            }
        } else {
            self.raw("<p>The version has no schema.</p>");
        }
        if !one.gone.is_empty() {
            self.raw("<h3>Removed fields of the previous version</h3><ul>");
            for path in &one.gone {
                self.raw("<li>").code(path).raw("</li>");
            }
            self.raw("</ul>");
        }
        self.columns(one);
        for sample in samples.iter().filter(|sample| sample.version == version.name) {
            self.raw("<h3>A valid object</h3>").code_block(&sample.yaml);
        }
        self.raw("</section>");
    }

    fn columns(&mut self, one: &PageVersion<'_>) {
        let columns = one.version.additional_printer_columns.as_deref().unwrap_or_default();
        if columns.is_empty() {
            return;
        }
        self.raw("<h3>Printer columns</h3><div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Column</th><th>Type</th><th>Path</th>");
        self.raw("<th>Shown</th><th>Description</th></tr></thead><tbody>");
        for column in columns {
            self.raw("<tr><td>").text(&column.name).raw("</td><td>").text(&column.type_).raw("</td><td>");
            self.code(&column.json_path).raw("</td><td>");
            self.raw(if column.priority.unwrap_or_default() > 0 { "with -o wide" } else { "always" })
                .raw("</td><td>");
            self.text(&column.description).raw("</td></tr>");
        }
        self.raw("</tbody></table></div>");
    }

    fn field(&mut self, field: &Field<'_>, one: &PageVersion<'_>, depth: usize) {
        let open = if depth < UNFOLDED { " open" } else { "" };
        self.raw("<details class=\"field\" id=\"")
            .raw(&field.anchor)
            .raw("\"")
            .raw(open)
            .raw("><summary><code>");
        self.text(field.name).raw("</code> <span class=\"type\">").text(&field.type_).raw("</span>");
        self.raw(if field.is_required { " <b class=\"flag\">required</b>" } else { "" });
        if let Some(since) = one.since(&field.path) {
            self.raw(" <b class=\"flag\">since ").text(since).raw("</b>");
        }
        if field.is_deprecated() {
            self.raw(" <b class=\"flag\">deprecated</b>");
        }
        self.raw("</summary><div class=\"body\"><p class=\"path\"><a href=\"#").raw(&field.anchor).raw("\">");
        self.code(&field.path).raw("</a></p>");
        self.blocks(&description::read(field.description));
        self.blocks(field.reference.as_slice());
        self.facts(&field.facts);
        if depth >= DEEPEST {
            self.raw("</div></details>");
        }
        for below in &field.fields {
            self.field(below, one, depth + 1);
        }
        if depth < DEEPEST {
            self.raw("</div></details>");
        }
    }

    fn facts(&mut self, facts: &[Fact]) {
        if facts.is_empty() {
            return;
        }
        self.raw("<dl>");
        for fact in facts {
            self.raw("<dt>").text(fact.label).raw("</dt><dd>");
            for code in &fact.codes {
                if is_web(code) && fact.label == "See also" {
                    self.link(code, code);
                } else {
                    self.code(code);
                }
                self.raw(" ");
            }
            self.text(&fact.text).raw("</dd>");
        }
        self.raw("</dl>");
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Paragraph(inlines) => {
                    self.raw("<p>");
                    inlines.iter().for_each(|inline| self.inline(inline));
                    self.raw("</p>");
                }
                Block::Code(code) => {
                    self.code_block(code);
                }
                Block::List(items) => {
                    self.raw("<ul>");
                    for item in items {
                        self.raw("<li>").blocks(item);
                        self.raw("</li>");
                    }
                    self.raw("</ul>");
                }
            }
        }
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::Text(text) => self.text(text),
            Inline::Code(code) => self.code(code),
            Inline::Link { url, text } => self.link(url, text),
            Inline::Break => self.raw(" "),
        };
    }

    /// Writes a link to an address that [`is_web`] accepts.
    fn link(&mut self, url: &str, text: &str) -> &mut Self {
        self.raw("<a rel=\"nofollow noopener noreferrer\" href=\"")
            .text(url)
            .raw("\">")
            .text(text)
            .raw("</a>")
    }
}
