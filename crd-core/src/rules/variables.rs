//! The variables `self` and `oldSelf` of rules and messages.

use crd_cel::eval::{Bound, Data, DataType, Error, Value as CelValue};
use serde_json::Value;

/// A value, or the reason why the value does not have the type of its schema.
type Typed<'v> = Result<CelValue<'v>, Error>;

/// The variables `self` and `oldSelf` of the rules for one value.
pub(super) struct Variables<'v> {
    this: Typed<'v>,
    pub(super) old: Option<Typed<'v>>,
    /// `true` if messages have the variable `oldSelf`, because a rule for the value uses it.
    has_old: bool,
}

impl<'v> Variables<'v> {
    pub(super) fn new(has_old: bool, data: &'v DataType, value: &'v Value, old: Option<&'v Value>) -> Self {
        let typed = |value| CelValue::from_data(Data::new(value, data));
        Self { this: typed(value), old: old.filter(|_| has_old).map(typed), has_old }
    }

    pub(super) fn rule_variables(&self, has_optional_old: bool) -> [Bound<'v>; 2] {
        let old = match &self.old {
            _ if !has_optional_old => self.old.clone(),
            Some(value) => Some(value.clone().map(CelValue::some)),
            None => self.has_old.then_some(Ok(CelValue::Optional(None))),
        };
        [Some(self.this.clone()).into(), old.into()]
    }

    /// Returns the variables of a message. `oldSelf` is a plain value here, even if it is optional in the
    /// rule.
    pub(super) fn message_variables(&self) -> [Option<Typed<'v>>; 2] {
        [Some(self.this.clone()), self.old.clone()]
    }
}
