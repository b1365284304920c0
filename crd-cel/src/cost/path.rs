//! Paths from a variable to a value, for looking up declared sizes.

use crate::declared::{DeclId, Declarations, Shape};

/// A path to a value. [`Paths`] has the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    buffer: u32,
    len: u32,
}

impl Path {
    /// Stands for no path: the value is computed, not read from a variable.
    pub(super) const NONE: Self = Self { buffer: u32::MAX, len: 0 };
}

/// A step of a path. The first step is the name of the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    Variable(&'a str),
    Field(&'a str),
    Items,
    Values,
    Keys,
    Indices,
}

/// All paths of an estimate.
///
/// This type reproduces a mistake in cel-go, because the mistake affects costs on the server. There, a path is a Go slice, to which steps
/// are appended. While the slice has capacity, two paths with the same prefix share memory, so the second append overwrites the step that
/// the first append wrote. Here, a path is likewise a length in a shared buffer, and the buffer doubles when it is full.
#[derive(Debug, Default)]
pub(super) struct Paths<'a> {
    buffers: Vec<Buffer<'a>>,
}

#[derive(Debug)]
struct Buffer<'a> {
    steps: Vec<Step<'a>>,
    capacity: usize,
}

impl<'a> Paths<'a> {
    pub(super) fn begin(&mut self, name: &'a str) -> Path {
        self.new_buffer(vec![Step::Variable(name)], 1)
    }

    pub(super) fn append(&mut self, path: Path, step: Step<'a>) -> Path {
        let len = path.len as usize;
        let Some(buffer) = self.buffers.get_mut(path.buffer as usize) else {
            return self.new_buffer(vec![step], 1);
        };
        if len < buffer.capacity {
            match buffer.steps.get_mut(len) {
                Some(slot) => *slot = step,
                None => buffer.steps.push(step),
            }
            return Path { len: path.len + 1, ..path };
        }
        let mut steps = Vec::with_capacity(len + 1);
        steps.extend_from_slice(&buffer.steps[..len]);
        steps.push(step);
        let capacity = buffer.capacity * 2;
        self.new_buffer(steps, capacity)
    }

    fn new_buffer(&mut self, steps: Vec<Step<'a>>, capacity: usize) -> Path {
        let path = Path { buffer: self.buffers.len() as u32, len: steps.len() as u32 };
        self.buffers.push(Buffer { steps, capacity });
        path
    }

    fn steps(&self, path: Path) -> &[Step<'a>] {
        self.buffers.get(path.buffer as usize).map_or(&[], |buffer| &buffer.steps[..path.len as usize])
    }

    pub(super) fn begins_with(&self, path: Path, is_wanted: &dyn Fn(&str) -> bool) -> bool {
        matches!(self.steps(path).first(), Some(Step::Variable(name)) if is_wanted(name))
    }

    /// Returns the maximum number of elements in the value at `path`.
    pub(super) fn declared_size(&self, path: Path, declarations: &Declarations, root: DeclId) -> Option<u64> {
        walk(&mut self.steps(path).iter().copied(), declarations, root)
    }

    /// Returns the maximum number of elements in an item of the list at `path`.
    pub(super) fn declared_item_size(
        &self,
        path: Path,
        declarations: &Declarations,
        root: DeclId,
    ) -> Option<u64> {
        if path == Path::NONE {
            return None;
        }
        walk(&mut self.steps(path).iter().copied().chain([Step::Items]), declarations, root)
    }
}

fn walk(steps: &mut dyn Iterator<Item = Step<'_>>, declarations: &Declarations, root: DeclId) -> Option<u64> {
    // The first step counts as the root, also if the path begins with a step because its base is not a variable.
    steps.next()?;
    let mut at = root;
    while let Some(step) = steps.next() {
        at = match (step, &declarations.get(at).shape) {
            (Step::Items | Step::Values, Shape::List(inner) | Shape::Map(inner)) => *inner,
            // Keys are strings for which no size is declared, and nothing is below them.
            (Step::Keys, Shape::Map(_)) => return steps.next().is_none().then_some(0),
            (Step::Field(name), _) => declarations.field(at, name)?,
            _ => return None,
        };
    }
    Some(declarations.get(at).max_elements)
}
