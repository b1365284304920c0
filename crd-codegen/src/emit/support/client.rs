/// The parts of clients that are the same for all kinds. The clients of each group and version use them.
pub mod client {
    use std::borrow::Cow;
    use std::fmt::{self, Debug, Display};
    use std::marker::PhantomData;
    use std::time::Duration;

    use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
    use k8s_openapi::api::autoscaling::v1 as autoscaling;
    use kube::api::{
        Api, DeleteParams, ListParams, ObjectList, ObjectMeta, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
    };
    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};

    /// A kind of objects.
    pub trait Object:
        kube::Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
    {
        /// The fields that field selectors can use for this kind.
        type Field: Into<&'static str>;
        /// The CRD, as JSON.
        const DEFINITION: &'static str;
    }

    /// Kinds with the status subresource.
    pub trait WithStatus: Object {}

    /// Kinds with the scale subresource.
    pub trait WithScale: Object {}

    /// The fields to apply to an object of kind `K`.
    pub trait Apply<K>: Serialize {
        /// Its metadata.
        fn metadata(&self) -> &ObjectMeta;
    }

    impl<K: Object> Apply<K> for K {
        fn metadata(&self) -> &ObjectMeta {
            self.meta()
        }
    }

    /// The fields that field selectors can use for every kind.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum MetadataField {
        /// `metadata.name`
        Name,
        /// `metadata.namespace`
        Namespace,
    }

    impl From<MetadataField> for &'static str {
        fn from(field: MetadataField) -> Self {
            match field {
                MetadataField::Name => "metadata.name",
                MetadataField::Namespace => "metadata.namespace",
            }
        }
    }

    /// Selects objects by labels and fields.
    #[derive(Clone, Debug)]
    pub struct Select<K> {
        labels: Vec<String>,
        fields: Vec<String>,
        kind: PhantomData<fn() -> K>,
    }

    impl<K> Default for Select<K> {
        fn default() -> Self {
            Self { labels: Vec::new(), fields: Vec::new(), kind: PhantomData }
        }
    }

    impl<K: Object> Select<K> {
        /// All objects.
        pub fn all() -> Self {
            Self::default()
        }

        /// Selects only objects with this label.
        pub fn label(self, name: &str, value: &str) -> Self {
            self.labels(format!("{name}={value}"))
        }

        /// Selects only objects that match a label selector, such as `tier in (a, b), !old`.
        pub fn labels(mut self, selector: impl Into<String>) -> Self {
            self.labels.push(selector.into());
            self
        }

        /// Selects only objects with this value in a field.
        pub fn field(mut self, field: K::Field, value: impl Display) -> Self {
            self.fields.push(format!("{}={}", field.into(), Escaped(value)));
            self
        }

        /// Selects only objects with another value in a field.
        pub fn field_not(mut self, field: K::Field, value: impl Display) -> Self {
            self.fields.push(format!("{}!={}", field.into(), Escaped(value)));
            self
        }

        fn list(&self) -> ListParams {
            ListParams {
                label_selector: joined(&self.labels),
                field_selector: joined(&self.fields),
                ..ListParams::default()
            }
        }

        fn watch(&self) -> WatchParams {
            WatchParams {
                label_selector: joined(&self.labels),
                field_selector: joined(&self.fields),
                ..WatchParams::default()
            }
        }
    }

    fn joined(parts: &[String]) -> Option<String> {
        (!parts.is_empty()).then(|| parts.join(","))
    }

    /// A value in a field selector.
    struct Escaped<T>(T);

    impl<T: Display> Display for Escaped<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for c in self.0.to_string().chars() {
                if matches!(c, '\\' | ',' | '=') {
                    f.write_str("\\")?;
                }
                write!(f, "{c}")?;
            }
            Ok(())
        }
    }

    /// The objects of one namespace, or of a cluster-scoped kind.
    #[derive(Clone, Copy, Debug)]
    pub enum OneNamespace {}

    /// The objects of all namespaces.
    #[derive(Clone, Copy, Debug)]
    pub enum AllNamespaces {}

    /// A handle for the objects of a kind; `N` is [`OneNamespace`], also for a cluster-scoped kind, or [`AllNamespaces`].
    #[derive(Clone, Debug)]
    pub struct Objects<K, N = OneNamespace> {
        api: Api<K>,
        of: PhantomData<fn() -> N>,
    }

    /// Objects of all namespaces can only be read.
    pub type AllObjects<K> = Objects<K, AllNamespaces>;

    impl<K: Object> AllObjects<K> {
        /// Creates a handle for the objects of this `Api`.
        pub fn of_all(api: Api<K>) -> Self {
            Self { api, of: PhantomData }
        }
    }

    impl<K: Object, N> Objects<K, N> {
        /// Returns the plain `Api`, for everything else.
        pub fn api(&self) -> &Api<K> {
            &self.api
        }

        /// Returns the objects, in one response.
        pub async fn list(&self, select: &Select<K>) -> kube::Result<ObjectList<K>> {
            self.api.list(&select.list()).await
        }

        /// Returns the objects as a stream that fetches pages of this size.
        pub fn stream(&self, select: &Select<K>, page: u32) -> BoxStream<'static, kube::Result<K>> {
            pages(self.api.clone(), select.list().limit(page))
        }

        /// Returns the events of objects after this resource version; `"0"` begins with the existing objects.
        pub async fn watch(
            &self,
            select: &Select<K>,
            version: &str,
        ) -> kube::Result<BoxStream<'static, kube::Result<WatchEvent<K>>>> {
            Ok(self.api.watch(&select.watch(), version).await?.boxed())
        }
    }

    impl<K: Object> Objects<K> {
        /// Creates a handle for the objects of this `Api`.
        pub fn new(api: Api<K>) -> Self {
            Self { api, of: PhantomData }
        }

        /// Returns the object with this name.
        pub async fn get(&self, name: &str) -> kube::Result<K> {
            self.api.get(name).await
        }

        /// Returns the object with this name, if it exists.
        pub async fn get_opt(&self, name: &str) -> kube::Result<Option<K>> {
            self.api.get_opt(name).await
        }

        /// Creates the object.
        pub async fn create(&self, object: &K) -> kube::Result<K> {
            self.api.create(&PostParams::default(), object).await
        }

        /// Replaces the object with the same name. An object with a resource version is replaced only if it
        /// has not changed since that version.
        pub async fn replace(&self, object: &K) -> kube::Result<K> {
            self.api.replace(name(object.meta())?, &PostParams::default(), object).await
        }

        /// Patches the object with this name.
        pub async fn patch<P: Serialize + Debug>(&self, name: &str, patch: &Patch<P>) -> kube::Result<K> {
            self.api.patch(name, &PatchParams::default(), patch).await
        }

        /// Applies the fields that this manager wants to own. A field with another value that another manager
        /// owns is a conflict.
        pub async fn apply(&self, manager: &str, object: &impl Apply<K>) -> kube::Result<K> {
            self.apply_with(&PatchParams::apply(manager), object).await
        }

        /// Applies the fields that this manager wants to own, and takes them from other managers.
        pub async fn force_apply(&self, manager: &str, object: &impl Apply<K>) -> kube::Result<K> {
            self.apply_with(&PatchParams::apply(manager).force(), object).await
        }

        async fn apply_with(&self, params: &PatchParams, object: &impl Apply<K>) -> kube::Result<K> {
            self.api.patch(name(object.metadata())?, params, &Patch::Apply(value(object)?)).await
        }

        /// Deletes the object with this name. A returned object still exists until its finalizers have run.
        pub async fn delete(&self, name: &str) -> kube::Result<Option<K>> {
            Ok(self.api.delete(name, &DeleteParams::default()).await?.left())
        }

        /// Deletes the objects. The response contains the objects before their deletion.
        pub async fn delete_collection(&self, select: &Select<K>) -> kube::Result<Vec<K>> {
            let deleted = self.api.delete_collection(&DeleteParams::default(), &select.list()).await?;
            Ok(deleted.left().map(|list| list.items).unwrap_or_default())
        }
    }

    impl<K: WithStatus> Objects<K> {
        /// Returns the object with this name, from its status subresource.
        pub async fn get_status(&self, name: &str) -> kube::Result<K> {
            self.api.get_status(name).await
        }

        /// Replaces only the status of the object with the same name.
        pub async fn replace_status(&self, object: &K) -> kube::Result<K> {
            self.api.replace_status(name(object.meta())?, &PostParams::default(), object).await
        }

        /// Patches the status of the object with this name.
        pub async fn patch_status<P: Serialize + Debug>(&self, name: &str, patch: &Patch<P>) -> kube::Result<K> {
            self.api.patch_status(name, &PatchParams::default(), patch).await
        }

        /// Applies the fields of the status that this manager wants to own.
        pub async fn apply_status(&self, manager: &str, object: &impl Apply<K>) -> kube::Result<K> {
            let params = PatchParams::apply(manager);
            self.api.patch_status(name(object.metadata())?, &params, &Patch::Apply(value(object)?)).await
        }
    }

    /// The desired and the current number of replicas.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Scale {
        /// The desired number of replicas.
        pub wanted: Option<i32>,
        /// The current number of replicas.
        pub present: i32,
        /// Selects their pods.
        pub selector: Option<String>,
    }

    impl From<autoscaling::Scale> for Scale {
        fn from(scale: autoscaling::Scale) -> Self {
            let status = scale.status.unwrap_or_default();
            let wanted = scale.spec.and_then(|spec| spec.replicas);
            Self { wanted, present: status.replicas, selector: status.selector }
        }
    }

    impl<K: WithScale> Objects<K> {
        /// Returns the scale of the object with this name.
        pub async fn get_scale(&self, name: &str) -> kube::Result<Scale> {
            self.api.get_scale(name).await.map(Scale::from)
        }

        /// Sets the desired number of replicas.
        pub async fn patch_scale(&self, name: &str, replicas: i32) -> kube::Result<Scale> {
            let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
            self.api.patch_scale(name, &PatchParams::default(), &patch).await.map(Scale::from)
        }
    }

    fn pages<K: Object>(api: Api<K>, first: ListParams) -> BoxStream<'static, kube::Result<K>> {
        let pages = stream::try_unfold(Some(first), move |params| {
            let api = api.clone();
            async move {
                let Some(mut params) = params else { return Ok(None) };
                let page = api.list(&params).await?;
                let next = page.metadata.continue_.filter(|token| !token.is_empty());
                let next = next.map(|token| {
                    params.continue_token = Some(token);
                    params
                });
                let items = page.items.into_iter().map(Ok::<K, kube::Error>);
                Ok::<_, kube::Error>(Some((stream::iter(items), next)))
            }
        });
        pages.try_flatten().boxed()
    }

    fn name(metadata: &ObjectMeta) -> kube::Result<&str> {
        let invalid = || kube::core::request::Error::Validation("the object has no name".to_owned());
        metadata.name.as_deref().ok_or_else(|| kube::Error::BuildRequest(invalid()))
    }

    /// The body of an apply request. The API server rejects managed fields in it.
    fn value(object: &impl Serialize) -> kube::Result<Value> {
        let mut value = serde_json::to_value(object).map_err(kube::Error::SerdeError)?;
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        Ok(value)
    }

    /// The reason why a CRD was not installed.
    #[derive(Debug)]
    pub enum InstallError {
        /// The API server rejected it.
        Kube(kube::Error),
        /// The API server stored it but does not serve it, because another CRD has its names.
        Names(String),
        /// The API server did not serve it within a minute.
        Timeout,
    }

    impl Display for InstallError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Kube(error) => Display::fmt(error, f),
                Self::Names(message) => write!(f, "the names are taken: {message}"),
                Self::Timeout => f.write_str("the API server did not serve the CRD within a minute"),
            }
        }
    }

    impl std::error::Error for InstallError {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            match self {
                Self::Kube(error) => Some(error),
                _ => None,
            }
        }
    }

    impl From<kube::Error> for InstallError {
        fn from(error: kube::Error) -> Self {
            Self::Kube(error)
        }
    }

    /// Applies the CRD of a kind as this manager, and waits until the API server serves its objects.
    pub async fn install<K: Object>(client: &kube::Client, manager: &str) -> Result<(), InstallError> {
        let definition: Value = serde_json::from_str(K::DEFINITION).map_err(kube::Error::SerdeError)?;
        let name = format!("{}.{}", K::plural(&()), K::group(&()));
        let definitions: Api<Definition> = Api::all(client.clone());
        definitions.patch(&name, &PatchParams::apply(manager).force(), &Patch::Apply(definition)).await?;
        let served = async {
            while !is_established(&definitions.get(&name).await?)? {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            // Servers come to know of it one after the other.
            let objects: Api<K> = Api::all(client.clone());
            loop {
                match objects.list(&ListParams::default().limit(1)).await {
                    Err(kube::Error::Api(status)) if status.code == 404 => {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                    Err(error) => return Err(error.into()),
                    Ok(_) => return Ok(()),
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), served).await.unwrap_or(Err(InstallError::Timeout))
    }

    fn is_established(definition: &Definition) -> Result<bool, InstallError> {
        let condition = |type_: &str| {
            let conditions = definition.status["conditions"].as_array().into_iter().flatten();
            conditions.into_iter().find(|condition| condition["type"] == type_)
        };
        match condition("NamesAccepted") {
            Some(names) if names["status"] == "False" => {
                Err(InstallError::Names(names["message"].as_str().unwrap_or_default().to_owned()))
            }
            _ => Ok(condition("Established").is_some_and(|condition| condition["status"] == "True")),
        }
    }

    /// The parts of a CRD that `install` reads.
    #[derive(Clone, Debug, Deserialize)]
    struct Definition {
        metadata: ObjectMeta,
        #[serde(default)]
        status: Value,
    }

    impl kube::Resource for Definition {
        type DynamicType = ();
        type Scope = kube::core::ClusterResourceScope;

        fn kind((): &()) -> Cow<'_, str> {
            "CustomResourceDefinition".into()
        }

        fn group((): &()) -> Cow<'_, str> {
            "apiextensions.k8s.io".into()
        }

        fn version((): &()) -> Cow<'_, str> {
            "v1".into()
        }

        fn plural((): &()) -> Cow<'_, str> {
            "customresourcedefinitions".into()
        }

        fn meta(&self) -> &ObjectMeta {
            &self.metadata
        }

        fn meta_mut(&mut self) -> &mut ObjectMeta {
            &mut self.metadata
        }
    }
}
