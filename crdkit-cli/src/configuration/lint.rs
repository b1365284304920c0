//! Reads the table `[lint]`, which contains the settings for `crdkit lint`.

use std::path::{Path, PathBuf};

use crd_go::nearest::nearest;
use crd_lint::{LintLevel, Profile, rule_names};

use super::keys::{Fault, Keys};

/// A project's settings for `crdkit lint`.
#[derive(Clone, Debug, Default)]
pub(crate) struct LintChoices {
    pub(crate) profile: Option<Profile>,
    /// The levels of groups and rules. `None` turns off a group or rule.
    pub(crate) levels: Levels,
    /// Levels for some paths or CRDs only.
    pub(crate) at: Vec<LevelsAt>,
    /// The file with known problems. Known problems are not reported.
    pub(crate) baseline: Option<PathBuf>,
}

/// Levels for groups and rules, in the order of the file.
pub(crate) type Levels = Vec<(String, Option<LintLevel>)>;

/// Levels for all problems that match the patterns.
#[derive(Clone, Debug)]
pub(crate) struct LevelsAt {
    pub(crate) path: Option<String>,
    pub(crate) crd: Option<String>,
    pub(crate) levels: Levels,
}

/// Reads the table. Paths are relative to `folder`.
pub(super) fn lint(mut keys: Keys<'_>, folder: &Path) -> Result<LintChoices, Fault> {
    let named = |name: &str| {
        let names = || Profile::ALL.map(Profile::as_str).join("`, `");
        Profile::from_name(name)
            .ok_or_else(|| format!("unknown profile `{name}`; the profiles are `{}`", names()))
    };
    let profile = keys.take_parsed("profile", "`profile = \"crd\"`", named)?;
    let levels_of = keys.take_table("levels", "a table of rules and groups, as in `[lint.levels]`")?;
    let tables = keys.take_tables("at", "tables, as in `[[lint.at]]`")?;
    let baseline = keys.take::<String>("baseline", "`baseline = \"lint-baseline.txt\"`")?;
    keys.expect_none(&["profile", "levels", "at", "baseline"])?;
    let mut at = Vec::new();
    for (mut keys, place) in tables {
        let mut text = |key: &str| keys.take::<String>(key, &format!("`{key} = \"...\"`"));
        let (path, crd) = (text("path")?, text("crd")?);
        let found = keys.take_table("levels", "a table: `levels = {phase = \"off\"}`")?;
        keys.expect_none(&["path", "crd", "levels"])?;
        let found = match found {
            Some(found) if path.is_some() || crd.is_some() => found,
            _ => return Err(Fault::new("`[[lint.at]]` needs `levels`, and `path` or `crd`").at(place)),
        };
        at.push(LevelsAt { path, crd, levels: levels(found)? });
    }
    Ok(LintChoices {
        profile,
        levels: levels_of.map_or(Ok(Vec::new()), levels)?,
        at,
        baseline: baseline.map(|file| folder.join(file)),
    })
}

/// Returns an error about an unknown rule or group. The error suggests the rule or group that the user probably meant.
pub(crate) fn unknown_rule(name: &str) -> String {
    let help = match nearest(name, rule_names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`crdkit lint --list` shows all".to_owned(),
    };
    format!("unknown rule or group `{name}`; {help}")
}

fn levels(mut keys: Keys<'_>) -> Result<Levels, Fault> {
    let mut all = Vec::new();
    for (name, place) in keys.names() {
        if !rule_names().any(|known| known == name) {
            return Err(Fault::new(unknown_rule(&name)).at(place));
        }
        let expected = format!("`{name} = \"off\"`, `\"note\"`, `\"warning\"` or `\"error\"`");
        let level = keys.take_parsed(&name, &expected, |text| {
            let level = LintLevel::from_name(text);
            if level.is_some() || text == "off" { Ok(level) } else { Err(format!("expected {expected}")) }
        })?;
        all.extend(level.map(|level| (name, level)));
    }
    Ok(all)
}
