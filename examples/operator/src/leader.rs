//! Leader election: of several copies of the operator, the one that holds a lease works, and the others wait.

// ANCHOR: leader
use std::time::{Duration, Instant};

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use tokio::time::sleep;

/// The name of the lease.
pub const LEASE: &str = "website-operator";

/// A copy of the operator that wants to be the leader.
pub struct Candidate {
    pub leases: Api<Lease>,
    /// A name that no other copy has.
    pub name: String,
    /// The time after which a lease that is not renewed is free.
    pub term: Duration,
}

impl Candidate {
    /// Waits for the lease, and then works while it is renewed. Returns `None` if it was lost before the work was done.
    pub async fn lead<T>(&self, work: impl Future<Output = T>) -> kube::Result<Option<T>> {
        let mut lease = self.acquire().await?;
        let done = tokio::select! {
            done = work => Some(done),
            () = self.keep(&mut lease) => None,
        };
        if done.is_some() {
            // Without this the next leader waits until the term is over, which does no harm.
            let _ = self.leases.replace(LEASE, &PostParams::default(), &released(lease)).await;
        }
        Ok(done)
    }

    async fn acquire(&self) -> kube::Result<Lease> {
        let mut seen = (None, Instant::now());
        loop {
            let Some(lease) = self.leases.get_opt(LEASE).await? else {
                let metadata = ObjectMeta { name: Some(LEASE.into()), ..Default::default() };
                let new = self.taken(Lease { metadata, spec: None });
                match self.leases.create(&PostParams::default(), &new).await {
                    Err(error) if is_conflict(&error) => continue,
                    created => return created,
                }
            };
            // The clocks of two copies can differ, so the time counts for which the lease was seen without a change.
            if seen.0 != lease.resource_version() {
                seen = (lease.resource_version(), Instant::now());
            }
            let holder = lease.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref());
            if holder.is_none_or(str::is_empty) || seen.1.elapsed() > self.term {
                // The API server rejects this with a conflict if another copy was faster.
                match self.leases.replace(LEASE, &PostParams::default(), &self.taken(lease)).await {
                    Err(error) if is_conflict(&error) => {}
                    taken => return taken,
                }
            }
            sleep(self.term / 10).await;
        }
    }

    /// Renews the lease until another copy has it, or until it could not be renewed for a whole term.
    async fn keep(&self, lease: &mut Lease) {
        let mut renewed = Instant::now();
        while renewed.elapsed() < self.term {
            sleep(self.term / 4).await;
            match self.leases.replace(LEASE, &PostParams::default(), &self.renewed(lease.clone())).await {
                Ok(stored) => {
                    *lease = stored;
                    renewed = Instant::now();
                }
                Err(error) if is_conflict(&error) => return,
                Err(error) => eprintln!("the lease is not renewed: {error}"),
            }
        }
    }

    fn taken(&self, mut lease: Lease) -> Lease {
        let spec = lease.spec.get_or_insert_default();
        let had_holder = spec.holder_identity.as_ref().is_some_and(|holder| !holder.is_empty());
        spec.lease_transitions = Some(spec.lease_transitions.unwrap_or(0) + i32::from(had_holder));
        spec.acquire_time = Some(MicroTime(Timestamp::now()));
        self.renewed(lease)
    }

    fn renewed(&self, mut lease: Lease) -> Lease {
        let spec: &mut LeaseSpec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(self.name.clone());
        spec.lease_duration_seconds = i32::try_from(self.term.as_secs()).ok().map(|seconds| seconds.max(1));
        spec.renew_time = Some(MicroTime(Timestamp::now()));
        lease
    }
}

fn released(mut lease: Lease) -> Lease {
    lease.spec.get_or_insert_default().holder_identity = None;
    lease
}

fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}
// ANCHOR_END: leader
