//! Lists: Lists: JSON arrays, and lists that an evaluation creates.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::Error;
use super::data::{Data, DataType, ListType};
use super::key::RawKey;
use super::opaque::Opaque;
use super::value::Value;

/// A list value of CEL.
#[derive(Clone, Debug)]
pub struct List<'v>(ListRepr<'v>);

#[derive(Clone, Debug)]
enum ListRepr<'v> {
    Data(Data<'v>),
    /// A variable's value, if it is a list of type `set`.
    Set(Arc<SharedSet<'v>>),
    Values(Arc<Vec<Value<'v>>>, Origin<'v>),
}

/// Records how a list was created, which decides how it is compared.
#[derive(Clone, Copy, Debug)]
enum Origin<'v> {
    /// A list that a rule creates.
    Rule,
    /// The sum of two lists without a schema.
    Sum,
    /// The sum of a list with a schema and another list. The sum has the same schema.
    Schema(&'v ListType, &'v DataType),
}

/// A set, with the elements that the API server wrongly remembers. After `self + ['z']`, the server treats `z` as an element of `self` in
/// later comparisons and additions.
#[derive(Debug)]
struct SharedSet<'v> {
    data: Data<'v>,
    added: Mutex<HashSet<RawKey>>,
}

/// Maximum number of remembered elements per set. The API server's cost limit ends an evaluation long before.
pub(crate) const MOST_ADDED: usize = 200_000;

impl<'v> List<'v> {
    pub(crate) fn over(data: Data<'v>) -> Self {
        Self(ListRepr::Data(data))
    }

    /// Prepares the list to be the value of a variable. All reads of the variable share the elements that the API server wrongly remembers
    /// for a set.
    pub(crate) fn into_variable(self) -> Self {
        match self.0 {
            ListRepr::Data(data) if data.list_type() == Some(&ListType::Set) => {
                Self(ListRepr::Set(Arc::new(SharedSet { data, added: Mutex::default() })))
            }
            repr => Self(repr),
        }
    }

    /// Calls `change` with the elements that the API server wrongly remembers for a set. `change` may add elements. For a list that is not
    /// a variable's set, there are no such elements, and added elements are lost.
    pub(crate) fn with_added<T>(&self, change: impl FnOnce(&mut HashSet<RawKey>) -> T) -> T {
        match &self.0 {
            // A panic elsewhere cannot leave the set in an inconsistent state.
            ListRepr::Set(set) => change(&mut set.added.lock().unwrap_or_else(PoisonError::into_inner)),
            _ => change(&mut HashSet::new()),
        }
    }

    /// Returns the sum of two lists. `values` must contain the elements of `left` and then the elements of `right`. If `left` has a schema,
    /// so has the sum. Otherwise, if one list is empty, the sum is the other list.
    pub(crate) fn sum(values: Vec<Value<'v>>, left: &Self, right: &Self) -> Self {
        let origin = match left.schema() {
            Some((list_type, items)) => Origin::Schema(list_type, items),
            None if left.is_empty() => match &right.0 {
                ListRepr::Values(_, origin) => *origin,
                ListRepr::Data(_) | ListRepr::Set(_) => return right.clone(),
            },
            None if right.is_empty() => return left.clone(),
            None => Origin::Sum,
        };
        Self(ListRepr::Values(Arc::new(values), origin))
    }

    /// Returns the schema's list type and the elements' type. Returns `None` for a list that a rule creates, and for data whose types were
    /// removed.
    pub(crate) fn schema(&self) -> Option<(&'v ListType, &'v DataType)> {
        match &self.0 {
            ListRepr::Data(data) => data.list_schema(),
            ListRepr::Set(set) => set.data.list_schema(),
            ListRepr::Values(_, Origin::Schema(list_type, items)) => Some((list_type, items)),
            ListRepr::Values(..) => None,
        }
    }

