//! The requests that the book lists as those which the API server for tests does not answer.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use crd_server::{Config, Server};
use crd_tests::workspace;
use http::Request;

/// Returns the texts in code of a cell.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_book_names_the_errors_of_what_is_absent() {
    let page = fs::read_to_string(workspace().join("book/src/absent.md")).unwrap();
    let mut config = Config::default();
    let server = Server::with(config.built_in_kinds());
    let mut sent = 0;
    for row in page.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, request, response, _] = cells[..] else { continue };
        let Some((method, path)) = code(request).first().and_then(|request| request.split_once(' ')) else {
            continue;
        };
        let mut builder =
            Request::builder().method(method).uri(path).header("content-type", "application/json");
        if let Some((name, value)) = code(request).get(1).and_then(|header| header.split_once(": ")) {
            builder.headers_mut().unwrap().remove(name);
            builder = builder.header(name, value);
        }
        let answer = server.handle(builder.body("{}").unwrap());
        let status = answer.status().as_u16().to_string();
        let body = String::from_utf8(answer.into_body().read_now().to_vec()).unwrap();
        assert_eq!(response.split(' ').next(), Some(status.as_str()), "{row}");
        assert!(body.contains(code(response)[0]), "{row}: {body}");
        sent += 1;
    }
    assert!(sent > 3, "{sent}");
}
