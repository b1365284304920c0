//! A server's settings, such as the clock and the Kubernetes version.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crd_core::KubeVersion;
use crd_go::time::Timestamp;

/// The characters in generated names. Vowels and characters that look alike are left out.
///
/// Source: `k8s.io/apimachinery/pkg/util/rand/rand.go`.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A function with an object's kind and name as arguments.
type Report = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// A server's settings, such as the clock, the source of UIDs, the Kubernetes version, and the built-in kinds.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let mut config = crd_server::Config::default();
/// config.clock(|| UNIX_EPOCH + Duration::from_secs(1_700_000_000)).uids(|| "uid".to_owned());
/// let server = crd_server::Server::with(&config);
/// # drop(server);
/// ```
#[derive(Clone)]
pub struct Config {
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    uids: Arc<dyn Fn() -> String + Send + Sync>,
    suffixes: Arc<dyn Fn() -> String + Send + Sync>,
    pub(crate) kept_events: usize,
    pub(crate) first_revision: u64,
    pub(crate) establish_after: Duration,
    pub(crate) has_built_in_kinds: bool,
    pub(crate) kube_version: KubeVersion,
    registrations: Option<Report>,
    #[cfg(feature = "listen")]
    pub(crate) allowed_hosts: Vec<String>,
    #[cfg(feature = "webhooks")]
    pub(crate) webhook_hosts: Option<Arc<[String]>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemTime::now),
            uids: Arc::new(random_uid),
            suffixes: Arc::new(random_suffix),
            kept_events: 100_000,
            // etcd counts from 1 as well.
            first_revision: 1,
            establish_after: Duration::ZERO,
            has_built_in_kinds: false,
            kube_version: KubeVersion::DEFAULT,
            registrations: None,
            #[cfg(feature = "listen")]
            allowed_hosts: Vec::new(),
            #[cfg(feature = "webhooks")]
            webhook_hosts: None,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").field("kept_events", &self.kept_events).finish_non_exhaustive()
    }
}