    /// Returns `true` for a list with a schema. Such a list is comparable only with lists.
    pub(crate) fn is_of_schema(&self) -> bool {
        self.schema().is_some()
    }

    /// Returns `true` for the sum of two lists without a schema.
    pub(crate) fn is_sum(&self) -> bool {
        matches!(self.0, ListRepr::Values(_, Origin::Sum))
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            ListRepr::Data(data) => data.elements().len(),
            ListRepr::Set(set) => set.data.elements().len(),
            ListRepr::Values(values, _) => values.len(),
        }
    }

    /// Returns `true` if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the element at `index`, or `None` past the end.
    ///
    /// # Errors
    /// - The element does not have the schema's type.
    pub fn get(&self, index: usize) -> Option<Result<Value<'v>, Error>> {
        match &self.0 {
            ListRepr::Data(data) => data.element(index).map(Data::value),
            ListRepr::Set(set) => set.data.element(index).map(Data::value),
            ListRepr::Values(values, _) => values.get(index).cloned().map(Value::converted),
        }
    }

    /// Returns all elements in order.
    ///
    /// # Errors
    /// - An element does not have the schema's type.
    pub fn iter(&self) -> impl Iterator<Item = Result<Value<'v>, Error>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Returns the elements, for adding them to another list. If an element does not have the schema's type, reading it fails, but adding
    /// it does not.
    ///
    /// # Errors
    /// - A limit was exceeded.
    pub(crate) fn to_values(&self) -> Result<Vec<Value<'v>>, Error> {
        match &self.0 {
            ListRepr::Data(_) | ListRepr::Set(_) => self.iter().map(held).collect(),
            ListRepr::Values(values, _) => Ok(values.to_vec()),
        }
    }

    /// Returns the elements of a list that a rule creates, or an empty slice for JSON data.
    pub(crate) fn values(&self) -> &[Value<'v>] {
        match &self.0 {
            ListRepr::Data(_) | ListRepr::Set(_) => &[],
            ListRepr::Values(values, _) => values,
        }
    }

    /// Returns a mutable reference to the elements of a list that a rule creates. Shared elements are copied first. Returns `None` for JSON
    /// data.
    pub(crate) fn values_mut(&mut self) -> Option<&mut Vec<Value<'v>>> {
        match &mut self.0 {
            ListRepr::Data(_) | ListRepr::Set(_) => None,
            ListRepr::Values(values, _) => Some(Arc::make_mut(values)),
        }
    }

    /// Returns the elements' memory address.
    pub(crate) fn address(&self) -> usize {
        match &self.0 {
            ListRepr::Data(data) => std::ptr::from_ref(data.json()).addr(),
            ListRepr::Set(set) => std::ptr::from_ref(set.data.json()).addr(),
            ListRepr::Values(values, _) => Arc::as_ptr(values).addr(),
        }
    }

    pub(crate) fn data(&self) -> Option<Data<'v>> {
        match &self.0 {
            ListRepr::Data(data) => Some(*data),
            ListRepr::Set(set) => Some(set.data),
            ListRepr::Values(..) => None,
        }
    }

    /// Returns the list type if it is `set` or `map`. This type decides how the list is compared and extended.
    pub(crate) fn list_type(&self) -> Option<&'v ListType> {
        let (list_type, _) = self.schema()?;
        (*list_type != ListType::Atomic).then_some(list_type)
    }
}

/// Turns an error from reading a list's element into a value that holds the error. Most comparisons with such a value are false.
pub(crate) fn held(found: Result<Value<'_>, Error>) -> Result<Value<'_>, Error> {
    match found {
        Err(error) if !error.is_final() => {
            Ok(Value::Opaque(Opaque::Unconverted(error.message().into()).into()))
        }
        found => found,
    }
}

impl<'v> From<Vec<Value<'v>>> for List<'v> {
    fn from(values: Vec<Value<'v>>) -> Self {
        Self(ListRepr::Values(Arc::new(values), Origin::Rule))
    }
}
