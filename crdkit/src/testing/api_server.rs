//! An API server inside a test process, with CRDs from Rust types or files.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::path::Path;

use crd_input::{Limits, Source};
use crd_server::{Config, Rejected, Server};
use serde_json::Value;

use crate::{CustomResource, CustomResourceDefinition, Error};

/// An API server inside a test process, with CRDs from Rust types or files. Needs the feature `api-server`.
///
/// It wraps a [`Server`] with the built-in kinds. A [`Server`] is a `tower` service, so any version of kube can use it
/// as a client's transport:
///
/// ```
/// use crdkit::testing::ApiServer;
/// use crdkit::{CrdSchema, CustomResource};
/// use kube::Api;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced, kube)]
/// struct ShirtSpec {
///     #[schemars(range(max = 60))]
///     size: u8,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::with::<Shirt>()?;
/// let shirts: Api<Shirt> = Api::default_namespaced(kube::Client::new(server.service(), "default"));
///
/// shirts.create(&Default::default(), &Shirt::new("mine", ShirtSpec { size: 42 })).await?;
/// let refusal = shirts.create(&Default::default(), &Shirt::new("large", ShirtSpec { size: 61 })).await.unwrap_err();
/// assert!(refusal.to_string().contains("spec.size in body should be less than or equal to 60"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ApiServer {
    server: Server,
}

impl ApiServer {
    /// Creates a server without CRDs.
    #[must_use]
    pub fn new() -> Self {
        let mut config = Config::default();
        config.built_in_kinds();
        Self::configured(&config)
    }

    /// Creates a server without CRDs. `config` sets the clock and the sources of generated names.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use crdkit::testing::{ApiServer, Config};
    ///
    /// let mut config = Config::default();
    /// config.built_in_kinds().clock(|| UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    /// let server = ApiServer::configured(&config);
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn configured(config: &Config) -> Self {
        Self { server: Server::with(config) }
    }

    /// Creates a server with a type's CRD.
    ///
    /// # Errors
    /// - The type has no valid CRD.
    pub fn with<K: CustomResource>() -> Result<Self, Error> {
        Self::new().and::<K>()
    }

    /// Creates a server with a CRD, such as one that contains all versions of a kind.
    ///
    /// ```
    /// use crdkit::testing::ApiServer;
    ///
    /// #[crdkit::versions(v1beta1, v1)]
    /// mod shirts {
    ///     use crdkit::{CrdSchema, CustomResource};
    ///     use serde::{Deserialize, Serialize};
    ///
    ///     #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    ///     #[crd(group = "stable.example.com", kind = "Shirt")]
    ///     pub struct ShirtSpec {
    ///         pub size: u8,
    ///     }
    /// }
    ///
    /// let server = ApiServer::with_crd(shirts::crd()?)?;
    /// server.seed_yaml("{apiVersion: stable.example.com/v1beta1, kind: Shirt, metadata: {name: mine}, spec: {size: 42}}")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - The API server rejects the CRD.
    pub fn with_crd(crd: impl Borrow<CustomResourceDefinition>) -> Result<Self, Error> {
        Self::new().and_crd(crd)
    }

    /// Adds a CRD to the server.
    ///
    /// # Errors
    /// - The API server rejects the CRD, or another CRD has the same names.
    pub fn and_crd(self, crd: impl Borrow<CustomResourceDefinition>) -> Result<Self, Error> {
        let crd = crd.borrow();
        let created = self.server.create(&crd.to_value());
        created.map_err(|refused| Error::definition(crd.metadata.name.clone(), refused.to_string(), ""))?;
        Ok(self)
    }

    /// Adds another type's CRD to the server.
    ///
    /// ```
    /// use crdkit::CustomResource;
    /// use crdkit::testing::ApiServer;
    ///
    /// fn both<A: CustomResource, B: CustomResource>() -> Result<ApiServer, crdkit::Error> {
    ///     ApiServer::with::<A>()?.and::<B>()
    /// }
    /// ```
    ///
    /// # Errors
    /// - The type has no valid CRD, or another CRD has the same names.
    pub fn and<K: CustomResource>(self) -> Result<Self, Error> {
        self.and_crd(K::crd()?)
    }

    /// Creates a server with the objects in a YAML or JSON file, or in a directory of such files. CRDs are created first.
    ///
    /// # Errors
    /// - A file cannot be read, or the server rejects an object.
    pub fn from_files(path: impl AsRef<Path>) -> Result<Self, NotSeeded> {
        let (sources, errors) = crd_input::sources(&[path.as_ref()], &Limits::default());
        let server = Self::new();
        fail_on(&errors)?;
        server.seed_from(&sources)?;
        Ok(server)
    }

    /// Creates the objects in a YAML or JSON string, including their status. CRDs are created first, and missing
    /// namespaces are added. Returns the stored objects.
    ///
    /// ```
    /// let server = crdkit::testing::ApiServer::new();
    /// let stored = server.seed_yaml("
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: settings, namespace: team}
    /// data: {key: value}
    /// ")?;
    /// assert_eq!(stored[0]["metadata"]["namespace"], "team");
    /// # Ok::<(), crdkit::testing::NotSeeded>(())
    /// ```
    ///
    /// # Errors
    /// - The text is not valid YAML, or the server rejects an object.
    pub fn seed_yaml(&self, text: &str) -> Result<Vec<Value>, NotSeeded> {
        self.seed_from(&[Source::from_string("the objects", text)])
    }

    /// Returns the server as a `tower` service for `kube::Client::new`. The service and this server share the same objects.
    #[must_use]
    pub fn service(&self) -> Server {
        self.server.clone()
    }

    fn seed_from(&self, sources: &[Source]) -> Result<Vec<Value>, NotSeeded> {
        let mut objects = Vec::new();
        for source in sources {
            let (documents, errors) = crd_input::documents(source, &Limits::default());
            fail_on(&errors)?;
            objects.extend(documents.into_iter().map(|document| document.value));
        }
        objects.sort_by_key(|object| object["kind"] != "CustomResourceDefinition");
        objects
            .iter()
            .map(|object| self.server.seed(object).map_err(|refused| not_seeded(object, refused)))
            .collect()
    }
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for ApiServer {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

/// The error for objects in a string or in files that a server rejects.
#[derive(Debug)]
pub struct NotSeeded {
    message: String,
    source: Option<Rejected>,
}

impl fmt::Display for NotSeeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NotSeeded {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|refused| refused as _)
    }
}

fn not_seeded(object: &Value, refused: Rejected) -> NotSeeded {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
    NotSeeded { message: format!("{kind} `{name}` is rejected: {refused}"), source: Some(refused) }
}

fn fail_on(errors: &[crd_input::Error]) -> Result<(), NotSeeded> {
    match errors.first() {
        Some(error) => Err(NotSeeded { message: error.to_string(), source: None }),
        None => Ok(()),
    }
}
