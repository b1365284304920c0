//! `CronTab` and `Shirt`, the custom resources of the Kubernetes documentation.

// ANCHOR: lib
// Two printer columns of the same type look like a duplicated attribute to Clippy.
#![allow(clippy::duplicated_attributes)]

mod cron_tab;
mod shirt;

pub use cron_tab::{CronTab, CronTabSpec, CronTabStatus};
pub use shirt::{Shirt, ShirtSpec};
// ANCHOR_END: lib