impl Config {
    /// Sets the clock. The default is the system clock.
    ///
    /// Timestamps in objects come from this clock. Watch timeouts always use the system clock.
    pub fn clock(&mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> &mut Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets the source of UIDs. By default, UIDs are random.
    pub fn uids(&mut self, uids: impl Fn() -> String + Send + Sync + 'static) -> &mut Self {
        self.uids = Arc::new(uids);
        self
    }

    /// Sets the source of the five letters that end a generated name. By default, these letters are random.
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.name_suffixes(|| "xxxxx".to_owned());
    /// ```
    pub fn name_suffixes(&mut self, suffixes: impl Fn() -> String + Send + Sync + 'static) -> &mut Self {
        self.suffixes = Arc::new(suffixes);
        self
    }

    /// Sets how many events of each resource are kept for watches that begin in the past. A watch that begins before the kept events fails
    /// with `410 Expired`. Each resource's events take at most 64 MiB of memory, so fewer events are kept if the objects are large.
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.kept_events(10);
    /// ```
    pub fn kept_events(&mut self, events: usize) -> &mut Self {
        self.kept_events = events;
        self
    }

    /// Sets the first revision of the server; it is 1 by default.
    ///
    /// If a server replaces another server at the same address, the first revision must be later than all revisions of the replaced server.
    /// For example, use a number derived from the time. A client that continues an old watch then gets `410 Expired`, and lists all objects
    /// again.
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.first_revision(1_000_000);
    /// ```
    pub fn first_revision(&mut self, revision: u64) -> &mut Self {
        self.first_revision = revision.max(1);
        self
    }

    /// Sets the delay until a CRD that a client has created is established. By default, there is no delay.
    ///
    /// During the delay, the condition `Established` is `False` with the reason `Installing`, discovery does not list the kind, and
    /// requests for objects of the kind fail with 404. In a cluster with several API servers, each server begins to serve a CRD at a
    /// different time, and only the condition shows that all of them serve it. With a delay, a test can detect an operator that does not
    /// wait for the condition. The delay is always measured with the system clock, even if [`Config::clock`] sets another clock.
    ///
    /// CRDs are established at once if the test itself creates them with [`Server::create`](crate::Server::create) or
    /// [`Server::seed`](crate::Server::seed).
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.establish_after(std::time::Duration::from_secs(1));
    /// ```
    pub fn establish_after(&mut self, delay: Duration) -> &mut Self {
        self.establish_after = delay;
        self
    }

    /// Sets a function that is called when a client stores the first admission webhook configuration or admission policy of a kind. The
    /// function gets the object's kind and name. Such objects have no effect, because the server calls no admission webhooks and evaluates
    /// no policies.
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.built_in_kinds().on_registration(|kind, name| eprintln!("{kind} {name} has no effect"));
    /// ```
    pub fn on_registration(&mut self, report: impl Fn(&str, &str) + Send + Sync + 'static) -> &mut Self {
        self.registrations = Some(Arc::new(report));
        self
    }

    pub(crate) fn report_registration(&self, kind: &str, name: &str) {
        if let Some(report) = &self.registrations {
            report(kind, name);
        }
    }

    /// Serves built-in kinds besides custom resources: Namespaces, ConfigMaps, Secrets, Services, Pods, Deployments, Jobs, Events, Leases,
    /// Roles and others.
    ///
    /// Objects of built-in kinds get Kubernetes' defaults, but are not validated, and no controller acts on them. Server-side apply merges
    /// lists in these objects as Kubernetes does. Objects can only be created in a namespace that exists; `default`, `kube-system`,
    /// `kube-public` and `kube-node-lease` exist from the start.
    ///
    /// ```
    /// use crd_server::{Config, Server};
    /// use serde_json::json;
    ///
    /// let mut config = Config::default();
    /// config.built_in_kinds();
    /// let server = Server::with(&config);
    /// let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"key": "value"}});
    /// assert_eq!(server.create(&settings)?["metadata"]["namespace"], "default");
    ///
    /// let elsewhere = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "other"}});
    /// assert_eq!(server.create(&elsewhere).unwrap_err().to_string(), "namespaces \"other\" not found");
    /// # Ok::<(), crd_server::Rejected>(())
    /// ```
    pub fn built_in_kinds(&mut self) -> &mut Self {
        self.has_built_in_kinds = true;
        self
    }

    /// Sets the Kubernetes version of the server; the default is [`KubeVersion::DEFAULT`].
    ///
    /// CRDs and objects are validated as in the given version. Everything else behaves like Kubernetes 1.36 or 1.37, whichever is closer,
    /// because the server was compared with these two versions.
    ///
    /// ```
    /// use crd_server::{Config, KubeVersion, Server};
    ///
    /// let mut config = Config::default();
    /// config.kube_version(KubeVersion::new(36));
    /// let version = Server::with(&config).handle(http::Request::get("/version").body(Vec::new()).unwrap());
    /// let version = String::from_utf8(version.into_body().read_now()).unwrap();
    /// assert!(version.contains("\"gitVersion\": \"v1.36.0\""));
    /// ```
    pub fn kube_version(&mut self, version: KubeVersion) -> &mut Self {
        self.kube_version = version;
        self
    }

    /// Allows TCP clients to address the server by this host name, besides `localhost` and IP addresses.
    ///
    /// Allow only names that nobody else can point to this machine. Otherwise, any web page in a browser can read and write all objects.
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.allow_host("kube.test");
    /// ```
    #[cfg(feature = "listen")]
    pub fn allow_host(&mut self, name: impl Into<String>) -> &mut Self {
        self.allowed_hosts.push(name.into());
        self
    }

    /// Calls conversion webhooks whose URLs are on this machine or on one of these hosts. The calls use HTTPS, trust the certificates in
    /// the webhook's `caBundle`, and have a time limit of 30 s. A function set with [`Server::convert`](crate::Server::convert) has
    /// precedence over the webhook.
    ///
    /// ```
    /// let mut config = crd_server::Config::default();
    /// config.call_webhooks(["webhook.test"]);
    /// ```
    #[cfg(feature = "webhooks")]
    pub fn call_webhooks<H: Into<String>>(&mut self, hosts: impl IntoIterator<Item = H>) -> &mut Self {
        self.webhook_hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the current time plus a duration, in whole seconds.
    pub(crate) fn time(&self, later: Duration) -> String {
        let since = (self.clock)().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let since = since.saturating_add(later);
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        Timestamp { seconds, nanos: 0, offset: 0 }.print()
    }

    pub(crate) fn uid(&self) -> String {
        (self.uids)()
    }

    pub(crate) fn suffix(&self) -> String {
        (self.suffixes)()
    }
}

/// Returns a random UID (version 4 of RFC 9562).
pub(crate) fn random_uid() -> String {
    let bits = (fastrand::u128(..) & !(0xf << 76) & !(0b11 << 62)) | (4 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn random_suffix() -> String {
    (0..5).map(|_| char::from(LETTERS[fastrand::usize(..LETTERS.len())])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_of_version_4() {
        assert!(crd_go::formats::is_uuid(&random_uid(), Some('4')));
    }

    #[test]
    fn suffixes_have_five_letters() {
        let suffix = random_suffix();
        assert_eq!(suffix.len(), 5);
        assert!(suffix.bytes().all(|letter| LETTERS.contains(&letter)));
    }
}
