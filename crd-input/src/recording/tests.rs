use std::sync::Arc;

use proptest::prelude::*;

use super::{Recorder, Recording};
use crate::duplicates::Keys;
use crate::room::Room;
use crate::{Limits, Source, SourceMap, compose};

fn record(text: &str) -> Option<Recording> {
    let (text, limits) = (Arc::from(text), Limits::default());
    let mut recorder = Recorder::new(&text, &limits);
    let room = Room::for_source(text.len(), 1, &limits, true);
    let heads = Default::default();
    compose::each(&text, &limits, Keys::Noted, &heads, room, recorder.as_mut(), &mut |_| ());
    recorder.and_then(Recorder::finish)
}

#[track_caller]
fn check(text: &str, is_recorded: bool) {
    let map = record(text).as_ref().and_then(SourceMap::from_recording);
    assert_eq!(map.is_some(), is_recorded, "{text:?}");
    if let Some(map) = map {
        assert_eq!(format!("{map:?}"), format!("{:?}", SourceMap::new(text)), "{text:?}");
    }
}

#[test]
fn places_of_recordings_are_those_of_texts() {
    check("a: 1\nb: [null, ~, 'x', \"\", {c: }]\n---\n---\n- |\n  a\n- \"b\\n\"\n", true);
    check("<<: {a: 1}\n'<<': 2\ntrue: 3\n1.0: 4\n", true);
    check("a: b\n  c\nd:\n- x\n-\n...\n---\nkind: XList\nitems: [{e: f}, {}]\n", true);
}

#[test]
fn texts_that_are_not_recorded() {
    check("a: &x 1\n", false);
    check("a: !!str 1\n", false);
    check("\"a\\n\": 1\n", false);
    check("a: [\n", false);
    check("a: \u{1}\n", false);
    check(&" ".repeat(1 << 20), false);
}

#[test]
fn a_single_file_and_files_with_crds_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two, crd] = ["a.yaml", "b.yaml", "crd.yaml"].map(|name| folder.path().join(name));
    for file in [&one, &two] {
        std::fs::write(file, "a: 1\n").unwrap();
    }
    std::fs::write(&crd, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n").unwrap();
    let limits = Limits::default();
    for (files, is_kept) in [(vec![&one], true), (vec![&one, &two], false), (vec![&crd, &one], true)] {
        let (sources, _) = crate::sources(&files, &limits);
        let (documents, _) = crate::documents(&sources[0], &limits);
        assert_eq!(documents.len(), 1);
        let [first, second] = [(); 2].map(|()| sources[0].read_again(&limits).unwrap());
        assert_eq!(Arc::ptr_eq(&first, &second), is_kept);
        assert_eq!(
            format!("{:?}", sources[0].places(&first)),
            format!("{:?}", SourceMap::from_shared(first))
        );
    }
    let in_memory = Source::from_string("a.yaml", "a: 1\n");
    assert_eq!(crate::documents(&in_memory, &limits).0.len(), 1);
    assert!(in_memory.recording().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn places_of_recordings_are_those_of_random_texts(text in "(a|b|: |\n|  |- |\\[|\\]|, |\\{|\\}|'|\"|~|1|null|---\n|\\||> |<<|# |\\? ){0,24}") {
        if let Some(map) = record(&text).as_ref().and_then(SourceMap::from_recording) {
            prop_assert_eq!(format!("{map:?}"), format!("{:?}", SourceMap::new(&text)));
        }
    }
}

#[test]
fn a_text_with_very_many_events_is_not_recorded() {
    check(&"- 1\n".repeat(900), true);
    check(&"- 1\n".repeat(4_000), false);
}
