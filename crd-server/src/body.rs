//! Response bodies.

use std::convert::Infallible;
use std::fmt::Debug;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// A response body, which is either complete or yields watch events as they happen.
#[derive(Debug)]
pub struct Body(Content);

/// A source of serialized watch events.
pub(crate) trait Events: Debug + Send + Sync {
    /// Returns the next event, or `None` after the last event.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>>;
}

#[derive(Debug)]
enum Content {
    /// The bytes of the body; `None` after they were read.
    Whole(Option<Bytes>),
    Events(Box<dyn Events>),
}

impl Body {
    pub(crate) fn whole(bytes: Bytes) -> Self {
        Self(Content::Whole(Some(bytes)))
    }

    pub(crate) fn events(events: Box<dyn Events>) -> Self {
        Self(Content::Events(events))
    }

    /// Returns `true` if the body contains the events of a watch.
    #[cfg(feature = "listen")]
    pub(crate) fn is_watch(&self) -> bool {
        matches!(self.0, Content::Events(_))
    }

    /// Returns the available bytes, without waiting. For a watch, these are the events so far.
    ///
    /// ```
    /// let server = crd_server::Server::new();
    /// let request = http::Request::get("/version").body(Vec::new()).unwrap();
    /// let bytes = server.handle(request).into_body().read_now();
    /// assert!(bytes.starts_with(b"{"));
    /// ```
    #[must_use]
    pub fn read_now(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut context = Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(Some(Ok(frame))) = http_body::Body::poll_frame(Pin::new(self), &mut context) {
            bytes.extend(frame.into_data().unwrap_or_default());
        }
        bytes
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.get_mut().0 {
            Content::Whole(bytes) => Poll::Ready(
                bytes.take().filter(|bytes| !bytes.is_empty()).map(|bytes| Ok(Frame::data(bytes))),
            ),
            Content::Events(events) => {
                events.poll_next(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Events(_) => SizeHint::default(),
        }
    }
}
