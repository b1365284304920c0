//! Random enums.

use std::fmt::Write as _;

use crate::types::{Attributes, CASES, Maker, Type};

const EXTERNAL: &str = "external enum";
const INTERNAL: &str = "internal enum";
const ADJACENT: &str = "adjacent enum";
const UNTAGGED: &str = "untagged enum";

const VARIANTS: [&str; 8] = ["Red", "DarkBlue", "Off", "HttpGet", "Exec", "All", "Tcp4", "None"];

impl Maker<'_> {
    /// Returns an enum of unit variants, which can be a key of a map.
    pub(crate) fn unit_enum(&mut self, is_key: bool) -> String {
        let name = self.next_name();
        let mut variants = VARIANTS.to_vec();
        let mut attributes = Attributes::default();
        if self.random.one_in(2) {
            let case = self.random.item(&CASES);
            attributes.add("rename_all", format!("serde(rename_all = \"{case}\")"));
        }
        let mut lines = String::new();
        let count = 1 + self.random.below(4);
        for at in 0..count {
            let variant = variants.remove(self.random.below(variants.len()));
            let mut inner = Attributes::default();
            self.variant_attributes(&mut inner, at + 1 == count, true);
            let mut things = attributes.names();
            things.extend(inner.names());
            things.push("unit variant".to_owned());
            self.coverage.add(&things);
            let _ = writeln!(lines, "{}    {variant},", inner.lines("    "));
        }
        let order = if is_key { ", PartialEq, Eq, PartialOrd, Ord, Hash" } else { "" };
        let _ = writeln!(
            self.items,
            "#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug{order})]\n{}pub(crate) enum {name} {{\n{lines}}}",
            attributes.lines("")
        );
        name
    }

    fn variant_attributes(&mut self, attributes: &mut Attributes, is_last: bool, is_unit: bool) {
        if self.random.one_in(6) {
            let name = self.random.item(&["renamed", "other-name", "X", "1"]);
            attributes.add("variant rename", format!("serde(rename = \"{name}\")"));
        }
        if self.random.one_in(10) {
            attributes.add("variant alias", "serde(alias = \"alias\")".to_owned());
        }
        if !is_last && self.random.one_in(25) {
            attributes.add("variant skip", "serde(skip)".to_owned());
            self.is_lossy = true;
        }
        if is_last && is_unit && self.random.one_in(8) {
            attributes.add("other", "serde(other)".to_owned());
            self.is_lossy = true;
        }
    }

    /// Returns an enum with variants of all shapes.
    pub(crate) fn enumeration(&mut self, depth: usize, is_flattened: bool) -> Type {
        let mut attributes = Attributes::default();
        let form = self.form(&mut attributes);
        if self.random.one_in(2) {
            let case = self.random.item(&CASES);
            attributes.add("rename_all", format!("serde(rename_all = \"{case}\")"));
        }
        if self.random.one_in(4) {
            let case = self.random.item(&CASES);
            attributes.add("rename_all_fields", format!("serde(rename_all_fields = \"{case}\")"));
        }
        if self.random.one_in(10) {
            attributes.add("deny_unknown_fields", "serde(deny_unknown_fields)".to_owned());
        }
        let name = self.next_name();
        let mut variants = VARIANTS.to_vec();
        let mut lines = String::new();
        let count = 1 + self.random.below(4);
        for at in 0..count {
            let variant = variants.remove(self.random.below(variants.len()));
            let mut inner = Attributes::default();
            // An untagged enum of unit variants is an error; serde flattens variants with a name.
            let least =
                if is_flattened && form != INTERNAL { 2 } else { usize::from(form == UNTAGGED && at == 0) };
            let shape = least + self.random.below(4 - least);
            self.variant_attributes(&mut inner, at + 1 == count, shape == 0);
            let body = self.body(shape, (form, depth, is_flattened), &attributes, &mut inner);
            let _ = writeln!(lines, "{}    {variant}{body},", inner.lines("    "));
        }
        let _ = writeln!(
            self.items,
            "#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]\n{}pub(crate) enum {name} {{\n{lines}}}",
            attributes.lines("")
        );
        Type { text: name, kind: form, has_default: false }
    }

    /// Returns the way in which serde writes the enum.
    fn form(&mut self, attributes: &mut Attributes) -> &'static str {
        let form = self.random.item(&[EXTERNAL, INTERNAL, ADJACENT, UNTAGGED]);
        // serde ignores the fields of other variants.
        self.is_lossy |= form != EXTERNAL;
        match form {
            INTERNAL => {
                let tag = self.random.item(&["type", "kindOf", "mode"]);
                attributes.add("tag", format!("serde(tag = \"{tag}\")"));
            }
            ADJACENT => {
                let content = self.random.item(&["content", "value", "spec"]);
                attributes.add("content", format!("serde(tag = \"type\", content = \"{content}\")"));
            }
            UNTAGGED => attributes.add("untagged", "serde(untagged)".to_owned()),
            _ => {}
        }
        form
    }

    /// Returns the fields of a variant, and counts what is at it.
    fn body(
        &mut self,
        shape: usize,
        (form, depth, is_flattened): (&'static str, usize, bool),
        attributes: &Attributes,
        inner: &mut Attributes,
    ) -> String {
        let mut things = attributes.names();
        things.push(format!("type {form}"));
        let body = match shape {
            0 => {
                things.push("unit variant".to_owned());
                String::new()
            }
            1 | 2 if shape == 1 || is_flattened => {
                things.push("newtype variant".to_owned());
                let is_struct = form == INTERNAL || is_flattened;
                let inner = if is_struct { self.structure(depth + 1) } else { self.ty(depth + 1) };
                // No schema says that a field is null in one variant alone, nor which keys a map has in one variant alone.
                let is_map_or_option = inner.kind == "option" || inner.kind.starts_with("map");
                self.is_open |= matches!(form, ADJACENT | UNTAGGED) && is_map_or_option;
                format!("({})", inner.text)
            }
            _ => {
                if self.random.one_in(6) {
                    let case = self.random.item(&CASES);
                    inner.add("variant rename_all", format!("serde(rename_all = \"{case}\")"));
                }
                let (fields, all) = self.fields(depth + 1, false, "", attributes.has("deny_unknown_fields"));
                for mut field in all {
                    field.extend(attributes.names());
                    field.extend(inner.names());
                    field.push("struct variant".to_owned());
                    self.coverage.add(&field);
                }
                things.push("struct variant".to_owned());
                format!(" {{\n{fields}}}")
            }
        };
        things.extend(inner.names());
        self.coverage.add(&things);
        body
    }
}
