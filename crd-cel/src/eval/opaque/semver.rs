//! Semantic versions, with the errors of `blang/semver`.

use std::cmp::Ordering;
use std::fmt;

use crd_go::strings::quote;

/// A semantic version.
#[derive(Clone, Debug)]
pub struct Semver {
    pub(crate) numbers: [u64; 3],
    pre: Vec<Identifier>,
    /// The build. It is part of the text, but does not count when versions are compared.
    build: Box<str>,
}

impl PartialEq for Semver {
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers && self.pre == other.pre
    }
}

impl Eq for Semver {}

/// A part of a pre-release. Numbers come before names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identifier {
    Number(u64),
    Name(Box<str>),
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (index, part) in self.pre.iter().enumerate() {
            f.write_str(if index == 0 { "-" } else { "." })?;
            match part {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Name(name) => f.write_str(name)?,
            }
        }
        if !self.build.is_empty() {
            write!(f, "+{}", self.build)?;
        }
        Ok(())
    }
}

impl Semver {
    /// Returns the CPU work of comparing this version with another version.
    pub(crate) fn work(&self) -> u64 {
        self.pre
            .iter()
            .map(|part| 8 + if let Identifier::Name(name) = part { name.len() as u64 / 8 } else { 0 })
            .sum()
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(patch)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let major = Self::number(major, "major")?;
        let minor = Self::number(minor, "minor")?;
        let (patch, build) = match patch.split_once('+') {
            Some((patch, build)) => (patch, Some(build)),
            None => (patch, None),
        };
        let (patch, pre) = match patch.split_once('-') {
            Some((patch, pre)) => (patch, Some(pre)),
            None => (patch, None),
        };
        let patch = Self::number(patch, "patch")?;
        let pre = pre.map_or_else(|| Ok(Vec::new()), |pre| pre.split('.').map(identifier).collect())?;
        for part in build.into_iter().flat_map(|build| build.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".to_owned());
            }
            if !part.bytes().all(is_identifier) {
                return Err(format!("Invalid character(s) found in build meta data {}", quote(part)));
            }
        }
        Ok(Self { numbers: [major, minor, patch], pre, build: build.unwrap_or_default().into() })
    }

    fn number(text: &str, which: &str) -> Result<u64, String> {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("Invalid character(s) found in {which} number {}", quote(text)));
        }
        if text.len() > 1 && text.starts_with('0') {
            let which = which[..1].to_uppercase() + &which[1..];
            return Err(format!("{which} number must not contain leading zeroes {}", quote(text)));
        }
        parse_uint(text)
    }
}

impl PartialOrd for Semver {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Semver {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            // A release comes after its pre-releases.
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.pre.cmp(&other.pre),
        })
    }
}

fn parse_uint(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let why = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {why}", quote(text))
    })
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quote(text)
            ));
        }
        return parse_uint(text).map(Identifier::Number);
    }
    if text.bytes().all(is_identifier) {
        Ok(Identifier::Name(text.into()))
    } else {
        Err(format!("Invalid character(s) found in prerelease {}", quote(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for text in ["1.2.3", "1.2.3-rc.1", "1.2.3+b5", "1.2.3-a+b"] {
            assert!(Semver::parse(text).is_ok(), "{text}");
        }
        for (text, error) in [
            ("1.2", "No Major.Minor.Patch elements found"),
            ("", "Version string empty"),
            ("v1.2.3", "Invalid character(s) found in major number \"v1\""),
            ("1.02.3", "Minor number must not contain leading zeroes \"02\""),
            ("1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\""),
            ("1.2.3-", "Prerelease is empty"),
            (
                "99999999999999999999.0.0",
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        ] {
            assert_eq!(Semver::parse(text), Err(error.to_owned()), "{text}");
        }
    }

    #[test]
    fn versions_are_ordered() {
        let read = |text: &str| Semver::parse(text).unwrap();
        let ordered = ["1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-a", "1.0.0-a.1", "1.0.0", "1.9.0", "1.10.0"];
        for pair in ordered.windows(2) {
            assert!(read(pair[0]) < read(pair[1]), "{pair:?}");
        }
        assert_eq!(read("1.0.0+a"), read("1.0.0+b"));
    }
}
