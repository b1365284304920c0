//! A place in a schema while it is walked: it costs nothing until something is found there.

use crate::FieldPath;

/// A [`FieldPath`] that borrows its steps from the schema and its beginning from the caller.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Base(&'a FieldPath),
    Child(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Place<'a> {
    /// The place at which a walk begins.
    pub(crate) fn new(base: &'a FieldPath) -> Self {
        Self { parent: None, step: Step::Base(base) }
    }

    pub(crate) fn child(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Child(name) }
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    /// The path, to be kept.
    pub(crate) fn path(&self) -> FieldPath {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(Self { parent, step }) = place {
            steps.push(step);
            place = *parent;
        }
        steps.into_iter().rev().fold(FieldPath::root(), |path, step| match step {
            Step::Base(base) => (*base).clone(),
            Step::Child(name) => path.child(*name),
            Step::Index(index) => path.index(*index),
            Step::Key(key) => path.key(*key),
        })
    }
}
