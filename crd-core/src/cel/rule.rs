//! Compiles rules at schema nodes: returns each rule's type, estimated cost and cardinality, or the API server's error.

use std::fmt;

use crd_cel::{Checked, DeclId, Environment, Issues, Scope, Type, Variable};

use super::types::{MAX_REQUEST, SchemaTypes};
use crate::Structural;

/// Compiles the rules of a schema.
///
/// ```
/// use crd_core::Structural;
/// use crd_core::cel::{Rules, SchemaTypes};
/// use crd_core::crd::JsonSchemaProps;
///
/// let schema = JsonSchemaProps::from_value(serde_json::json!({
///     "type": "object",
///     "properties": {"name": {"type": "string", "maxLength": 10}},
/// }))?;
/// let schema = Structural::from_json_schema(&schema)?;
/// let types = SchemaTypes::for_part(&schema);
/// let rules = Rules::new(&types, Default::default());
///
/// let rule = rules.compile_rule(&schema, "self.name != oldSelf.name", false)?;
/// assert_eq!((rule.cost, rule.uses_old_self), (8, true));
/// assert_eq!(rules.compile_rule(&schema, "self.name", false).unwrap_err().to_string(),
///     "cel expression must evaluate to a bool");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rules<'t, 's> {
    types: &'t SchemaTypes<'s>,
    environment: Environment,
    /// `true` if a node has the type that its parent declares for the field: see `seen_by_parents`.
    are_of_fields: bool,
}

/// A rule that compiles, with its type and its estimated cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompiledRule {
    /// The name of the rule's result type.
    pub result_type: String,
    /// The estimated maximum cost of one evaluation.
    pub cost: u64,
    /// The number of values at the rule's node that fit into a request if enclosing lists and maps have no limits.
    pub max_cardinality: u64,
    /// `true` if the rule uses `oldSelf`.
    pub uses_old_self: bool,
}

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpressionType {
    /// The name of the type, such as `list(string)`.
    pub name: String,
    /// The fields of an object: the name that rules use, and the name of the field's type.
    pub fields: Vec<(String, String)>,
}

/// The error of a rule that does not compile.
///
/// `Display` prints the API server's message. [`RuleError::in_message_expression`] returns the message for a `messageExpression`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// The schema node has no CEL type, so rules cannot read its values.
    NoType,
    /// The syntax or the types of the expression are invalid.
    Compilation(Issues),
    /// The rule is not of type `bool`.
    NotBool,
    /// The messageExpression is not of type `string`.
    NotString,
    /// A constant part of the expression cannot be evaluated.
    Instantiation {
        /// The error of the evaluation.
        why: String,
        /// `true` if the expression uses `oldSelf`.
        uses_old_self: bool,
    },
}

impl RuleError {
    /// Returns advice, which is not part of the API server's message.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Compilation(issues) => issues.as_slice().iter().find_map(|issue| issue.help.as_deref()),
            _ => None,
        }
    }

    /// Returns the API server's message for this error in a messageExpression.
    #[must_use]
    pub fn in_message_expression(&self) -> String {
        match self {
            Self::Compilation(issues) => format!("messageExpression compilation failed: {issues}"),
            Self::Instantiation { why, .. } => format!("messageExpression instantiation failed: {why}"),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoType => f.write_str("unable to convert structural schema to CEL declarations"),
            Self::Compilation(issues) => write!(f, "compilation failed: {issues}"),
            Self::NotBool => f.write_str("cel expression must evaluate to a bool"),
            Self::NotString => f.write_str("messageExpression must evaluate to a string"),
            Self::Instantiation { why, .. } => write!(f, "program instantiation failed: {why}"),
        }
    }
}

impl std::error::Error for RuleError {}

impl<'t, 's> Rules<'t, 's> {
    /// Creates a compiler for rules that read values of these types, in this environment.
    #[must_use]
    pub fn new(types: &'t SchemaTypes<'s>, environment: Environment) -> Self {
        Self { types, environment, are_of_fields: false }
    }

    /// Returns a compiler in which a node has the type that its parent declares for the field. The two types differ for the `metadata` of a
    /// resource: it has `name` and `generateName` regardless of its schema.
    pub(crate) fn seen_by_parents(self) -> Self {
        Self { are_of_fields: true, ..self }
    }

    /// Returns `false` if the parent's type does not contain the node.
    #[cfg(feature = "rules")]
    pub(crate) fn is_field(&self, node: &Structural) -> bool {
        self.types.is_field(node)
    }

