//! Implements `tower::Service` for the server, as required by `kube::Client::new`.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, BytesMut};
use http_body::Body as _;

use crate::body::Body;
use crate::request::body::{MOST_BYTES, too_large};
use crate::response::rejected;
use crate::server::Server;
use crate::status::Failure;

impl<B> tower_service::Service<http::Request<B>> for Server
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let server = self.clone();
        let (head, body) = request.into_parts();
        let body = Box::pin(body);
        Box::pin(async move {
            Ok(match read(body, |_| Ok(())).await {
                Ok(bytes) => server.handle(http::Request::from_parts(head, bytes)),
                Err(failure) => rejected(&failure, &[]),
            })
        })
    }
}

/// Reads a body up to the API server's size limit. `take` is called with the size of each chunk, and can reject the body.
pub(crate) async fn read<B: http_body::Body>(
    mut body: Pin<Box<B>>,
    mut take: impl FnMut(usize) -> Result<(), Failure>,
) -> Result<BytesMut, Failure> {
    // A length that is known beforehand needs no bytes to be read.
    if body.size_hint().lower() > MOST_BYTES as u64 {
        return Err(too_large());
    }
    let mut bytes = BytesMut::new();
    while !body.is_end_stream() {
        match poll_fn(|context| body.as_mut().poll_frame(context)).await {
            None => break,
            Some(Err(_)) => return Err(Failure::bad_request("the body of the request ended early")),
            Some(Ok(frame)) => {
                let Ok(mut data) = frame.into_data() else { continue };
                if bytes.len() + data.remaining() > MOST_BYTES {
                    return Err(too_large());
                }
                take(data.remaining())?;
                while data.has_remaining() {
                    let chunk = data.chunk();
                    bytes.extend_from_slice(chunk);
                    let length = chunk.len();
                    data.advance(length);
                }
            }
        }
    }
    Ok(bytes)
}
