//! The functions that rules can call: one table, with a row for every overload.

mod conversion;
mod estimate;
mod row;
mod table;

pub(crate) use conversion::Conversion;
pub(crate) use estimate::Estimate;
pub(crate) use row::Row;

/// Returns the table of functions.
pub(crate) fn rows() -> &'static [Row] {
    table::ROWS
}

/// The index of an overload in the table of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverloadId(u16);

impl OverloadId {
    pub(crate) const fn new(index: usize) -> Self {
        Self(index as u16)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn row(self) -> &'static Row {
        &table::ROWS[self.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::env::OLDEST;
    use crate::macros::Addition;

    /// `Words` relies on such functions having the same version as their macros.
    #[test]
    fn functions_that_macros_insert_come_with_their_macros() {
        for row in rows().iter().filter(|row| row.function.contains('@')) {
            let of_macros = [Addition::TwoVariables, Addition::SortBy].map(Addition::since);
            let first = row.versions.first();
            assert!(first <= OLDEST || of_macros.contains(&first), "{}", row.function);
        }
    }

    #[test]
    fn every_overload_has_a_name_of_its_own() {
        let mut ids: Vec<_> = rows().iter().map(|row| row.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn overloads_of_a_function_stand_together() {
        let mut names: Vec<_> = rows().iter().map(|row| row.function).collect();
        names.dedup();
        assert!(names.is_sorted());
    }
}
