//! Formats an accepted object as YAML, with descriptions, constraints and missing optional fields as comments.
//!
//! The lines of a description begin with `# `. Lines of commented-out fields begin with `#` without a space, so that users can add the
//! field by removing `#`.

mod constraints;

use crd_core::Structural;
use crd_core::yaml::{is_printable, to_yaml, write_key, write_leaf};
use serde_json::{Map, Value};

use crate::change::{Steps, below, put, schema_at};
use crate::maker::{IDENTITY, Maker, Style};
use crate::sampler::Sampler;
use crate::work::{self, STEPS, Work};

/// Comments are broken into lines of this width.
const WIDTH: usize = 80;
/// If a commented-out field has more lines than this, nested optional fields are left out.
const MOST_LINES: usize = 16;

impl Sampler {
    /// Returns an object as YAML with comments. The comments describe the fields and the allowed values. Missing optional fields are
    /// included, but commented out.
    ///
    /// Users can add an optional field by removing `#` at the beginning of the field's lines. The API server accepts the result, unless the
    /// comment says that the field excludes other fields.
    #[must_use]
    pub fn commented(&self, object: &Value) -> String {
        let mut object = object.clone();
        let mut maker = self.maker();
        maker.is_varied = false;
        maker.work = Work::new(STEPS / 4, None);
        self.fill_empty_spec(&mut object, &mut maker);
        let steps_of_object = work::steps_of(&object);
        let mut writer =
            Writer { sampler: self, object: &object, steps_of_object, maker, out: String::new() };
        if let Value::Object(fields) = &object {
            writer.mapping(fields, Some(&self.created), &Steps::new(), 0, false);
        }
        writer.out
    }

    /// Adds a field to `spec: {}`, because users cannot uncomment fields inside the braces. This is the first field that the API server
    /// accepts.
    fn fill_empty_spec(&self, object: &mut Value, maker: &mut Maker) {
        let is_empty = object["spec"].as_object().is_some_and(Map::is_empty);
        let Some(spec) = self.created.properties.get("spec").filter(|_| is_empty) else { return };
        for (name, property) in spec.properties.iter() {
            let mut filled = object.clone();
            if maker.work.is_done() {
                return;
            }
            maker.work.take(self.steps_of_judgement + work::steps_of(object));
            put(
                &mut filled,
                &["spec".to_owned(), name.to_owned()],
                maker.value(property, name, Style::Minimal),
            );
            if self.validator().accepts(&filled) {
                *object = filled;
                return;
            }
        }
    }
}

struct Writer<'a> {
    sampler: &'a Sampler,
    object: &'a Value,
    /// The number of steps for validating the object, without the steps that depend only on the CRD.
    steps_of_object: u64,
    maker: Maker,
    out: String,
}

