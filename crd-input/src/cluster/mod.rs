//! Reads CRDs from a cluster, and converts each to a text that resembles the applied file.

#[cfg(test)]
mod hostile;
mod requests;

use crd_core::crd::{API_VERSION, KIND};
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_go::nearest::nearest;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use serde_json::{Map, Value, json};

use self::requests::{Bounds, Requests, check_names};
use super::error::{Error, Fault};
use super::{Limits, Source, is_like};

/// The group, the version and the plural name of the resource for CRDs.
const DEFINITIONS: (&str, &str, &str) = ("apiextensions.k8s.io", "v1", "customresourcedefinitions");
/// The name of the cluster in messages and headers. The same context can have different names on different machines, so its
/// name is not shown.
const CLUSTER: &str = "<cluster>";

/// Reads CRDs and other objects from a cluster in the user's kubeconfig. Needs the feature `cluster`.
///
/// ```no_run
/// use crd_input::{Cluster, Limits};
///
/// let limits = Limits::default();
/// let sources = Cluster::new().context("staging").select("*.cert-manager.io").sources(&limits)?;
/// let read = crd_input::definitions(&sources, &limits, &|| ());
/// # Ok::<(), crd_input::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    context: Option<String>,
    select: Vec<String>,
    has_status: bool,
}

impl Cluster {
    /// Creates a reader for all CRDs in the current context's cluster, or, without a kubeconfig, in the cluster in which the process runs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads from this context's cluster.
    ///
    /// ```
    /// crd_input::Cluster::new().context("staging");
    /// ```
    pub fn context(&mut self, context: impl Into<String>) -> &mut Self {
        self.context = Some(context.into());
        self
    }

    /// Reads only CRDs whose name, group or plural matches this pattern or a pattern from an earlier call. `*` matches any string.
    ///
    /// ```
    /// use crd_input::Cluster;
    ///
    /// Cluster::new().select("shirts.stable.example.com").select("cert-manager.io").select("*.istio.io").select("gateways");
    /// ```
    pub fn select(&mut self, pattern: impl Into<String>) -> &mut Self {
        self.select.push(pattern.into());
        self
    }

    /// Keeps the status of the CRDs, because it contains the stored versions.
    ///
    /// ```
    /// crd_input::Cluster::new().with_status();
    /// ```
    pub fn with_status(&mut self) -> &mut Self {
        self.has_status = true;
        self
    }

    /// Reads a CRD's objects in the given version, from all namespaces.
    ///
    /// # Errors
    /// - There is no kubeconfig, or it lacks the context.
    /// - The cluster cannot be reached, does not permit the request, or does not serve the version.
    /// - A response takes more than 30 s, or the list more than 5 min or 256 MiB.
    /// - The group, the version or the plural name does not consist of DNS labels, or the response is not a list of objects.
    pub fn objects(
        &self,
        definition: &CustomResourceDefinition,
        version: &str,
        limits: &Limits,
    ) -> Result<Vec<Value>, Error> {
        let spec = &definition.spec;
        let resource = (spec.group.as_str(), version, spec.names.plural.as_str());
        let found = wait(async {
            // Before a kubeconfig is read, which may start a program.
            check_names(resource)?;
            self.requests().await?.objects(resource, limits).await
        });
        let objects = found.map_err(|fault| Error::new(CLUSTER, fault))?;
        let with_kind = |mut object: Map<String, Value>| {
            // The items of a list have neither.
            object.insert("apiVersion".to_owned(), format!("{}/{version}", spec.group).into());
            object.insert("kind".to_owned(), spec.names.kind.as_str().into());
            Value::Object(object)
        };
        Ok(objects.into_iter().map(with_kind).collect())
    }

    /// Reads the CRDs, sorted by name. The text of each CRD lacks the fields that the API server sets.
    ///
    /// # Errors
    /// - there is no kubeconfig, or it lacks the context
    /// - the cluster cannot be reached, or does not permit the request
    /// - one of the patterns selects nothing
    pub fn sources(&self, limits: &Limits) -> Result<Vec<Source>, Error> {
        self.definitions(limits).map_err(|fault| Error::new(CLUSTER, fault))
    }

    /// Returns the cluster's Kubernetes version.
    ///
    /// # Errors
    /// - No kubeconfig is found, or it does not contain the context.
    /// - The cluster cannot be reached, or its version is not a number.
    pub fn kube_version(&self) -> Result<KubeVersion, Error> {
        let minor = || -> Result<KubeVersion, Fault> {
            let info = wait(async { self.requests().await?.version().await })?;
            let text = |name: &str| info.get(name).and_then(Value::as_str).unwrap_or_default();
            // Some providers write `31+`.
            let digits = text("minor").trim_end_matches(|char: char| !char.is_ascii_digit());
            let unknown =
                |_| Fault::new(format!("the cluster has the unknown version `{}`", text("gitVersion")));
            digits.parse().map(KubeVersion::new).map_err(unknown)
        };
        minor().map_err(|fault| Error::new(CLUSTER, fault))
    }

