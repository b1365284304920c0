//! Rules, their groups, and their levels in profiles.

use std::collections::BTreeMap;

/// A lint rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The name by which users select or waive the rule.
    pub id: &'static str,
    /// The kind of harm that a violation causes.
    pub group: Group,
    /// The reason.
    pub why: &'static str,
    /// The source: a page of the Kubernetes documentation, an upstream file, or the affected tool.
    pub source: &'static str,
    /// The level in each profile, in the order of [`Profile::ALL`].
    pub(crate) levels: [Option<LintLevel>; 5],
}

impl Rule {
    /// Returns the level in a profile; `None` if the rule is off in this profile.
    #[must_use]
    pub fn level(&self, profile: Profile) -> Option<LintLevel> {
        self.levels[profile as usize]
    }
}

/// The kind of harm that a violation causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Group {
    /// Something does not work, at least for some users.
    Broken,
    /// The setting violates the Kubernetes API conventions.
    Convention,
    /// Tools that apply files fail, or see differences although nothing has changed.
    Gitops,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 3] = [Self::Broken, Self::Convention, Self::Gitops];

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Convention => "convention",
            Self::Gitops => "gitops",
        }
    }
}

/// The input that a rule examines, and the way in which it finds problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The rule examines a single CRD.
    Crd,
    /// The rule reports advice from [`crd_core::check::advise`].
    Advice,
    /// The rule searches for an object that proves the finding.
    Objects,
    /// The rule compares several CRDs.
    SeveralCrds,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LintLevel {
    /// The finding is shown.
    Note,
    /// The finding is shown, and should be fixed.
    Warning,
    /// The command fails.
    Error,
}

impl LintLevel {
    /// All levels, the lowest first.
    pub const ALL: [Self; 3] = [Self::Note, Self::Warning, Self::Error];

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Returns the level with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

/// A selection of rules, with their levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// Only rules about settings that do not work.
    Minimal,
    /// For authors of CRDs.
    #[default]
    Crd,
    /// For APIs that follow all Kubernetes API conventions.
    Kubernetes,
    /// For CRDs that are applied from a repository.
    Gitops,
    /// For CRDs whose objects have several field managers (server-side apply).
    Ssa,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 5] = [Self::Minimal, Self::Crd, Self::Kubernetes, Self::Gitops, Self::Ssa];

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Crd => "crd",
            Self::Kubernetes => "kubernetes",
            Self::Gitops => "gitops",
            Self::Ssa => "ssa",
        }
    }

    /// Returns the profile with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }

    /// Returns the purpose of the profile, on one line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Minimal => "Only settings that are broken",
            Self::Crd => "Findings that help the authors of CRDs",
            Self::Kubernetes => "All API conventions of Kubernetes",
            Self::Gitops => "For CRDs that are applied from a repository",
            Self::Ssa => "For objects that have several field managers",
        }
    }
}

/// Options for [`lint`](crate::lint).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LintOptions {
    /// The profile, which gives each rule its level.
    pub profile: Profile,
    /// The levels of individual rules by id, which override the profile; `None` turns a rule off.
    pub levels: BTreeMap<&'static str, Option<LintLevel>>,
}

impl LintOptions {
    /// Creates the options for a profile.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self { profile, levels: BTreeMap::new() }
    }

    /// Returns the level of a rule; `None` if it is off.
    #[must_use]
    pub fn level(&self, rule: &Rule) -> Option<LintLevel> {
        self.levels.get(rule.id).copied().unwrap_or_else(|| rule.level(self.profile))
    }
}
