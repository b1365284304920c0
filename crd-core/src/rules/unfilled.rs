//! Prepares rules for objects whose defaults are not filled in: finds the rules whose results could depend on the defaults, and the
//! defaults whose own schemas have rules.

use std::collections::{HashMap, HashSet};

use super::tree::{Rule, RuleNode, RuleTree};
use crate::Structural;
use crate::defaults::{Defaults, Room, default_of};
use crd_cel::ast::{Comprehension, Expr, ExprId};
use crd_cel::{Ast, parse, unescape_name};
use foldhash::fast::RandomState;

/// The addresses of schemas that contain defaults.
type Schemas = HashSet<*const Structural, RandomState>;

impl RuleTree {
    /// Prepares a schema's rules for objects without defaults. The default of the property `late` is never filled in before rules run.
    pub(crate) fn prepare_unfilled(&mut self, schema: &Structural, defaults: &Defaults, late: Option<&str>) {
        let mut with_defaults = Schemas::default();
        if add_schemas_with_defaults(schema, &mut with_defaults) {
            let mut preparation = Preparation { with_defaults, room: Room::default() };
            preparation.node(&mut self.root, schema, defaults, late);
        }
    }
}

/// Adds all schemas that contain defaults to `found`. Returns `true` if `schema` is one of these.
fn add_schemas_with_defaults(schema: &Structural, found: &mut Schemas) -> bool {
    let mut has_defaults = false;
    for (_, child) in schema.children() {
        has_defaults |= add_schemas_with_defaults(child, found) || default_of(child).is_some();
    }
    if has_defaults {
        found.insert(schema);
    }
    has_defaults
}

struct Preparation {
    with_defaults: Schemas,
    /// The space left for defaults that are kept with the rules.
    room: Room,
}

impl Preparation {
    fn node(&mut self, node: &mut RuleNode, schema: &Structural, defaults: &Defaults, late: Option<&str>) {
        let runs = |rule: &&Rule| !rule.uses_old_self || rule.has_optional_old_self;
        node.sees_defaults = self.with_defaults.contains(&std::ptr::from_ref(schema))
            && node.rules.iter().filter(runs).any(|rule| self.sees_defaults(&rule.text, schema));
        let of_properties: HashMap<&str, &Defaults, RandomState> = defaults.property_defaults().collect();
        for (name, property) in node.properties.iter_mut() {
            let Some((schema, defaults)) = schema.properties.get(name).zip(of_properties.get(name)) else {
                continue;
            };
            if default_of(schema).is_some() && late != Some(name) {
                property.default = defaults.filled(&mut self.room).ok().flatten();
                // Without room for it, it is filled into the object.
                node.sees_defaults |= property.default.is_none();
            }
            self.node(&mut property.node, schema, defaults, None);
        }
        let values = node.values.as_deref_mut().zip(schema.map_values()).zip(defaults.values());
        let items = node.items.as_deref_mut().zip(schema.items.as_deref()).zip(defaults.items());
        for ((node, schema), defaults) in values.into_iter().chain(items) {
            self.node(node, schema, defaults, None);
        }
    }

    /// Returns `true` if the value or the cost of a rule can depend on absent properties with a default.
    fn sees_defaults(&self, rule: &str, schema: &Structural) -> bool {
        let Ok(ast) = parse(rule) else { return true };
        let mut sight = Sight {
            ast: &ast,
            schema,
            with_defaults: &self.with_defaults,
            variables: Vec::new(),
            sees_defaults: false,
        };
        sight.whole(ast.root());
        sight.sees_defaults
    }
}

/// A search for defaults in the parts of a value that a rule reads.
struct Sight<'a, 's> {
    ast: &'a Ast<'a>,
    schema: &'s Structural,
    with_defaults: &'a Schemas,
    /// The variables of enclosing loops, the innermost last. A variable that is a part of the value has a schema.
    variables: Vec<(&'a str, Option<&'s Structural>)>,
    sees_defaults: bool,
}

impl<'a, 's> Sight<'a, 's> {
    /// Reads an expression whose result is used as a whole.
    fn whole(&mut self, id: ExprId) {
        if let Some(schema) = self.part(id) {
            self.all_of(schema);
        }
    }

    fn all_of(&mut self, schema: &Structural) {
        self.sees_defaults |= self.with_defaults.contains(&std::ptr::from_ref(schema));
    }

    /// Determines the values that an expression reads. Returns the schema of the expression's result, if the result is a part of the value
    /// and has a schema.
    fn part(&mut self, id: ExprId) -> Option<&'s Structural> {
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Ident(name) => self.variable(name),
            Expr::Select { operand, field, test_only } => {
                let name = unescape_name(field);
                let schema = self.part(*operand)?;
                self.field(schema, name.as_deref().unwrap_or(field)).filter(|_| !test_only)
            }
            Expr::Call { function, target: None, args }
                if matches!(&**function, "_[_]" | "_[?_]" | "_?._") =>
            {
                let &[operand, key] = ast.list(*args) else { return None };
                self.whole(key);
                let schema = self.part(operand)?;
                self.entry(schema)
            }
            Expr::Call { function, target, args } if &**function == "size" => {
                for id in target.iter().chain(ast.list(*args)) {
                    let sized = self.part(*id);
                    // The number of items or entries depends on no defaults.
                    sized
                        .filter(|schema| !schema.properties.is_empty())
                        .inspect(|schema| self.all_of(schema));
                }
                None
            }
            Expr::Comprehension(fold) => {
                self.fold(fold);
                None
            }
            _ => {
                ast.children(id).into_iter().for_each(|child| self.whole(child));
                None
            }
        }
    }

    fn variable(&mut self, name: &str) -> Option<&'s Structural> {
        if name.starts_with('.') {
            // Such a name skips the variables of loops.
            self.all_of(self.schema);
            return None;
        }
        match self.variables.iter().rev().find(|(known, _)| *known == name) {
            Some((_, schema)) => *schema,
            None => (name == "self").then_some(self.schema),
        }
    }

    fn field(&mut self, schema: &'s Structural, name: &str) -> Option<&'s Structural> {
        let field = schema.field(name)?;
        self.sees_defaults |= default_of(field).is_some();
        Some(field)
    }

    /// Returns the schema of a list's items or a map's values. If the value is an object with properties, all properties count as read,
    /// because a loop can read any of them.
    fn entry(&mut self, schema: &'s Structural) -> Option<&'s Structural> {
        if !schema.properties.is_empty() {
            self.all_of(schema);
        }
        schema.items.as_deref().or_else(|| schema.map_values())
    }

    fn fold(&mut self, fold: &'a Comprehension<'_>) {
        let range = self.part(fold.range);
        let each = range.and_then(|range| self.entry(range));
        let before = self.variables.len();
        // A single variable is an item of a list or the key of a map.
        let is_list = range.is_some_and(|range| range.items.is_some());
        let is_value = is_list && fold.var2.is_none();
        self.variables.push((fold.var, each.filter(|_| is_value)));
        self.variables.extend(fold.var2.map(|name| (name, each)));
        self.variables.push((fold.accumulator, None));
        for part in [fold.init, fold.condition, fold.step, fold.result] {
            self.whole(part);
        }
        self.variables.truncate(before);
    }
}
