//! Lists: JSON arrays, or lists that an evaluation creates.

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
    /// A list of type `set` that a variable holds.
    Set(Arc<SharedSet<'v>>),
    Values(Arc<Vec<Value<'v>>>, Origin<'v>),
}

/// The origin of a list, which decides how the list is compared.
#[derive(Clone, Copy, Debug)]
enum Origin<'v> {
    /// A list that a rule creates.
    Rule,
    /// The sum of two lists that rules create.
    Sum,
    /// The sum of a list that has a schema and another list. The sum is still a list of the schema, and its elements have the schema's
    /// element type.
    Schema(&'v ListType, &'v DataType),
}

/// A set, with the elements that the API server wrongly remembers: after `self + ['z']`, the server treats `z` as an
/// element of `self` whenever `self` is compared or extended later.
#[derive(Debug)]
struct SharedSet<'v> {
    data: Data<'v>,
    added: Mutex<HashSet<RawKey>>,
}

/// Maximum number of elements that are remembered for a set. An evaluation on the API server ends long before this limit.
pub(crate) const MOST_ADDED: usize = 200_000;

impl<'v> List<'v> {
    pub(crate) fn over(data: Data<'v>) -> Self {
        Self(ListRepr::Data(data))
    }

    /// Returns the list as the value of a variable. All readers share the elements that the API server wrongly remembers for a set.
    pub(crate) fn into_variable(self) -> Self {
        match self.0 {
            ListRepr::Data(data) if data.list_type() == Some(&ListType::Set) => {
                Self(ListRepr::Set(Arc::new(SharedSet { data, added: Mutex::default() })))
            }
            repr => Self(repr),
        }
    }

    /// Calls `change` with the elements that the API server wrongly remembers for a set. The function may add elements. Only variables that
    /// are sets have remembered elements.
    pub(crate) fn with_added<T>(&self, change: impl FnOnce(&mut HashSet<RawKey>) -> T) -> T {
        match &self.0 {
            // A panic elsewhere cannot leave the set in an inconsistent state.
            ListRepr::Set(set) => change(&mut set.added.lock().unwrap_or_else(PoisonError::into_inner)),
            _ => change(&mut HashSet::new()),
        }
    }

    /// Returns the sum of two lists; `values` are the elements of `left`, then the elements of `right`. The result has the schema of
    /// `left`. If `left` has no schema, the result is a sum of lists, or the other list if one list is empty.
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

    /// Returns the list type from the schema, which decides how the list is compared, and the type of the elements; `None` for a list that
    /// a rule creates, and for data whose types were removed.
    pub(crate) fn schema(&self) -> Option<(&'v ListType, &'v DataType)> {
        match &self.0 {
            ListRepr::Data(data) => data.list_schema(),
            ListRepr::Set(set) => set.data.list_schema(),
            ListRepr::Values(_, Origin::Schema(list_type, items)) => Some((list_type, items)),
            ListRepr::Values(..) => None,
        }
    }

    /// Returns `true` for a list of a schema, which can only be compared with other lists.
    pub(crate) fn is_of_schema(&self) -> bool {
        self.schema().is_some()
    }

    /// Returns `true` for the sum of two lists that rules create.
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

    /// Returns the element at `index`; `None` past the end.
    ///
    /// # Errors
    /// - The element is not of the schema's type.
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
    /// - An element is not of the schema's type.
    pub fn iter(&self) -> impl Iterator<Item = Result<Value<'v>, Error>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Returns the elements, to add them to another list. An element that is not of the schema's type is an error only when the element is
    /// read.
    ///
    /// # Errors
    /// - A limit was exceeded.
    pub(crate) fn to_values(&self) -> Result<Vec<Value<'v>>, Error> {
        match &self.0 {
            ListRepr::Data(_) | ListRepr::Set(_) => self.iter().map(held).collect(),
            ListRepr::Values(values, _) => Ok(values.to_vec()),
        }
    }

    /// Returns the values of a list that a rule creates; an empty slice for data.
    pub(crate) fn values(&self) -> &[Value<'v>] {
        match &self.0 {
            ListRepr::Data(_) | ListRepr::Set(_) => &[],
            ListRepr::Values(values, _) => values,
        }
    }

    /// Returns the values of a list that a rule creates, so that the caller can change them. Values that other lists share are copied
    /// first. Returns `None` for a list that is JSON data.
    pub(crate) fn values_mut(&mut self) -> Option<&mut Vec<Value<'v>>> {
        match &mut self.0 {
            ListRepr::Data(_) | ListRepr::Set(_) => None,
            ListRepr::Values(values, _) => Some(Arc::make_mut(values)),
        }
    }

    /// Returns the address of the values in memory.
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

    /// Returns how the list is compared and extended: as a set, or as a map by keys. Returns `None` for other lists.
    pub(crate) fn list_type(&self) -> Option<&'v ListType> {
        let (list_type, _) = self.schema()?;
        (*list_type != ListType::Atomic).then_some(list_type)
    }
}

/// Returns the element that was read from a list. If reading the element failed, the result is a value that holds the error; most
/// comparisons with such a value are false.
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
