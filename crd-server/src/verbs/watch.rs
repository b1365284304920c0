//! Watches: the events of a resource, as they happen.
//!
//! Source: `endpoints/handlers/watch.go` and `storage/cacher` of `k8s.io/apiserver`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};

use super::list_options::{ListOptions, Selection};
use super::table::{IncludedObject, table};
use super::{Place, read, write};
use crate::answer::Answer;
use crate::json::{metadata_mut, print_ordered, print_sorted};
use crate::request::accept::{self, Form};
use crate::server::{Answered, Call, Server};
use crate::status::Failure;
use crate::store::{Event, Key, NoEvents, Stored};
use crate::timer::Alarm;

/// The least number of seconds that a watch without a timeout lasts: `minRequestTimeout`.
const LEAST_SECONDS: u64 = 1800;

/// A running watch.
pub(crate) struct Watch {
    server: Server,
    place: Place,
    selection: Selection,
    form: Form,
    /// The part of each object that a table contains.
    included: IncludedObject,
    /// The columns of a table were described in an event before.
    has_columns: bool,
    /// Keys of other namespaces do not begin with it.
    prefix: String,
    has_bookmarks: bool,
    /// The last revision that was looked at.
    revision: u64,
    /// Events that are printed already.
    queue: VecDeque<Bytes>,
    alarm: Alarm,
    is_over: bool,
    /// How often a test had broken off the watches before this one began.
    breaks: u64,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("revision", &self.revision).finish_non_exhaustive()
    }
}

pub(super) fn watch(call: &mut Call<'_>, place: &Place) -> Answered {
    let form = accept::form(call.accept())?;
    let included = match form {
        Form::Table => IncludedObject::read(&call.query)?,
        _ => IncludedObject::Metadata,
    };
    let options = ListOptions::read(&call.query, true)?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?.named(&place.name);
    let seconds = options.timeout.filter(|seconds| *seconds > 0);
    let seconds = seconds.unwrap_or_else(|| fastrand::u64(LEAST_SECONDS..2 * LEAST_SECONDS));
    let mut watch = Watch {
        server: call.server.clone(),
        place: Place {
            definition: Arc::clone(&place.definition),
            version: place.version.clone(),
            namespace: place.namespace.clone(),
            name: String::new(),
        },
        selection,
        form,
        included,
        has_columns: false,
        // An object cannot be printed as a list, and the API server ends the watch.
        is_over: form == Form::MetadataList,
        prefix: Key::prefix(&place.namespace),
        has_bookmarks: options.bookmarks,
        revision: 0,
        queue: VecDeque::new(),
        alarm: Alarm::at(Instant::now() + Duration::from_secs(seconds)),
        breaks: call.server.inner.controls.breaks.load(Ordering::SeqCst),
    };
    watch.begin(&options)?;
    Ok(Answer::Watch(Box::new(watch)))
}

impl Watch {
    /// Sets the revision at which the watch begins, and prints the objects that it begins with.
    fn begin(&mut self, options: &ListOptions) -> Result<(), Failure> {
        let asked = options.revision.unwrap_or_default();
        if asked > 0 && options.initial_events != Some(true) {
            self.revision = asked;
            return Ok(());
        }
        let store = &self.server.inner.store;
        let (revision, objects) = store.list(&self.place.definition.resource, &self.prefix);
        if asked > revision {
            return Err(Failure::too_large_revision(asked, revision));
        }
        self.revision = revision;
        if options.initial_events == Some(false) {
            return Ok(());
        }
        for stored in &objects {
            if !self.selection.matches(&stored.value) {
                continue;
            }
            let object = self.object(stored)?;
            self.queue.push_back(event("ADDED", &object));
        }
        if options.initial_events == Some(true) && self.has_bookmarks {
            self.bookmark(Some(json!({"k8s.io/initial-events-end": "true"})));
        }
        Ok(())
    }

