//! Types of variables, with maximum sizes for cost estimates. Callers derive these types from a schema.

/// The number of a declared type in its [`Declarations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclId(u32);

/// The kind of a declared type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of CEL's types")]
pub enum Shape {
    Dyn,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    /// `list(T)`
    List(DeclId),
    /// `map(string, T)`
    Map(DeclId),
    /// An object with its fields, under the names that rules use.
    Object(Vec<(Box<str>, DeclId)>),
}

/// A declared type with its sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The kind of the type.
    pub shape: Shape,
    /// Maximum number of elements, entries, bytes or code points.
    pub max_elements: u64,
    /// The minimum length of a value in JSON.
    pub min_serialized_size: u64,
}

/// Declared types; children are added before their parents.
///
/// ```
/// use crd_cel::{Declarations, Declared, Shape};
///
/// let mut declarations = Declarations::default();
/// let name = declarations.add(Declared { shape: Shape::String, max_elements: 63, min_serialized_size: 2 });
/// let fields = vec![("name".into(), name)];
/// let root = declarations.add(Declared { shape: Shape::Object(fields), max_elements: 0, min_serialized_size: 2 });
/// assert_eq!(declarations.field(root, "name"), Some(name));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    declared: Vec<Declared>,
    parents: Vec<Option<DeclId>>,
}

impl Declarations {
    /// Adds a declared type, and returns its identifier.
    pub fn add(&mut self, mut declared: Declared) -> DeclId {
        let id = DeclId(self.declared.len() as u32);
        match &mut declared.shape {
            Shape::List(child) | Shape::Map(child) => self.parents[child.0 as usize] = Some(id),
            Shape::Object(fields) => {
                fields.sort_by(|a, b| a.0.cmp(&b.0));
                for (_, child) in fields {
                    self.parents[child.0 as usize] = Some(id);
                }
            }
            _ => {}
        }
        self.declared.push(declared);
        self.parents.push(None);
        id
    }

    /// Returns the type with this number.
    #[must_use]
    pub fn get(&self, id: DeclId) -> &Declared {
        &self.declared[id.0 as usize]
    }

    /// Sets the largest number of elements of a type.
    pub fn set_max_elements(&mut self, id: DeclId, max_elements: u64) {
        self.declared[id.0 as usize].max_elements = max_elements;
    }

    /// Returns the type of an object's field.
    #[must_use]
    pub fn field(&self, id: DeclId, name: &str) -> Option<DeclId> {
        match &self.get(id).shape {
            Shape::Object(fields) => {
                fields.binary_search_by(|(field, _)| (**field).cmp(name)).ok().map(|i| fields[i].1)
            }
            _ => None,
        }
    }

    /// Returns the names of an object's fields.
    pub fn field_names(&self, id: DeclId) -> impl Iterator<Item = &str> {
        let fields = match &self.get(id).shape {
            Shape::Object(fields) => &**fields,
            _ => &[],
        };
        fields.iter().map(|(name, _)| &**name)
    }

    /// Returns the name of an object in messages: `selfType`, followed by its path from `root`.
    #[must_use]
    pub fn name(&self, id: DeclId, root: Option<DeclId>) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while Some(at) != root {
            let Some(parent) = self.parents[at.0 as usize] else { break };
            steps.push(match &self.get(parent).shape {
                Shape::List(_) => "@idx",
                Shape::Map(_) => "@elem",
                Shape::Object(fields) => {
                    fields.iter().find(|field| field.1 == at).map_or("", |field| &field.0)
                }
                _ => "",
            });
            at = parent;
        }
        let mut name = "selfType".to_owned();
        for step in steps.iter().rev() {
            name.push('.');
            name.push_str(step);
        }
        name
    }
}
