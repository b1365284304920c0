//! Results of quick checks before the validation of new objects.

use super::screen::Screened;
use super::version::CompiledVersion;
use crate::rules::Found;

/// The result of a new object's quick check, before its validation.
pub(super) struct Preview<'v> {
    pub(super) version: &'v CompiledVersion,
    pub(super) screened: Screened,
    /// The result of the object's rules, if the rules ran.
    pub(super) found: Option<Found>,
    /// `true` if the object is accepted and stored as it was sent, except for its conversion to the stored version.
    pub(super) is_accepted: bool,
}
