//! Random attributes of fields.

use crate::types::{Attributes, Maker, Type};

impl Maker<'_> {
    /// Adds attributes of serde, schemars and crdkit to a field.
    pub(crate) fn field_attributes(&mut self, ty: &Type, attributes: &mut Attributes, has_default: bool) {
        if self.random.one_in(10) {
            let renamed = self.random.item(&["renamed", "other-name", "X", "apiVersion", "$ref"]);
            attributes.add("rename", format!("serde(rename = \"{renamed}\")"));
        }
        if self.random.one_in(20) {
            attributes.add("alias", "serde(alias = \"alias\")".to_owned());
        }
        self.default_attributes(ty, attributes, has_default);
        self.skip_attributes(ty, attributes);
        self.schemars_attributes(ty, attributes);
        self.crd_attributes(ty, attributes);
    }

    fn default_attributes(&mut self, ty: &Type, attributes: &mut Attributes, has_default: bool) {
        if ty.has_default && !has_default && self.random.one_in(5) {
            attributes.add("default", "serde(default)".to_owned());
        } else if self.random.one_in(5) {
            let function = match ty.text.as_str() {
                "String" => "word",
                "bool" => "yes",
                "i32" => "five",
                "u64" => "many",
                "Option<String>" => "some_word",
                "Option<i32>" => "some_five",
                "Vec<String>" => "words",
                "f64" => "half",
                _ => return,
            };
            attributes.add("default path", format!("serde(default = \"super::{function}\")"));
        }
    }

    fn skip_attributes(&mut self, ty: &Type, attributes: &mut Attributes) {
        if ty.text.starts_with("Option<") && self.random.one_in(2) {
            attributes.add(
                "skip_serializing_if none",
                "serde(skip_serializing_if = \"Option::is_none\")".to_owned(),
            );
        } else if ty.text.starts_with("Vec<") && self.random.one_in(4) {
            attributes.add(
                "skip_serializing_if empty",
                "serde(skip_serializing_if = \"Vec::is_empty\")".to_owned(),
            );
        } else if ty.text == "String" && self.random.one_in(6) {
            attributes.add(
                "skip_serializing_if empty",
                "serde(skip_serializing_if = \"String::is_empty\")".to_owned(),
            );
        } else if ty.text == "bool" && self.random.one_in(4) {
            attributes.add(
                "skip_serializing_if not",
                "serde(skip_serializing_if = \"std::ops::Not::not\")".to_owned(),
            );
        }
        if ty.has_default && self.random.one_in(40) {
            let (attribute, name) = self.random.item(&[
                ("serde(skip)", "skip"),
                ("serde(skip_serializing)", "skip_serializing"),
                ("serde(skip_deserializing)", "skip_deserializing"),
            ]);
            attributes.add(name, attribute.to_owned());
            self.is_lossy = true;
        }
    }

    fn schemars_attributes(&mut self, ty: &Type, attributes: &mut Attributes) {
        let choices: &[(&str, &str)] = match ty.kind {
            "integer" => {
                &[("range", "schemars(range(min = 1, max = 100))"), ("range", "schemars(range(max = 7))")]
            }
            "float" => &[("range", "schemars(range(min = 0.5))")],
            "string" | "shared string" => &[
                ("length", "schemars(length(min = 1, max = 20))"),
                ("regex", "schemars(regex(pattern = \"^[a-z]+$\"))"),
                ("format", "schemars(extend(\"format\" = \"hostname\"))"),
                ("email", "schemars(email)"),
                ("url", "schemars(url)"),
            ],
            "list" => &[("length", "schemars(length(max = 3))"), ("length", "schemars(length(min = 1))")],
            "map" => &[("map length", "schemars(extend(\"maxProperties\" = 2))")],
            _ => &[],
        };
        if !choices.is_empty() && self.random.one_in(6) {
            let (name, text) = self.random.item(choices);
            attributes.add(name, text.to_owned());
            self.is_bounded = true;
        }
        for (name, text, chance) in [
            ("title", "schemars(title = \"Title\")", 30),
            ("description", "schemars(description = \"Text.\")", 20),
            ("deprecated", "deprecated", 60),
            ("example", "schemars(extend(\"example\" = 5))", 40),
        ] {
            if self.random.one_in(chance) {
                attributes.add(name, text.to_owned());
            }
        }
        if ty.text == "Option<String>" && self.random.one_in(4) {
            attributes.add("inner", "schemars(inner(length(max = 5)))".to_owned());
            self.is_bounded = true;
        }
        if ty.kind == "list" && self.random.one_in(12) && ty.text == "Vec<String>" {
            attributes.add("inner", "schemars(inner(length(max = 5)))".to_owned());
            self.is_bounded = true;
        }
    }

    fn crd_attributes(&mut self, ty: &Type, attributes: &mut Attributes) {
        let choices: &[(&str, &str, bool)] = match ty.kind {
            "option" => &[
                ("nullable", "crd(nullable = true)", false),
                ("not nullable", "crd(nullable = false)", true),
                ("immutable", "crd(immutable)", true),
            ],
            "list" => &[
                ("atomic", "crd(list_type = \"atomic\")", false),
                ("set of a list", "crd(list_type = \"set\")", true),
            ],
            "map" | "struct" => {
                &[("map_type", "crd(map_type = \"atomic\")", false), ("schemaless", "crd(schemaless)", true)]
            }
            "integer" => &[
                ("printcolumn", "crd(printcolumn)", false),
                ("rule", "crd(validation = \"self < 50\")", true),
                ("no format", "crd(format = \"\")", false),
            ],
            "string" => &[
                ("printcolumn", "crd(printcolumn)", false),
                ("rule", "crd(validation = \"self != 'x'\")", true),
            ],
            "internal enum" | "external enum" | "untagged enum" | "adjacent enum" => {
                &[("schemaless", "crd(schemaless)", true)]
            }
            _ => &[],
        };
        if !choices.is_empty() && self.random.one_in(8) {
            let (name, text, is_stricter) = self.random.item(choices);
            attributes.add(name, text.to_owned());
            self.is_bounded |= is_stricter;
            // Without its format, an `i32` loses its bounds.
            self.is_open |= matches!(name, "schemaless" | "no format");
        }
    }
}
