//! Random definitions from a seed, each in a group of its own and accepted by the API server. The build script and
//! `tests/tests/generated_types.rs` generate types for them.

use arbitrary::Unstructured;
use crd_core::CustomResourceDefinition;
use crd_core::check::Verdict;
use serde_json::{Value, json};

use super::structural;

/// Returns the definition of the kind `F` in the group `gAT.example.com`, with one version; `None` if the API server refuses it.
pub fn definition(at: usize, random: &mut Random) -> Option<(Value, CustomResourceDefinition)> {
    let bytes = random.bytes(2_000);
    let mut definition = structural::definition(&mut Unstructured::new(&bytes)).ok()?;
    let group = format!("g{at}.example.com");
    definition["metadata"]["name"] = json!(format!("fs.{group}"));
    definition["spec"]["group"] = json!(group);
    definition["spec"]["versions"].as_array_mut()?.truncate(1);
    let (verdict, crd) = Verdict::with_definition(definition.clone());
    Some((definition, crd.filter(|_| verdict.accepted)?))
}

/// Pseudorandom bytes, the same for the same seed: `SplitMix64`.
pub struct Random(pub u64);

impl Random {
    /// This many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        std::iter::repeat_with(|| self.next().to_le_bytes()).flatten().take(count).collect()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }
}