    /// The next event, and `None` at the end of the watch.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        loop {
            if let Some(bytes) = self.queue.pop_front() {
                return Poll::Ready(Some(Ok(bytes)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            // An event after this call wakes the task.
            let server = self.server.clone();
            let (store, resource) = (&server.inner.store, &self.place.definition.resource);
            store.wait(resource, context.waker());
            let is_changed =
                server.definition(resource).is_none_or(|served| served.epoch != self.place.definition.epoch);
            match store.events(resource, self.revision) {
                Ok(events) => events.iter().for_each(|event| self.add(event)),
                // A change of the definition ends a running watch without an error.
                Err(NoEvents::Expired(_)) if is_changed => {}
                Err(NoEvents::Expired(oldest)) => self.expire(oldest),
                Err(NoEvents::NoResource) => self.is_over = true,
            }
            self.is_over |= is_changed || self.breaks != server.inner.controls.breaks.load(Ordering::SeqCst);
            if self.queue.is_empty() && !self.is_over {
                if !self.alarm.is_over(context.waker()) {
                    return Poll::Pending;
                }
                self.is_over = true;
                if self.has_bookmarks {
                    self.bookmark(None);
                }
            }
        }
    }

    /// Adds an event, as it is for the objects that are selected.
    fn add(&mut self, change: &Arc<Event>) {
        self.revision = change.revision;
        if !change.after.key.as_str().starts_with(&self.prefix) {
            return;
        }
        let before = change.before.as_ref().filter(|before| self.selection.matches(&before.value));
        let is_after = !change.is_removal && self.selection.matches(&change.after.value);
        let printed = match (before, is_after) {
            (None, false) => return,
            (None, true) => self.object(&change.after).map(|object| event("ADDED", &object)),
            (Some(_), true) => self.object(&change.after).map(|object| event("MODIFIED", &object)),
            (Some(_), false) if change.is_removal => {
                self.object(&change.after).map(|object| event("DELETED", &object))
            }
            // The object is there, but not among those that are selected any more.
            (Some(before), false) => {
                self.gone(before, change.revision).map(|object| event("DELETED", &object))
            }
        };
        match printed {
            Ok(printed) => self.queue.push_back(printed),
            Err(failure) => self.fail(&failure),
        }
    }

    /// An object in the form of the watch.
    fn object(&mut self, stored: &Stored) -> Result<Bytes, Failure> {
        let read = || write::from_storage(&stored.value, &self.place, stored.key.name());
        match self.form {
            Form::Object => stored.view(self.place.definition.epoch, &self.place.version, read),
            _ => {
                let object = read()?;
                Ok(self.print(&object))
            }
        }
    }

    /// Prints an object in the form of the watch.
    fn print(&mut self, object: &Value) -> Bytes {
        match self.form {
            Form::Object | Form::MetadataList => print_sorted(object),
            Form::Metadata => print_ordered(&read::metadata_only(object)),
            Form::Table => {
                let list =
                    json!({"resourceVersion": crate::json::text(object, &["metadata", "resourceVersion"])});
                let objects = std::slice::from_ref(object);
                let has_columns = !std::mem::replace(&mut self.has_columns, true);
                let now = self.server.now();
                print_ordered(&table(&self.place, objects, &list, self.included, &now, has_columns))
            }
        }
    }

    /// The last state of an object that is not selected any more.
    fn gone(&mut self, before: &Stored, revision: u64) -> Result<Bytes, Failure> {
        let mut object = write::from_storage(&before.value, &self.place, before.key.name())?;
        write::set_revision(&mut object, revision);
        Ok(self.print(&object))
    }

    fn bookmark(&mut self, annotations: Option<Value>) {
        let definition = &self.place.definition;
        let mut object =
            json!({"kind": definition.kind(), "apiVersion": definition.api_version(&self.place.version)});
        if let Some(metadata) = metadata_mut(&mut object) {
            metadata.insert("resourceVersion".to_owned(), self.revision.to_string().into());
            metadata.extend(annotations.map(|annotations| ("annotations".to_owned(), annotations)));
        }
        let printed = self.print(&object);
        self.queue.push_back(event("BOOKMARK", &printed));
    }

    fn expire(&mut self, oldest: u64) {
        let message = format!("too old resource version: {} ({oldest})", self.revision);
        self.fail(&Failure::new(410, "Expired", message));
    }

    fn fail(&mut self, failure: &Failure) {
        self.queue.push_back(event("ERROR", &print_ordered(&failure.to_value())));
        self.is_over = true;
    }
}

fn event(type_: &str, object: &[u8]) -> Bytes {
    let mut text = format!("{{\"type\":\"{type_}\",\"object\":").into_bytes();
    text.extend_from_slice(object.trim_ascii_end());
    text.extend_from_slice(b"}\n");
    text.into()
}
