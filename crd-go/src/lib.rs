//! Strings as Go's standard library and Kubernetes' string helpers treat them.
//!
//! The Kubernetes API server is written in Go. Its verdicts quote values as Go quotes them, print numbers as Go prints them, and reject
//! times, addresses, URLs and patterns with the messages of Go's packages. This crate contains those functions, for the crates that predict
//! the API server's responses. The documentation of each function gives the original in Go.
//!
//! | module | Go packages |
//! |---|---|
//! | [`strings`] | `strconv.Quote`, `unicode.IsPrint`, `strings.ToLower` |
//! | [`number`] | `strconv.ParseFloat`, `strconv.FormatFloat` |
//! | [`time`] | `time.Parse`, `time.ParseDuration` |
//! | `ip` | `net/netip` |
//! | `url` | `net/url` |
//! | [`base64`] | `encoding/base64` |
//! | [`cel_names`] | `k8s.io/apiserver/pkg/cel`, `Escape` and `Unescape` |
//! | `names` | `k8s.io/apimachinery/pkg/util/validation` |
//! | [`field`] | `k8s.io/apimachinery/pkg/util/validation/field` |
//! | `outline` | `k8s.io/apiextensions-apiserver`, `validation.go`: strings outside schemas |
//! | [`json_text`], [`json_parts`] | none: JSON in strings of code, without serde |
//! | `budget` | none: limits in counted steps instead of time |
//! | [`nearest`] | none: suggestions for misspelled names |
//! | `formats` | `k8s.io/kube-openapi/pkg/validation/strfmt` |
//! | `json`, with the feature `json` | `encoding/json`, `fmt`, `reflect.DeepEqual` |
//! | `re2`, with the feature `re2` | `regexp`, `regexp/syntax` |
//!
//! The feature `outline` adds addresses, URLs, names, formats, step limits, and the checks of the strings in a CRD.
//!
//! ```
//! # #[cfg(feature = "outline")] {
//! use crd_go::{names, strings, url};
//!
//! assert_eq!(strings::quote("a\tb\u{200b}"), r#""a\tb\u200b""#);
//! assert_eq!(names::dns_1035_label("my-name"), [""; 0]);
//!
//! let error = url::parse("http://[::1").unwrap_err();
//! assert_eq!(error, r#"parse "http://[::1": missing ']' in host"#);
//! # }
//! ```
//!
//! The crate is pure: it does no input or output, starts no thread and reads no clock. Input may be hostile: nothing panics.
#![forbid(unsafe_code)]

pub mod base64;
#[cfg(feature = "outline")]
pub mod budget;
pub mod cel_names;
pub mod field;
#[cfg(feature = "outline")]
pub mod formats;
#[cfg(feature = "outline")]
pub mod ip;
#[cfg(feature = "json")]
pub mod json;
pub mod json_parts;
pub mod json_text;
mod kube_version;
#[cfg(feature = "outline")]
pub mod names;
pub mod nearest;
pub mod number;
#[cfg(feature = "outline")]
pub mod outline;
#[cfg(feature = "re2")]
pub mod re2;
pub mod strings;
pub mod time;
#[cfg(feature = "outline")]
pub mod url;
mod version_order;

pub use kube_version::{InvalidKubeVersion, KubeVersion};
pub use version_order::compare_versions;
