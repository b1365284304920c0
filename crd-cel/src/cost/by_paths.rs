//! Estimates costs as in cel-go up to 0.22, and therefore as in Kubernetes up to 1.32. Only declared paths, calls and literals have known
//! sizes.

use super::path::Path;
use super::{Comprehension, Coster, ExprId, Local, Size, Step};
use crate::types::Type;

impl<'a> Coster<'a> {
    /// Returns the cost of a loop. `cel.bind` also counts as a loop. In a loop over a list or a map, the loop variable has a path.
    pub(super) fn comprehension_by_paths(&mut self, id: ExprId, fold: &'a Comprehension<'a>) -> u64 {
        let mut sum = self.cost(fold.range);
        sum = sum.saturating_add(self.cost(fold.init));
        let step = match self.type_of(fold.range) {
            Type::List(_) => Some(Step::Items),
            Type::Map(..) => Some(Step::Keys),
            _ => None,
        };
        let path = if step.is_some() { self.node_paths[fold.range.index()] } else { Path::NONE };
        self.locals.push(Local { name: fold.var, path, size: None, elements: None, step });
        let each = self.cost(fold.condition);
        let each = each.saturating_add(self.cost(fold.step));
        self.locals.pop();
        sum = sum.saturating_add(self.cost(fold.result));
        let rounds = self.argument(fold.range, 0).known;
        self.sizes[id.index()] = Some(rounds);
        sum.saturating_add(rounds.max.saturating_mul(each))
    }

    /// Returns the size of a call's result, or of a literal.
    pub(super) fn computed_size(&self, id: ExprId) -> Option<Size> {
        self.sizes[id.index()].or_else(|| self.written_size(id))
    }

    /// Returns the size that is declared for a path, or the size of a scalar.
    pub(super) fn looked_up_size(&self, id: ExprId, path: Path) -> Option<Size> {
        let scalar = || self.is_scalar(self.checked.type_of(id)).then(|| Size::exactly(1));
        self.declared_size(path).or_else(scalar)
    }
}