impl Writer<'_> {
    /// Writes an object's entries. In a list item, the first entry cannot be commented out, because it follows the dash.
    fn mapping(
        &mut self,
        fields: &Map<String, Value>,
        schema: Option<&Structural>,
        at: &[String],
        indent: usize,
        is_item: bool,
    ) {
        let is_root = at.is_empty();
        let own = |name: &str| !is_root || !IDENTITY.contains(&name);
        let mut has_first = !is_item;
        let mut late = Vec::new();
        for (name, value) in fields.iter().filter(|(name, _)| !own(name)) {
            self.entry(name, value, None, schema, at, indent);
        }
        for (name, property) in schema.into_iter().flat_map(|schema| schema.properties.iter()) {
            match fields.get(name) {
                _ if !own(name) => {}
                Some(value) => {
                    has_first = true;
                    self.entry(name, value, Some(property), schema, at, indent);
                }
                None if has_first => self.absent(name, property, at, indent),
                None => late.push((name, property)),
            }
        }
        let is_described = |name: &str| schema.is_some_and(|schema| schema.properties.contains(name));
        for (name, value) in fields.iter().filter(|(name, _)| own(name) && !is_described(name)) {
            self.entry(name, value, schema.and_then(Structural::map_values), schema, at, indent);
        }
        for (name, property) in late {
            self.absent(name, property, at, indent);
        }
    }

    fn entry(
        &mut self,
        name: &str,
        value: &Value,
        schema: Option<&Structural>,
        parent: Option<&Structural>,
        at: &[String],
        indent: usize,
    ) {
        if let Some(schema) = schema {
            let is_property = parent.is_some_and(|parent| parent.properties.contains(name));
            let is_required = parent.is_some_and(|parent| parent.is_required(name));
            let presence = is_property.then_some(if is_required { "required" } else { "optional" });
            self.describe(schema, presence, None, indent);
        }
        let at = below(at, name);
        self.indent(indent);
        write_key(name, indent, &mut self.out);
        self.value(value, schema, &at, indent);
    }

    /// Writes a key's value.
    fn value(&mut self, value: &Value, schema: Option<&Structural>, at: &[String], indent: usize) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                self.out.push_str(":\n");
                self.mapping(fields, schema, at, indent + 2, false);
            }
            Value::Array(items)
                if items.iter().any(|item| item.as_object().is_some_and(|item| !item.is_empty())) =>
            {
                self.out.push_str(":\n");
                let items_schema = schema.and_then(|schema| schema.items.as_deref());
                for (index, item) in items.iter().enumerate() {
                    self.item(item, items_schema, &below(at, index.to_string()), indent);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                self.out.push_str(":\n");
                let text = to_yaml(value);
                self.lines(&text, indent, "");
            }
            leaf => {
                self.out.push_str(": ");
                write_leaf(leaf, indent + 2, &mut self.out);
                self.out.push('\n');
            }
        }
    }

    fn item(&mut self, item: &Value, schema: Option<&Structural>, at: &[String], indent: usize) {
        let Some(fields) = item.as_object().filter(|fields| !fields.is_empty()) else {
            let text = to_yaml(&Value::from(vec![item.clone()]));
            self.lines(&text, indent, "");
            return;
        };
        let outside = std::mem::take(&mut self.out);
        self.mapping(fields, schema, at, indent + 2, true);
        let inside = std::mem::replace(&mut self.out, outside);
        // The dash is in the first line that is not a comment.
        let mut has_dash = false;
        for line in inside.split_inclusive('\n') {
            if !has_dash && !line.trim_start().starts_with('#') {
                has_dash = true;
                self.indent(indent);
                self.out.push_str("- ");
                self.out.push_str(&line[indent + 2..]);
            } else {
                self.out.push_str(line);
            }
        }
    }

    /// Writes an absent field as a comment.
    fn absent(&mut self, name: &str, schema: &Structural, at: &[String], indent: usize) {
        let at = below(at, name);
        let mut candidates = Vec::new();
        let full = self.maker.value(schema, name, Style::Full);
        let entry = |value: Value| Value::Object(Map::from_iter([(name.to_owned(), value)]));
        if to_yaml(&entry(full.clone())).lines().count() <= MOST_LINES {
            candidates.push(full);
        }
        candidates.push(self.maker.value(schema, name, Style::Minimal));
        let steps = self.sampler.steps_of_judgement + self.steps_of_object;
        self.maker.work.take(steps * candidates.len() as u64);
        let is_done = self.maker.work.is_done();
        let is_accepted = |value: &&Value| {
            let mut object = self.object.clone();
            put(&mut object, &at, (*value).clone()) && self.sampler.validator().accepts(&object)
        };
        let accepted = candidates.iter().filter(|_| !is_done).find(is_accepted);
        let note = match is_done {
            true => Some("not tried, because the CRD is too large"),
            false => accepted.is_none().then_some("rejected together with the fields above"),
        };
        let shown = accepted.or(candidates.last()).cloned().unwrap_or_default();
        let parent = schema_at(&self.sampler.created, &at[..at.len() - 1]);
        let is_required = parent.is_some_and(|parent| parent.is_required(name));
        let presence = if is_required { "required" } else { "optional" };
        self.describe(schema, Some(presence), note, indent);
        let text = to_yaml(&entry(shown));
        self.lines(&text, indent, "#");
    }

    /// Writes a field's description and constraints.
    fn describe(&mut self, schema: &Structural, presence: Option<&str>, note: Option<&str>, indent: usize) {
        if let Some(description) = &schema.generic.description {
            let paragraph: Vec<&str> = description
                .lines()
                .map(str::trim)
                .skip_while(|line| line.is_empty())
                .take_while(|line| !line.is_empty())
                .collect();
            self.comment(&paragraph.join(" "), indent);
        }
        let mut all: Vec<String> = presence.map(str::to_owned).into_iter().collect();
        all.extend(constraints::describe(schema));
        all.extend(note.map(str::to_owned));
        if !all.is_empty() {
            self.comment(&format!("({})", all.join(", ")), indent);
        }
        for rule in &schema.validations {
            let text = if rule.message.is_empty() { &rule.rule } else { &rule.message };
            self.comment(&format!("Rule: {text}"), indent);
        }
    }

    fn comment(&mut self, text: &str, indent: usize) {
        let clean = |c: char| if is_printable(c) { c } else { ' ' };
        let text: String = text.chars().map(clean).collect();
        let width = WIDTH.saturating_sub(indent + 2).max(30);
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                self.comment_line(&line, indent);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            self.comment_line(&line, indent);
        }
    }

    fn comment_line(&mut self, line: &str, indent: usize) {
        self.indent(indent);
        self.out.push_str("# ");
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Writes YAML lines with additional indentation and a prefix.
    fn lines(&mut self, text: &str, indent: usize, sign: &str) {
        for line in text.lines() {
            self.indent(indent);
            self.out.push_str(sign);
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    fn indent(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }
}