    fn type_of(&self, node: &Structural) -> Result<DeclId, RuleError> {
        let id = if self.are_of_fields { self.types.type_of_field(node) } else { self.types.type_of(node) };
        id.ok_or(RuleError::NoType)
    }

    /// Returns the types that the rules refer to.
    #[must_use]
    pub fn types(&self) -> &'t SchemaTypes<'s> {
        self.types
    }

    pub(super) fn environment(&self) -> Environment {
        self.environment
    }

    /// Returns the number of values at a node that fit into a request if enclosing lists and maps have no limits.
    ///
    /// # Errors
    /// - [`RuleError::NoType`]
    pub fn max_cardinality(&self, node: &Structural) -> Result<u64, RuleError> {
        let id = self.type_of(node)?;
        Ok(MAX_REQUEST / (self.types.declarations.get(id).min_serialized_size + 1))
    }

    /// Compiles the `rule` of a rule at `node`; with `optionalOldSelf`, `oldSelf` is optional.
    ///
    /// # Errors
    /// - [`RuleError`], with the API server's message.
    pub fn compile_rule(
        &self,
        node: &Structural,
        rule: &str,
        optional_old_self: bool,
    ) -> Result<CompiledRule, RuleError> {
        self.compile(node, rule, optional_old_self, Some((Type::Bool, RuleError::NotBool)))
    }

    /// Compiles the `messageExpression` of a rule at `node`.
    ///
    /// # Errors
    /// - [`RuleError`], with the API server's message.
    pub fn compile_message(
        &self,
        node: &Structural,
        expression: &str,
        optional_old_self: bool,
    ) -> Result<CompiledRule, RuleError> {
        self.compile(node, expression, optional_old_self, Some((Type::String, RuleError::NotString)))
    }

    /// Compiles any expression at `node`.
    ///
    /// # Errors
    /// - [`RuleError`], with the API server's message.
    pub fn compile_expression(&self, node: &Structural, expression: &str) -> Result<CompiledRule, RuleError> {
        self.compile(node, expression, false, None)
    }

    /// Returns the type of any expression at `node`.
    ///
    /// # Errors
    /// - [`RuleError`]
    pub fn type_of_expression(
        &self,
        node: &Structural,
        expression: &str,
    ) -> Result<ExpressionType, RuleError> {
        let declarations = &self.types.declarations;
        self.checked(node, expression, false, None, |checked, root| {
            let fields = match checked.result() {
                Type::Object(id) => declarations
                    .field_names(id)
                    .filter_map(|name| {
                        Some((name.to_owned(), declarations.name(declarations.field(id, name)?, Some(root))))
                    })
                    .collect(),
                _ => Vec::new(),
            };
            ExpressionType { name: checked.result_type(), fields }
        })
    }

    fn compile(
        &self,
        node: &Structural,
        text: &str,
        optional_old_self: bool,
        wanted: Option<(Type, RuleError)>,
    ) -> Result<CompiledRule, RuleError> {
        self.checked(node, text, optional_old_self, wanted, |checked, id| self.compiled(checked, id))
    }

    /// Checks an expression, and passes the result to `then`.
    ///
    /// # Errors
    /// - The expression does not compile, does not have the expected type, or has constant parts that fail.
    pub(crate) fn checked<T>(
        &self,
        node: &Structural,
        text: &str,
        optional_old_self: bool,
        wanted: Option<(Type, RuleError)>,
        then: impl FnOnce(&Checked<'_, '_>, DeclId) -> T,
    ) -> Result<T, RuleError> {
        let id = self.type_of(node)?;
        let old_self = if optional_old_self { Variable::Optional(id) } else { Variable::Declared(id) };
        let variables = [("self", Variable::Declared(id)), ("oldSelf", old_self)];
        let scope = Scope::new(&self.types.declarations, id, &variables);
        let checked = self.environment.compile(text, &scope).map_err(RuleError::Compilation)?;
        if let Some((wanted, error)) = wanted
            && checked.result() != wanted
        {
            return Err(error);
        }
        if let Err(error) = checked.instantiate() {
            let uses_old_self = checked.uses("oldSelf");
            return Err(RuleError::Instantiation { why: error.to_string(), uses_old_self });
        }
        Ok(then(&checked, id))
    }

    fn compiled(&self, checked: &Checked<'_, '_>, id: DeclId) -> CompiledRule {
        CompiledRule {
            result_type: checked.result_type(),
            cost: checked.max_cost(),
            max_cardinality: MAX_REQUEST / (self.types.declarations.get(id).min_serialized_size + 1),
            uses_old_self: checked.uses("oldSelf"),
        }
    }
}
