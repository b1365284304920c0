//! Schemas with rules from a seed.

use serde_json::{Map, Value, json};

/// Returns the schema of a seed: one or several rules stand at any of its places.
pub(crate) fn schema(seed: u64) -> Value {
    let mut maker = Maker { random: Random(seed), rules: 0 };
    let spec = maker.object(0);
    json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}})
}

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % count
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn item<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len() as u64) as usize]
    }
}

struct Maker {
    random: Random,
    /// The number of rules, which makes each of them another one.
    rules: usize,
}

impl Maker {
    fn node(&mut self, depth: u64) -> Value {
        let kinds = if depth > 2 { 3 } else { 6 };
        let mut node = match self.random.below(kinds) {
            0 => json!({"type": "boolean"}),
            1 => {
                let least = self.random.below(3) as i64 - 1;
                json!({"type": "integer", "minimum": least, "maximum": least + 1 + self.random.below(3) as i64})
            }
            2 => json!({"type": "string", "enum": ["a", "bb", "bcc"], "maxLength": 3}),
            3 => {
                let most = 1 + self.random.below(2);
                json!({"type": "array", "maxItems": most, "items": self.node(depth + 1)})
            }
            4 => json!({"type": "object", "maxProperties": 2, "additionalProperties": self.node(depth + 1)}),
            _ => return self.object(depth),
        };
        self.finish(&mut node);
        node
    }

    fn object(&mut self, depth: u64) -> Value {
        let mut properties = Map::new();
        for name in ["a", "b", "c"].iter().take(1 + self.random.below(3) as usize) {
            properties.insert((*name).to_owned(), self.node(depth + 1));
        }
        let names = properties.keys().filter(|_| self.random.one_in(2));
        let required: Vec<&String> = names.collect();
        let mut node = json!({"type": "object"});
        if !required.is_empty() {
            node["required"] = json!(required);
        }
        node["properties"] = properties.into();
        self.finish(&mut node);
        node
    }

    /// Adds what every node can have.
    fn finish(&mut self, node: &mut Value) {
        let mut rules = Vec::new();
        while self.random.one_in(2) && rules.len() < 3 {
            self.rules += 1;
            let condition = self.condition("self", node, 0);
            let number = self.rules;
            let rule = match self.random.below(8) {
                0 => {
                    json!({"rule": format!("oldSelf.hasValue() || ({condition}) || {number} < 0"), "optionalOldSelf": true})
                }
                1 => json!({"rule": format!("self == oldSelf || {number} < 0")}),
                _ => json!({"rule": format!("({condition}) || {number} < 0")}),
            };
            rules.push(rule);
        }
        if !rules.is_empty() {
            node["x-kubernetes-validations"] = json!(rules);
        }
        if self.random.one_in(6) {
            node["nullable"] = json!(true);
        }
    }

    /// Returns a condition of a value.
    fn condition(&mut self, value: &str, schema: &Value, depth: u64) -> String {
        if depth < 2 && self.random.one_in(3) {
            let [a, b, c] = [(); 3].map(|()| self.condition(value, schema, depth + 1));
            return match self.random.below(4) {
                0 => format!("({a} && {b})"),
                1 => format!("({a} || {b})"),
                2 => format!("!({a})"),
                _ => format!("({a} ? {b} : {c})"),
            };
        }
        let number = self.random.below(4);
        match schema["type"].as_str() {
            Some("boolean") => self.random.item(&["{} == true", "!{}", "{} != true"]).replace("{}", value),
            Some("integer") => {
                let forms = [
                    "{} % 2 == 0",
                    "{} % 3 != 1",
                    "{} != #",
                    "{} < #",
                    "{} >= #",
                    "{} + 1 == #",
                    "{} * 2 != #",
                    "-{} > -#",
                    "{} - # < 1",
                    "{} / 2 == 0",
                    "{} in [0, #]",
                    "# - {} <= 1",
                    "({} + #) % 2 == 1",
                ];
                self.random.item(&forms).replace("{}", value).replace('#', &number.to_string())
            }
            Some("string") => {
                let forms = [
                    "{} != 'a'",
                    "{}.startsWith('b')",
                    "{} in ['a', 'bb']",
                    "size({}) < 2",
                    "{}.endsWith('c')",
                    "{}.contains('b')",
                    "{}.matches('^b+$')",
                    "{} < 'bb'",
                    "{} + 'x' == 'ax'",
                ];
                self.random.item(&forms).replace("{}", value)
            }
            Some("array") => self.of_list(value, &schema["items"], depth),
            _ if schema.get("additionalProperties").is_some() => {
                self.of_map(value, &schema["additionalProperties"], depth)
            }
            _ => self.of_object(value, schema, depth),
        }
    }

    fn of_list(&mut self, value: &str, items: &Value, depth: u64) -> String {
        let number = self.random.below(3);
        let item = format!("i{depth}");
        if items["nullable"] == true {
            return format!("size({value}) != {number}");
        }
        let condition = self.condition(&item, items, depth + 1);
        match self.random.below(6) {
            0 => format!("size({value}) != {number}"),
            1 => format!("{value}.all({item}, {condition})"),
            2 => format!("{value}.exists({item}, {condition})"),
            3 => format!("{value}.exists_one({item}, {condition})"),
            4 => format!("{value}.filter({item}, {condition}).size() == {number}"),
            _ => format!("!{value}.exists({item}, {condition})"),
        }
    }

    fn of_map(&mut self, value: &str, values: &Value, depth: u64) -> String {
        let number = self.random.below(3);
        let key = format!("k{depth}");
        if values["nullable"] == true {
            return format!("size({value}) != {number}");
        }
        let condition = self.condition(&format!("{value}[{key}]"), values, depth + 1);
        match self.random.below(5) {
            0 => format!("size({value}) != {number}"),
            1 => format!("{value}.all({key}, {condition})"),
            2 => format!("{value}.exists({key}, {condition})"),
            3 => format!("!('key' in {value})"),
            _ => format!("{value}.all({key}, {key} != 'key' || {condition})"),
        }
    }

    fn of_object(&mut self, value: &str, schema: &Value, depth: u64) -> String {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        let (a, b) = (self.random.item(&names), self.random.item(&names));
        let is_integer = |name: &str| properties[name]["type"] == "integer";
        match self.random.below(6) {
            0 => format!("!has({value}.{a})"),
            1 => format!("has({value}.{a}) == has({value}.{b})"),
            2 if is_integer(a) && is_integer(b) => {
                format!("!has({value}.{a}) || !has({value}.{b}) || {value}.{a} + {value}.{b} != 2")
            }
            3 if is_integer(a) && is_integer(b) => {
                format!("has({value}.{a}) && has({value}.{b}) && {value}.{a} <= {value}.{b}")
            }
            4 => {
                let condition = self.condition(&format!("{value}.{a}"), &properties[a], depth + 1);
                format!("has({value}.{a}) && {condition}")
            }
            _ => {
                let condition = self.condition(&format!("{value}.{a}"), &properties[a], depth + 1);
                format!("!has({value}.{a}) || {condition}")
            }
        }
    }
}
