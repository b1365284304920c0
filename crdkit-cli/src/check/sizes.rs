//! The bytes of CRDs, for people and as JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

use crd_core::CustomResourceDefinition;
use crd_core::check::{CrdSizes, SizedPart};
use crd_core::yaml::to_yaml;
use crd_go::base64::encode_std;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// The parts that are shown to people.
const SHOWN: usize = 20;

/// The bytes of a Secret, in which Helm keeps a release.
///
/// Source: `MaxSecretSize` in `k8s.io/api/core/v1/types.go`.
const MOST_RELEASED: usize = 1 << 20;

/// The bytes of a CRD where it is kept.
pub(super) struct Measured {
    sizes: CrdSizes,
    /// The bytes in the Secret of a release of Helm, if the CRD is alone in the chart.
    helm: usize,
}

impl Measured {
    pub(super) fn measure(crd: &CustomResourceDefinition) -> Self {
        Self { sizes: CrdSizes::measure(crd), helm: released(&to_yaml(&crd.to_value())) }
    }

    /// Returns a table of the sizes, the largest schemas first.
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

    /// Returns the sizes as part of the line of a CRD.
    pub(super) fn json(&self) -> Value {
        let part = |SizedPart { version, path, bytes, .. }: &SizedPart| json!({"version": version, "path": path, "bytes": bytes});
        let parts: Vec<Value> = self.sizes.parts.iter().map(part).collect();
        json!({"apply": self.sizes.apply, "stored": self.sizes.stored, "helm": self.helm, "parts": parts})
    }
}

/// Returns the bytes that a template of a chart takes in the Secret of a release: Helm keeps the template and what it renders, compressed and in base64.
///
/// Source: `encodeRelease` in `helm.sh/helm/v3/pkg/storage/driver/util.go`.
fn released(text: &str) -> usize {
    let release = json!({"chart": {"templates": [{"data": encode_std(text.as_bytes())}]}, "manifest": text});
    let mut compressed = GzEncoder::new(Count::default(), Compression::best());
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut compressed, &release);
    let bytes = compressed.finish().map_or(0, |count| count.0);
    bytes.div_ceil(3) * 4
}

/// Counts what is written.
#[derive(Default)]
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_compressed_and_in_base64() {
        // The text once as it is and once in base64, of which gzip keeps a quarter more than it has bits.
        let random: String = (0..3000_u32)
            .map(|at| char::from(33 + (at.wrapping_mul(2_654_435_761) >> 24) as u8 % 90))
            .collect();
        let once = released(&random);
        assert!((6_000..12_000).contains(&once), "{once}");
        assert!(released(&"a".repeat(3000)) < 300);
    }
}
