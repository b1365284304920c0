//! Documents from bytes, with the API server's verdict and with advice. Nothing may panic, hang or overflow.
#![no_main]

use crd_input::{Limits, Source, documents};
use crd_core::CustomResourceDefinition;
use crd_core::check::{Verdict, advise, written_path};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source::from_string("fuzz.yaml", String::from_utf8_lossy(bytes).into_owned());
    let (documents, _) = documents(&source, &Limits::default());
    for document in documents {
        let verdict = Verdict::for_value(document.value.clone());
        for cause in &verdict.errors {
            let _ = written_path(&cause.field).to_string();
        }
        let Ok(crd) = CustomResourceDefinition::from_value(document.value) else { continue };
        let _ = advise(&crd);
        // What is read and written again is the same definition.
        let written = CustomResourceDefinition::from_value(crd.to_value());
        assert_eq!(written.as_ref(), Ok(&crd), "what was written reads otherwise");
    }
});
