//! Durations in Go's notation, which Kubernetes uses: `1h30m`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};

/// A duration that is a string such as `1h30m` in objects, like Go's `metav1.Duration`.
///
/// The schema accepts every duration that Go can parse, from 0 to 292 years: it has a pattern, and a CEL rule for the range. `Display`
/// and `Serialize` write the same form as Go, such as `1h30m0s`.
///
/// Source: `ParseDuration` and `Duration.String` in Go's `time/format.go` and `time/time.go`.
///
/// ```
/// use crdkit::{CrdSchema, CustomResource, Duration};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Backup")]
/// struct BackupSpec {
///     timeout: Duration,
/// }
///
/// let spec: BackupSpec = serde_json::from_str(r#"{"timeout": "1.5h"}"#)?;
/// assert_eq!(std::time::Duration::from(spec.timeout).as_secs(), 5_400);
/// assert_eq!(spec.timeout.to_string(), "1h30m0s");
/// assert!("90 minutes".parse::<Duration>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    /// At most `i64::MAX`.
    nanoseconds: u64,
}

/// The error for a string that Go cannot parse as a duration, or for a negative duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotADuration {
    text: String,
}

impl fmt::Display for NotADuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a duration such as `1h30m` or `500ms`, from 0 to 2562047h", self.text)
    }
}

impl std::error::Error for NotADuration {}

impl From<Duration> for std::time::Duration {
    fn from(duration: Duration) -> Self {
        Self::from_nanos(duration.nanoseconds)
    }
}

/// Durations beyond Go's maximum, 292 years, become the maximum.
impl From<std::time::Duration> for Duration {
    fn from(duration: std::time::Duration) -> Self {
        let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        Self { nanoseconds: nanoseconds.unsigned_abs() }
    }
}

impl FromStr for Duration {
    type Err = NotADuration;

    fn from_str(text: &str) -> Result<Self, NotADuration> {
        let parsed = crd_go::time::Duration::parse(text).filter(|_| !text.starts_with(['+', '-']));
        let nanoseconds = parsed.and_then(|duration| u64::try_from(duration.0).ok());
        nanoseconds
            .map(|nanoseconds| Self { nanoseconds })
            .ok_or_else(|| NotADuration { text: text.to_owned() })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SECOND: u64 = 1_000_000_000;
        let (units, name) = match self.nanoseconds {
            0 => return f.write_str("0s"),
            1..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "\u{b5}s"),
            1_000_000..SECOND => (1_000_000, "ms"),
            _ => (SECOND, "s"),
        };
        let (mut whole, part) = (self.nanoseconds / units, self.nanoseconds % units);
        if name == "s" {
            let (hours, minutes) = (whole / 3_600, whole / 60 % 60);
            whole %= 60;
            match (hours, minutes) {
                (0, 0) => {}
                (0, _) => write!(f, "{minutes}m")?,
                _ => write!(f, "{hours}h{minutes}m")?,
            }
        }
        write!(f, "{whole}")?;
        if part > 0 {
            // As many digits as the unit has zeros.
            let width = units.ilog10() as usize;
            write!(f, ".{}", format!("{part:0width$}").trim_end_matches('0'))?;
        }
        f.write_str(name)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn schema_id() -> Cow<'static, str> {
        "crdkit::Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            // Bounds the cost of the rule.
            "maxLength": 64,
            "pattern": r"^(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$",
            "x-kubernetes-validations": [{
                "rule": "duration(self) >= duration('0s')",
                "message": "must be a duration such as 1h30m, of at most 2562047h",
            }],
        })
    }
}