    fn definitions(&self, limits: &Limits) -> Result<Vec<Source>, Fault> {
        let found = wait(async { self.requests().await?.objects(DEFINITIONS, limits).await })?;
        let named = |definition: Value| (text(&definition["metadata"]["name"]), definition);
        let mut definitions: Vec<(String, Value)> = found.into_iter().map(Value::Object).map(named).collect();
        definitions.sort_by(|(a, _), (b, _)| a.cmp(b));
        let is_meant = |pattern: &str, definition: &(String, Value)| {
            names(definition).iter().any(|name| is_like(pattern, name))
        };
        let nothing = |pattern: &&String| !definitions.iter().any(|definition| is_meant(pattern, definition));
        if let Some(pattern) = self.select.iter().find(nothing) {
            let names: Vec<String> = definitions.iter().flat_map(names).collect();
            return Err(unselected(pattern, &names));
        }
        definitions.retain(|definition| {
            self.select.is_empty() || self.select.iter().any(|pattern| is_meant(pattern, definition))
        });
        let source = |(name, definition): (String, Value)| {
            let text = format!("{:#}\n", applied(definition, self.has_status));
            Source::from_string(format!("{CLUSTER}/{name}"), text)
        };
        Ok(definitions.into_iter().map(source).collect())
    }

    async fn requests(&self) -> Result<Requests, Fault> {
        let options = KubeConfigOptions { context: self.context.clone(), ..KubeConfigOptions::default() };
        let config = match Config::from_kubeconfig(&options).await {
            Ok(config) => config,
            // A process in a cluster has no kubeconfig.
            Err(error) => match Config::incluster() {
                Ok(config) if self.context.is_none() => config,
                _ => return Err(unconfigured(&error)),
            },
        };
        Requests::new(config, Bounds::default())
    }
}

/// Waits for the response to a request.
fn wait<T>(request: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(error.to_string()))?;
    let response = runtime.block_on(request);
    // Nothing waits for a lookup of a host name that does not end.
    runtime.shutdown_background();
    response
}

/// Removes the fields that the API server sets (times, versions, managers and, unless requested, the status), and the annotation in which
/// `kubectl apply` stores a copy.
fn applied(mut definition: Value, has_status: bool) -> Value {
    let mut metadata = Map::new();
    for key in ["name", "labels", "annotations"] {
        let Some(mut value) = definition["metadata"].get_mut(key).map(Value::take) else { continue };
        if let Value::Object(annotations) = &mut value {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
        if value.as_object().is_none_or(|map| !map.is_empty()) {
            metadata.insert(key.to_owned(), value);
        }
    }
    let mut applied = json!({"apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": definition["spec"].take()});
    if has_status {
        applied["status"] = definition["status"].take();
    }
    applied
}

/// Returns the names by which a CRD can be selected.
fn names((name, definition): &(String, Value)) -> [String; 3] {
    let spec = &definition["spec"];
    [name.clone(), text(&spec["group"]), text(&spec["names"]["plural"])]
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn unselected(pattern: &str, names: &[String]) -> Fault {
    let nothing = Fault::new(format!("no CRD, and no group of CRDs, is named `{pattern}`"));
    let part = names.iter().map(String::as_str).find(|name| name.contains(pattern));
    match part.or_else(|| nearest(pattern, names.iter().map(String::as_str))) {
        Some(name) => nothing.help(format!("did you mean `{name}`?")),
        None => nothing.help("`crdkit list-crds` and `kubectl get crds` list all CRDs"),
    }
}

/// Returns the error for a kubeconfig without a usable cluster.
fn unconfigured(error: &KubeconfigError) -> Fault {
    let contexts = || {
        let contexts = Kubeconfig::read().map(|config| config.contexts).unwrap_or_default();
        let names: Vec<String> = contexts.iter().map(|context| format!("`{}`", context.name)).collect();
        names.join(", ")
    };
    match error {
        KubeconfigError::FindPath => {
            Fault::new("no kubeconfig was found").help("set KUBECONFIG to the path of a kubeconfig")
        }
        KubeconfigError::ReadConfig(error, path) if error.kind() == std::io::ErrorKind::NotFound => {
            Fault::new(format!("the kubeconfig `{}` does not exist", path.display()))
                .help("set KUBECONFIG to the path of a kubeconfig")
        }
        KubeconfigError::LoadContext(name) => Fault::new(format!("the kubeconfig has no context `{name}`"))
            .help(format!("its contexts are {}", contexts())),
        KubeconfigError::CurrentContextNotSet => Fault::new("the kubeconfig has no current context")
            .help(format!("use `--cluster=CONTEXT`; available contexts: {}", contexts())),
        error => Fault::new(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_get_a_suggestion() {
        let names = ["shirts.stable.example.com", "stable.example.com", "shirts"].map(str::to_owned);
        for (pattern, meant) in [
            ("shirts.stable.exampel.com", "did you mean `shirts.stable.example.com`?"),
            ("shirt", "did you mean `shirts.stable.example.com`?"),
            ("shrits", "did you mean `shirts`?"),
            ("trousers", "`crdkit list-crds` and `kubectl get crds` list all CRDs"),
        ] {
            assert_eq!(unselected(pattern, &names).help.as_deref(), Some(meant));
        }
    }

    #[test]
    fn fields_that_the_server_sets_are_removed() {
        let stored = json!({
            "metadata": {
                "name": "a", "uid": "1", "resourceVersion": "2", "generation": 3, "creationTimestamp": "t",
                "managedFields": [{}], "labels": {"l": "m"},
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
            },
            "spec": {"group": "g"},
            "status": {"conditions": []},
        });
        let expected = json!({
            "apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "a", "labels": {"l": "m"}}, "spec": {"group": "g"},
        });
        assert_eq!(applied(stored.clone(), false), expected);
        let mut with_status = expected;
        with_status["status"] = json!({"conditions": []});
        assert_eq!(applied(stored, true), with_status);
    }
}
