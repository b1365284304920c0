//! `CronTab` and `Shirt`, the custom resources of the Kubernetes documentation.

mod cron_tab;
mod shirt;

pub use cron_tab::{CronTab, CronTabSpec, CronTabStatus};
pub use shirt::{Shirt, ShirtSpec};
