//! Lists: over JSON arrays, or made by an evaluation.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::Error;
use super::data::{Data, ListType};
use super::equal::RawKey;
use super::value::Value;

/// A list.
#[derive(Clone, Debug)]
pub struct List<'v>(Repr<'v>);

#[derive(Clone, Debug)]
enum Repr<'v> {
    Data(Data<'v>),
    /// A set that is a variable.
    Set(Arc<SharedSet<'v>>),
    /// The values, and what a schema says of how they are compared.
    Values(Arc<Vec<Value<'v>>>, Option<&'v ListType>),
}

/// A set, with what was added to it while it was read. The API server remembers that `self + ['z']` has a `z`, and takes it
/// for an element of `self` whenever that is compared or added to later.
#[derive(Debug)]
struct SharedSet<'v> {
    data: Data<'v>,
    added: Mutex<HashSet<RawKey>>,
}

/// The most elements that a set remembers. The API server's run ends long before.
pub(crate) const MOST_ADDED: usize = 200_000;

impl<'v> List<'v> {
    pub(crate) fn over(data: Data<'v>) -> Self {
        Self(Repr::Data(data))
    }

    /// The same list as a variable, of which all that read it share what it remembers.
    pub(crate) fn into_variable(self) -> Self {
        match self.0 {
            Repr::Data(data) if data.list_type() == Some(&ListType::Set) => {
                Self(Repr::Set(Arc::new(SharedSet { data, added: Mutex::default() })))
            }
            repr => Self(repr),
        }
    }

    /// Looks at what the list remembers, and may add to it; other lists remember nothing.
    pub(crate) fn with_added<T>(&self, change: impl FnOnce(&mut HashSet<RawKey>) -> T) -> T {
        match &self.0 {
            // Whoever panicked left nothing half done.
            Repr::Set(set) => change(&mut set.added.lock().unwrap_or_else(PoisonError::into_inner)),
            _ => change(&mut HashSet::new()),
        }
    }

    pub(crate) fn of_type(values: Vec<Value<'v>>, list_type: Option<&'v ListType>) -> Self {
        Self(Repr::Values(Arc::new(values), list_type))
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Data(data) => data.elements().len(),
            Repr::Set(set) => set.data.elements().len(),
            Repr::Values(values, _) => values.len(),
        }
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`; `None` past the end.
    ///
    /// # Errors
    /// - The element is not of the schema's type.
    pub fn get(&self, index: usize) -> Option<Result<Value<'v>, Error>> {
        match &self.0 {
            Repr::Data(data) => data.element(index).map(Data::value),
            Repr::Set(set) => set.data.element(index).map(Data::value),
            Repr::Values(values, _) => values.get(index).cloned().map(Ok),
        }
    }

    /// All elements in order.
    ///
    /// # Errors
    /// - An element is not of the schema's type.
    pub fn iter(&self) -> impl Iterator<Item = Result<Value<'v>, Error>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    pub(crate) fn to_values(&self) -> Result<Vec<Value<'v>>, Error> {
        match &self.0 {
            Repr::Data(_) | Repr::Set(_) => self.iter().collect(),
            Repr::Values(values, _) => Ok(values.to_vec()),
        }
    }

    /// The values to be changed in place where nobody else holds them.
    pub(crate) fn values_mut(&mut self) -> Option<&mut Vec<Value<'v>>> {
        match &mut self.0 {
            Repr::Data(_) | Repr::Set(_) => None,
            Repr::Values(values, _) => Some(Arc::make_mut(values)),
        }
    }

    /// The place in memory of what the list holds.
    pub(crate) fn address(&self) -> usize {
        match &self.0 {
            Repr::Data(data) => std::ptr::from_ref(data.json()).addr(),
            Repr::Set(set) => std::ptr::from_ref(set.data.json()).addr(),
            Repr::Values(values, _) => Arc::as_ptr(values).addr(),
        }
    }

    pub(crate) fn data(&self) -> Option<Data<'v>> {
        match &self.0 {
            Repr::Data(data) => Some(*data),
            Repr::Set(set) => Some(set.data),
            Repr::Values(..) => None,
        }
    }

    /// How the list is compared and added to: a set, or a map by keys.
    pub(crate) fn list_type(&self) -> Option<&'v ListType> {
        match &self.0 {
            Repr::Data(data) => data.list_type(),
            Repr::Set(set) => set.data.list_type(),
            Repr::Values(_, list_type) => *list_type,
        }
    }
}

impl<'v> From<Vec<Value<'v>>> for List<'v> {
    fn from(values: Vec<Value<'v>>) -> Self {
        Self::of_type(values, None)
    }
}
