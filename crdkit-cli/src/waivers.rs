//! Applies waivers, with which a configuration accepts findings (reported problems) for a given reason: `[[waive]]`. `diff` and `lint` use
//! the same tables.

use std::time::{SystemTime, UNIX_EPOCH};

use crd_input::is_like;

use crate::configuration::Waiver;

/// The data in a finding that waivers are compared with.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'f> {
    pub(crate) id: &'f str,
    pub(crate) crd: &'f str,
    pub(crate) path: &'f str,
    pub(crate) fingerprint: Option<&'f str>,
}

/// The waivers in a configuration.
pub(crate) struct Waivers<'c> {
    all: Vec<(&'c Waiver, bool)>,
    today: i64,
}

impl<'c> Waivers<'c> {
    /// Returns the waivers for which `is_wanted` returns `true`. The other waivers belong to other commands.
    pub(crate) fn new(waivers: &'c [Waiver], is_wanted: impl Fn(&Waiver) -> bool) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let today = i64::try_from(now / 86_400).unwrap_or(i64::MAX);
        let wanted = waivers.iter().filter(|waiver| is_wanted(waiver));
        Self { all: wanted.map(|waiver| (waiver, false)).collect(), today }
    }

    /// Returns `true` if there is no waiver for the command.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the reason why a finding is waived.
    pub(crate) fn reason(&mut self, subject: Subject<'_>) -> Option<String> {
        let mut reason = None;
        for (waiver, is_used) in &mut self.all {
            if is_meant(waiver, subject) {
                *is_used = true;
                let is_over = waiver.until.as_ref().is_some_and(|(last, _)| *last < self.today);
                reason = reason.or_else(|| (!is_over).then(|| waiver.reason.clone()));
            }
        }
        reason
    }

    /// Returns messages about expired and unused waivers.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        self.all.iter().filter_map(|(waiver, is_used)| match &waiver.until {
            _ if !is_used => Some(format!("the waiver of {} is no longer needed", waiver.subject())),
            Some((last, date)) if *last < self.today => {
                Some(format!("the waiver of {} expired on {date}", waiver.subject()))
            }
            _ => None,
        })
    }
}

fn is_meant(waiver: &Waiver, subject: Subject<'_>) -> bool {
    subject.fingerprint.map_or(waiver.fingerprint.is_none(), |text| is_met(&waiver.fingerprint, text))
        && is_met(&waiver.id, subject.id)
        && is_met(&waiver.path, subject.path)
        && is_met(&waiver.crd, subject.crd)
}

/// Returns `true` if a text matches a pattern from the configuration, or if there is no pattern.
pub(crate) fn is_met(pattern: &Option<String>, text: &str) -> bool {
    pattern.as_ref().is_none_or(|pattern| is_like(pattern, text))
}
