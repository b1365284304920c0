//! Reads waivers, which accept problems for a given reason.

use std::ops::Range;

use crd_go::time::days_since_1970;
use toml::value::Datetime;

use super::keys::{Fault, Keys};

/// A waiver. A problem is accepted if it matches all given patterns.
#[derive(Clone, Debug)]
pub(crate) struct Waiver {
    pub(crate) fingerprint: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) crd: Option<String>,
    pub(crate) reason: String,
    /// The waiver's last day: the number of days since 1 January 1970, and the text of the date.
    pub(crate) until: Option<(i64, String)>,
}

/// Reads a waiver.
pub(super) fn waiver((mut keys, place): (Keys<'_>, Range<usize>)) -> Result<Waiver, Fault> {
    let mut text = |key: &str| keys.take::<String>(key, &format!("`{key} = \"...\"`"));
    let (fingerprint, id, path, crd) = (text("fingerprint")?, text("id")?, text("path")?, text("crd")?);
    let reason = text("reason")?.filter(|reason| !reason.trim().is_empty());
    let until = keys.take::<Datetime>("until", "a date: `until = 2027-01-31`")?;
    keys.expect_none(&["fingerprint", "id", "path", "crd", "reason", "until"])?;
    if fingerprint.is_none() && id.is_none() && path.is_none() && crd.is_none() {
        let keys = "`fingerprint`, `id`, `path` or `crd`";
        return Err(Fault::new(format!("the waiver matches everything: it needs {keys}")).at(place));
    }
    let mut waiver = Waiver { fingerprint, id, path, crd, reason: String::new(), until: None };
    let no_reason = || Fault::new(format!("the waiver of {} has no reason", waiver.subject()));
    waiver.reason = reason.ok_or_else(no_reason).map_err(|fault| fault.at(place.clone()))?;
    if let Some(until) = until {
        let date = until.date.filter(|_| until.time.is_none());
        let date = date.ok_or_else(|| Fault::new("expected a date: `until = 2027-01-31`").at(place))?;
        let day = days_since_1970(date.year.into(), date.month.into(), date.day.into());
        waiver.until = Some((day, date.to_string()));
    }
    Ok(waiver)
}

impl Waiver {
    /// Returns a description of the accepted problems for messages.
    pub(crate) fn subject(&self) -> String {
        let parts = [&self.fingerprint, &self.id, &self.crd, &self.path];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        format!("`{}`", parts.join(" "))
    }
}
