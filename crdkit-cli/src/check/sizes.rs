//! Measures CRDs in bytes, and formats the sizes as text and JSON.

use std::fmt::Write as _;

use crd_core::CustomResourceDefinition;
use crd_core::check::{CrdSizes, SizedPart};
use crd_core::yaml::to_yaml;
use crd_go::base64::encode_std;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// Maximum number of schema parts in text output.
const SHOWN: usize = 20;

/// Maximum size in bytes of the Secret in which Helm keeps a release.
///
/// Source: `MaxSecretSize` in `k8s.io/api/core/v1/types.go`.
const MOST_RELEASED: usize = 1 << 20;

/// A CRD's size in `kubectl apply`, etcd and Helm.
pub(super) struct Measured {
    sizes: CrdSizes,
    /// The size of a Helm release's Secret if the chart contains only this CRD.
    helm: usize,
}

impl Measured {
    pub(super) fn measure(crd: &CustomResourceDefinition) -> Self {
        Self { sizes: CrdSizes::measure(crd), helm: released(&to_yaml(&crd.to_value())) }
    }

    /// Returns a table of sizes, with the largest schemas first.
    pub(super) fn table(&self, name: &str) -> String {
        let CrdSizes { apply, stored, parts, .. } = &self.sizes;
        let (most_applied, most_stored) = (CrdSizes::MOST_APPLIED, CrdSizes::MOST_STORED);
        let mut table = format!(
            "{name}: {apply} of {most_applied} bytes for `kubectl apply`, {stored} of {most_stored} for etcd, {} of {MOST_RELEASED} for Helm\n",
            self.helm
        );
        for SizedPart { version, path, bytes, .. } in parts.iter().take(SHOWN) {
            let path = if path.is_empty() { "(the whole object)" } else { path };
            // Writing to a string does not fail.
            let _ = writeln!(table, "  {bytes:>9}  {version}  {path}");
        }
        if parts.len() > SHOWN {
            let _ = writeln!(table, "  {} more, which `--format json` shows", parts.len() - SHOWN);
        }
        table
    }

    /// Returns the sizes as part of a CRD's line of JSON.
    pub(super) fn json(&self) -> Value {
        let part = |SizedPart { version, path, bytes, .. }: &SizedPart| json!({"version": version, "path": path, "bytes": bytes});
        let parts: Vec<Value> = self.sizes.parts.iter().map(part).collect();
        json!({"apply": self.sizes.apply, "stored": self.sizes.stored, "helm": self.helm, "parts": parts})
    }
}

/// Returns the number of bytes that a chart template takes in the release's Secret, where Helm keeps the template and the output,
/// compressed and in base64.
///
/// Source: `encodeRelease` in `helm.sh/helm/v3/pkg/storage/driver/util.go`.
fn released(text: &str) -> usize {
    let release = json!({"chart": {"templates": [{"data": encode_std(text.as_bytes())}]}, "manifest": text});
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut compressed, &release);
    compressed.finish().map_or(0, |bytes| bytes.len().div_ceil(3) * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_compressed_and_in_base64() {
        let mut state = 1_u64;
        let random: String = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap_or_default())
        })
        .take(3000)
        .collect();
        // 3,000 letters of 4.7 bits, as they are and in base64; the result is in base64 again.
        let bytes = released(&random);
        assert!((4_700..7_000).contains(&bytes), "{bytes}");
        assert!(released(&"a".repeat(3000)) < 300);
    }
}
