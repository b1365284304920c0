//! Findings that a configuration accepts, each with a reason.

use std::time::{SystemTime, UNIX_EPOCH};

use crd_diff::Finding;
use crd_input::is_like;

use crate::configuration::Waiver;

/// The waivers of a configuration.
pub(super) struct Waivers<'c> {
    all: Vec<(&'c Waiver, bool)>,
    today: i64,
}

impl<'c> Waivers<'c> {
    /// The waivers of a configuration.
    pub(super) fn new(waivers: &'c [Waiver]) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let today = i64::try_from(now / 86_400).unwrap_or(i64::MAX);
        Self { all: waivers.iter().map(|waiver| (waiver, false)).collect(), today }
    }

    /// Returns the reason for which a finding is waived.
    pub(super) fn reason(&mut self, finding: &Finding) -> Option<String> {
        let mut reason = None;
        for (waiver, is_used) in &mut self.all {
            if is_meant(waiver, finding) {
                *is_used = true;
                let is_over = waiver.until.as_ref().is_some_and(|(last, _)| *last < self.today);
                reason = reason.or_else(|| (!is_over).then(|| waiver.reason.clone()));
            }
        }
        reason
    }

    /// Lines about waivers that have ended, or that no finding needs.
    pub(super) fn remarks(&self) -> impl Iterator<Item = String> {
        self.all.iter().filter_map(|(waiver, is_used)| match &waiver.until {
            _ if !is_used => Some(format!("the waiver of {} is not needed any more", waiver.subject())),
            Some((last, date)) if *last < self.today => {
                Some(format!("the waiver of {} ended on {date}", waiver.subject()))
            }
            _ => None,
        })
    }
}

fn is_meant(waiver: &Waiver, finding: &Finding) -> bool {
    let is_met =
        |pattern: &Option<String>, text: &str| pattern.as_ref().is_none_or(|pattern| is_like(pattern, text));
    is_met(&waiver.fingerprint, &finding.fingerprint)
        && is_met(&waiver.id, finding.id)
        && is_met(&waiver.path, &finding.path)
        && is_met(&waiver.crd, &finding.crd)
}
