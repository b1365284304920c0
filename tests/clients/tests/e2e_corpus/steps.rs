//! The requests that all clients send, step by step.

use std::fmt::Debug;

use crd_tests::predictions::Predictions;
use crd_tests::server::{Server, refused};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::WatchEvent;
use serde::Serialize;
use serde_json::{Value, json};

use super::answers;
use crd_tests_clients::support::client::{Apply, Object, Objects, Select, WithScale, WithStatus};

/// The objects and changes for a kind `K`, whose form for server-side apply is `A`.
pub(crate) struct Kind<K, A> {
    /// Two files with objects that the server accepts.
    pub(crate) samples: [&'static str; 2],
    /// Sets a field of the spec to one of several values.
    pub(crate) set: fn(&mut K, u8),
    /// A form with only that field.
    pub(crate) form: fn(&str, u8) -> A,
    /// Returns the fields that a manager has applied.
    pub(crate) extract: fn(&K, &str) -> serde_json::Result<Option<A>>,
    /// A merge patch that makes an object invalid, and a cause for which it is refused.
    pub(crate) wrong: (Value, &'static str),
}

/// The requests that all kinds support. Leaves the objects `a` and `b` behind.
pub(crate) async fn all<K: Object, A: Apply<K> + Debug>(
    server: &Server,
    objects: &Objects<K>,
    kind: &Kind<K, A>,
) {
    let mut predictions =
        Predictions::new(server, objects.api().resource_url(), &answers::validator::<K>(server.options));
    for (name, sample) in ["a", "b", "c"].into_iter().zip([0, 1, 0]) {
        let object: K = read(kind.samples[sample], name);
        let created = objects.create(&object).await.unwrap();
        predictions.stored(&json(&object), &json(&created));
        assert_eq!(refused(objects.create(&object).await), 409);
    }
    reads(objects).await;
    changes(objects, kind).await;
    applies(objects, kind).await;
    answers::compare(predictions, objects, kind).await;
}

async fn reads<K: Object>(objects: &Objects<K>) {
    assert_eq!(names(objects, &Select::all()).await, ["a", "b", "c"]);
    let paged: Vec<K> = objects.stream(&Select::all(), 1).try_collect().await.unwrap();
    assert_eq!(paged.len(), 3);
    assert_eq!(objects.get("b").await.unwrap().meta().name.as_deref(), Some("b"));
    assert!(objects.get_opt("x").await.unwrap().is_none());
}

/// Replaces and deletes objects during a watch.
async fn changes<K: Object, A>(objects: &Objects<K>, kind: &Kind<K, A>) {
    let version = objects.list(&Select::all()).await.unwrap().metadata.resource_version.unwrap();
    let events = objects.watch(&Select::all(), &version).await.unwrap();

    let before = objects.get("a").await.unwrap();
    let mut changed = before.clone();
    (kind.set)(&mut changed, 1);
    assert_ne!(json(&changed)["spec"], json(&before)["spec"]);
    changed.meta_mut().labels.get_or_insert_default().insert("changed".into(), "yes".into());
    let replaced = objects.replace(&changed).await.unwrap();
    assert_eq!(json(&replaced)["spec"], json(&changed)["spec"]);
    assert_eq!(refused(objects.replace(&before).await), 409);
    assert_eq!(names(objects, &Select::all().label("changed", "yes")).await, ["a"]);

    assert!(objects.delete("c").await.unwrap().is_none());
    assert_eq!(names(objects, &Select::all()).await, ["a", "b"]);

    let seen: Vec<WatchEvent<K>> = events.take(2).try_collect().await.unwrap();
    match &*seen {
        [WatchEvent::Modified(a), WatchEvent::Deleted(c)] => {
            assert_eq!(json(a)["spec"], json(&replaced)["spec"]);
            assert_eq!(c.meta().name.as_deref(), Some("c"));
        }
        other => panic!("{other:?}"),
    }
}

/// Two managers apply the same field.
async fn applies<K: Object, A: Apply<K> + Debug>(objects: &Objects<K>, kind: &Kind<K, A>) {
    let mut mine: K = read(kind.samples[1], "applied");
    (kind.set)(&mut mine, 1);
    objects.apply("one", &mine).await.unwrap();
    let wanted = (kind.form)("applied", 2);
    assert_eq!(refused(objects.apply("two", &wanted).await), 409);
    let stored = objects.force_apply("two", &wanted).await.unwrap();
    assert_eq!(refused(objects.apply("one", &mine).await), 409);

    let mut expected = mine.clone();
    (kind.set)(&mut expected, 2);
    let unchanged = objects.force_apply("two", &wanted).await.unwrap();
    assert_eq!(json(&unchanged), json(&stored));
    let owned = (kind.extract)(&stored, "two").unwrap().unwrap();
    assert_eq!(json(&owned)["spec"], json(&wanted)["spec"]);
    assert!((kind.extract)(&stored, "three").unwrap().is_none());
    let spec = |object: &K| json(object)["spec"].clone();
    (kind.set)(&mut mine, 2);
    assert_eq!(spec(&objects.apply("one", &mine).await.unwrap()), spec(&stored));
    objects.delete("applied").await.unwrap();
}

/// Replaces the status of `a`, which leaves all other fields unchanged.
pub(crate) async fn status<K: WithStatus, A>(
    objects: &Objects<K>,
    kind: &Kind<K, A>,
    set_status: fn(&mut K),
) {
    let before = objects.get("a").await.unwrap();
    let mut wanted = before.clone();
    set_status(&mut wanted);
    (kind.set)(&mut wanted, 3);
    let stored = objects.replace_status(&wanted).await.unwrap();
    assert_eq!(json(&stored)["status"], json(&wanted)["status"]);
    assert_eq!(json(&stored)["spec"], json(&before)["spec"]);
    assert_eq!(json(&objects.get_status("a").await.unwrap()), json(&stored));
    // Without the subresource, a replacement leaves the status unchanged.
    let mut without = stored.clone();
    set_status(&mut without);
    (kind.set)(&mut without, 1);
    assert_eq!(json(&objects.replace(&without).await.unwrap())["status"], json(&stored)["status"]);
}

/// Reads the scale of `a` from its status, and changes its spec through the scale.
pub(crate) async fn scale<K: WithScale>(objects: &Objects<K>, present: i32, selector: Option<&str>) {
    let scale = objects.get_scale("a").await.unwrap();
    assert_eq!((scale.present, scale.selector.as_deref()), (present, selector));
    assert_eq!(objects.patch_scale("a", 7).await.unwrap().wanted, Some(7));
    assert_eq!(objects.get_scale("a").await.unwrap().wanted, Some(7));
    assert_eq!(json(&objects.get("a").await.unwrap())["spec"]["replicas"], 7);
}

/// Deletes the remaining objects.
pub(crate) async fn clears<K: Object>(objects: &Objects<K>) {
    let labelled = Select::all().label("changed", "yes");
    let deleted =
        |objects: Vec<K>| objects.into_iter().filter_map(|object| object.meta().name.clone()).collect();
    let names_of: Vec<String> = deleted(objects.delete_collection(&labelled).await.unwrap());
    assert_eq!(names_of, ["a"]);
    let names_of: Vec<String> = deleted(objects.delete_collection(&Select::all()).await.unwrap());
    assert_eq!(names_of, ["b"]);
    assert_eq!(names(objects, &Select::all()).await, [""; 0]);
}

/// Returns the names of the objects that are selected.
pub(crate) async fn names<K: Object>(objects: &Objects<K>, select: &Select<K>) -> Vec<String> {
    let list = objects.list(select).await.unwrap();
    list.items.into_iter().filter_map(|object| object.meta().name.clone()).collect()
}

/// Returns an object of the corpus under another name, which its type keeps whole.
pub(crate) fn read<K: Object>(sample: &str, name: &str) -> K {
    let mut object = answers::sample(sample);
    object["metadata"]["name"] = json!(name);
    object["metadata"].as_object_mut().unwrap().remove("namespace");
    let typed: K = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(json(&typed), object);
    typed
}

pub(crate) fn json(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap()
}
