//! Reference pages for kinds, in Markdown or HTML.
//!
//! All texts from a CRD are treated as hostile. They cannot add markup, scripts, or links other than `http` and `https` links.

mod description;
mod examples;
mod facts;
mod field;
mod html;
mod kind;
mod kubernetes;
mod markdown;
mod size;

use crd_core::CustomResourceDefinition;
use crd_go::names::{is_dns_1123_label, is_dns_1123_subdomain};

pub use examples::{PageExample, examples};
pub use size::PageTooLarge;

/// A format of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageFormat {
    /// A site with search, and with light and dark colors. It needs no network.
    #[default]
    Html,
    /// Markdown for mdBook, Docusaurus and Hugo. It contains no HTML, and braces only in the `{#anchors}` of headings.
    Markdown,
}

/// A valid object to show on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageSample {
    /// The version of the object.
    pub version: String,
    /// The object in YAML.
    pub yaml: String,
}

/// A kind in the index of pages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageEntry {
    group: String,
    kind: String,
    file: String,
    summary: String,
    names: String,
}

impl PageEntry {
    /// Returns the entry for a CRD, or `None` if the group or the kind cannot be used in a path.
    ///
    /// ```
    /// use crd_core::CustomResourceDefinition;
    /// use crd_docs::pages::{PageEntry, PageFormat};
    ///
    /// let names = |kind| serde_json::json!({"spec": {"group": "example.com", "names": {"kind": kind}}});
    /// let shirt = CustomResourceDefinition::from_value(names("Shirt"))?;
    /// assert_eq!(PageEntry::for_crd(&shirt, PageFormat::Html).unwrap().path(), "example.com/shirt.html");
    ///
    /// let hostile = CustomResourceDefinition::from_value(names("../Shirt"))?;
    /// assert!(PageEntry::for_crd(&hostile, PageFormat::Html).is_none());
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    #[must_use]
    pub fn for_crd(crd: &CustomResourceDefinition, format: PageFormat) -> Option<Self> {
        let (group, names) = (&crd.spec.group, &crd.spec.names);
        let stem = names.kind.to_lowercase();
        if !is_dns_1123_subdomain(group) || !is_dns_1123_label(&stem) {
            return None;
        }
        let extension = match format {
            PageFormat::Html => "html",
            PageFormat::Markdown => "md",
        };
        let short = names.short_names.iter().flatten();
        let all: Vec<&str> =
            [&names.plural, &names.singular].into_iter().chain(short).map(String::as_str).collect();
        Some(Self {
            group: group.clone(),
            kind: names.kind.clone(),
            file: format!("{stem}.{extension}"),
            summary: kind::summary(crd),
            names: all.join(" "),
        })
    }

    /// Returns the path to the page, relative to the directory of all pages.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}", group_directory(&self.group), self.file)
    }
}

/// Returns the name of the directory for a group's pages or schemas. This is the group, with an underscore appended if a shared file has
/// the same name. No group contains an underscore.
///
/// ```
/// use crd_docs::pages::group_directory;
///
/// assert_eq!(group_directory("stable.example.com"), "stable.example.com");
/// assert_eq!(group_directory("style.css"), "style.css_");
/// ```
#[must_use]
pub fn group_directory(group: &str) -> String {
    // Some file systems do not tell `Style.css` from `style.css`.
    let is_file = SHARED.iter().any(|file| file.eq_ignore_ascii_case(group));
    format!("{group}{}", if is_file { "_" } else { "" })
}

/// The shared files of pages and of JSON Schemas. They are next to the directories for groups.
const SHARED: [&str; 6] = ["index.html", "style.css", "script.js", "index.md", "all.json", "index.json"];

/// Returns a kind's page, with a section for each served version.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::pages::{PageFormat, page};
///
/// let crd = CustomResourceDefinition::from_value(serde_json::json!({"spec": {
///     "group": "stable.example.com",
///     "names": {"plural": "shirts", "kind": "Shirt"},
///     "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
///         "type": "object",
///         "properties": {"size": {"type": "integer", "minimum": 1, "description": "In <cm>."}},
///     }}}],
/// }}))?;
/// let text = page(&crd, &[], PageFormat::Markdown)?;
/// assert!(text.contains("{#size}"));
/// assert!(text.contains("In &#60;cm&#62;."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - The total length of the fields' paths is more than a few megabytes.
pub fn page(
    crd: &CustomResourceDefinition,
    samples: &[PageSample],
    format: PageFormat,
) -> Result<String, PageTooLarge> {
    size::check(crd)?;
    let versions = kind::versions(crd);
    Ok(match format {
        PageFormat::Html => html::page(crd, &versions, samples),
        PageFormat::Markdown => markdown::page(crd, &versions, samples),
    })
}

/// Returns the paths and contents of the files that all pages share: the index and, for a site, the style and the script.
#[must_use]
pub fn shared_files(entries: &[PageEntry], format: PageFormat) -> Vec<(&'static str, String)> {
    let mut entries: Vec<&PageEntry> = entries.iter().collect();
    entries.sort();
    match format {
        PageFormat::Html => vec![
            ("index.html", html::index(&entries)),
            ("style.css", include_str!("style.css").to_owned()),
            ("script.js", include_str!("script.js").to_owned()),
        ],
        PageFormat::Markdown => vec![("index.md", markdown::index(&entries))],
    }
}
