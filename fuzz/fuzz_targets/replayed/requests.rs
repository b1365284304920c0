//! A request is `METHOD PATH`, lines of headers, an empty line and the body. A byte that no text in UTF-8 has is between two requests.

use super::server::{send, server};

/// The greatest number of requests of a run.
const MOST: usize = 12;

pub(crate) fn run(bytes: &[u8]) {
    let server = &server();
    for request in bytes.split(|byte| *byte == 0xff).take(MOST) {
        if let Some(request) = read(request) {
            send(server, request);
        }
    }
    for path in
        ["/apis/example.com/v1/shirts", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/apis"]
    {
        let (code, _) = send(server, http::Request::get(path).body(Vec::new()).unwrap());
        // A request may have deleted the CRD.
        assert!(code == 200 || path.ends_with("shirts"), "{path}: {code}");
    }
}

fn read(bytes: &[u8]) -> Option<http::Request<Vec<u8>>> {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let (head, body) = (str::from_utf8(&bytes[..end]).ok()?, bytes.get(end + 2..).unwrap_or_default());
    let mut lines = head.lines();
    let (method, path) = lines.next()?.split_once(' ')?;
    let mut request = http::Request::builder().method(method).uri(path);
    for line in lines {
        let (name, value) = line.split_once(": ")?;
        request = request.header(name, value);
    }
    request.body(body.to_vec()).ok()
}
