//! `CronTab` and `Shirt`, the custom resources of the Kubernetes documentation.

// Clippy takes two columns of one type for an attribute that stands there twice.
#![allow(clippy::duplicated_attributes)]

mod cron_tab;
mod shirt;

pub use cron_tab::{CronTab, CronTabSpec, CronTabStatus};
pub use shirt::{Shirt, ShirtSpec};
