//! Sends watch events over WebSocket, as used by the fabric8 client and web pages.
//!
//! Source: `HandleWS` of `k8s.io/apiserver/pkg/endpoints/handlers/watch.go`, and `golang.org/x/net/websocket`. Every event is a WebSocket
//! message. The server ignores messages from the client, except pings and the message that closes the connection.

use std::future::{Future as _, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;

use bytes::Bytes;
use crd_go::base64;
use http::header::{
    CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderMap, Request, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use sha1::{Digest as _, Sha1};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::body::Body;

/// The constant in RFC 6455 that is appended to the client's key.
const KEY_SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The bit in a frame's first byte that is set in the last frame of a message.
const LAST: u8 = 0x80;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
/// Maximum number of bytes from a ping that the server returns in the pong.
const MOST_CONTROL_BYTES: u64 = 125;
const NORMAL_CLOSURE: u16 = 1000;
const PROTOCOL_ERROR: u16 = 1002;

/// A request to open a WebSocket.
pub(super) struct Handshake {
    headers: HeaderMap,
    upgrade: OnUpgrade,
}

/// A watch that sends events over a WebSocket after the handshake.
pub(super) struct Socket {
    upgrade: OnUpgrade,
    events: Body,
    is_text: bool,
}

impl Handshake {
    /// Returns the handshake, if the request asks for a WebSocket: `IsWebSocketRequest` of `k8s.io/streaming`.
    pub(super) fn of<B>(request: &mut Request<B>) -> Option<Self> {
        let has = |name: HeaderName, word: &str| {
            let values = request.headers().get_all(name).into_iter();
            values.filter_map(|value| value.to_str().ok()).any(|value| value.to_lowercase().contains(word))
        };
        let is_asked = has(CONNECTION, "upgrade") && has(UPGRADE, "websocket");
        is_asked.then(|| Self { headers: request.headers().clone(), upgrade: hyper::upgrade::on(request) })
    }

    /// Opens the WebSocket if the response is a watch; otherwise, returns the response unchanged.
    pub(super) fn open(self, response: Response<Body>) -> (Response<Body>, Option<Socket>) {
        if !response.body().is_watch() {
            return (response, None);
        }
        let header =
            |name| self.headers.get(name).map(HeaderValue::as_bytes).filter(|value| !value.is_empty());
        let Some(key) = header(SEC_WEBSOCKET_KEY) else {
            return (failed(StatusCode::BAD_REQUEST, "mismatch challenge/response"), None);
        };
        if header(SEC_WEBSOCKET_VERSION) != Some(b"13") {
            let mut failed = failed(StatusCode::BAD_REQUEST, "missing or bad WebSocket Version");
            failed.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            return (failed, None);
        }
        if header(ORIGIN).is_none() {
            return (failed(StatusCode::FORBIDDEN, ""), None);
        }
        let protocol = self.headers.get(SEC_WEBSOCKET_PROTOCOL).filter(|value| !value.is_empty());
        if protocol.is_some_and(|value| value.as_bytes().contains(&b',')) {
            return (failed(StatusCode::BAD_REQUEST, ""), None);
        }
        let accepted = base64::encode_std(&Sha1::new().chain_update(key).chain_update(KEY_SUFFIX).finalize());
        let switched = Response::builder()
            .status(101)
            .header(UPGRADE, "websocket")
            .header(CONNECTION, "Upgrade")
            .header(SEC_WEBSOCKET_ACCEPT, accepted);
        let switched = match protocol {
            Some(protocol) => switched.header(SEC_WEBSOCKET_PROTOCOL, protocol),
            None => switched,
        };
        let switched = switched.body(Body::whole(Bytes::new())).expect("all headers are valid");
        let is_text = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
        (switched, Some(Socket { upgrade: self.upgrade, events: response.into_body(), is_text }))
    }
}

fn failed(status: StatusCode, message: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::whole(Bytes::from_static(message.as_bytes())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

impl Socket {
    /// Sends the events until the watch ends or the client closes the connection. The response to the handshake must have been sent before.
    pub(super) async fn run(self) {
        if let Ok(upgraded) = self.upgrade.await {
            let (reader, writer) = tokio::io::split(TokioIo::new(upgraded));
            // An error concerns this connection only, and its client has gone.
            let _ = converse(self.events, self.is_text, reader, writer).await;
        }
    }
}

/// Specifies what to write to the socket: an event, the reply to a ping, or the end of the connection.
enum Next {
    Event(Bytes),
    Ping(Vec<u8>),
    Close(u16),
}

async fn converse(
    mut events: Body,
    is_text: bool,
    reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (sender, mut pings) = mpsc::channel(1);
    let mut received = pin!(receive(reader, sender));
    loop {
        let next = poll_fn(|context| {
            if let Poll::Ready(code) = received.as_mut().poll(context) {
                return Poll::Ready(code.map(Next::Close));
            }
            if let Poll::Ready(Some(ping)) = pings.poll_recv(context) {
                return Poll::Ready(Ok(Next::Ping(ping)));
            }
            http_body::Body::poll_frame(Pin::new(&mut events), context).map(|frame| {
                let event = frame.and_then(|Ok(frame)| frame.into_data().ok());
                Ok(event.map_or(Next::Close(NORMAL_CLOSURE), Next::Event))
            })
        });
        match next.await? {
            Next::Event(event) if is_text => writer.write_all(&frame(TEXT, &event)).await?,
            // In a stream, the length of the message precedes it.
            Next::Event(event) => {
                writer.write_all(&frame(BINARY, event.get(4..).unwrap_or_default())).await?;
            }
            Next::Ping(content) => writer.write_all(&frame(PONG, &content)).await?,
            Next::Close(code) => {
                writer.write_all(&frame(CLOSE, &code.to_be_bytes())).await?;
                return writer.shutdown().await;
            }
        }
        writer.flush().await?;
    }
}

/// Reads the client's frames, and sends the contents of pings to `pings`. Returns the status code for closing the connection.
async fn receive(mut reader: impl AsyncRead + Unpin, pings: mpsc::Sender<Vec<u8>>) -> io::Result<u16> {
    loop {
        let (kind, length) = (reader.read_u8().await?, reader.read_u8().await?);
        let is_masked = length & 0x80 != 0;
        let length = match length & 0x7f {
            126 => reader.read_u16().await?.into(),
            127 => reader.read_u64().await?,
            short => u64::from(short),
        };
        if !is_masked {
            return Ok(PROTOCOL_ERROR);
        }
        let mask = reader.read_u32().await?.to_be_bytes();
        match kind & 0xf {
            CLOSE => return Ok(NORMAL_CLOSURE),
            PING => {
                let mut content = Vec::new();
                let counted = length.min(MOST_CONTROL_BYTES);
                (&mut reader).take(counted).read_to_end(&mut content).await?;
                skip(&mut reader, length - counted).await?;
                content.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
                // The receiver exists as long as this function runs.
                let _ = pings.send(content).await;
            }
            _ => skip(&mut reader, length).await?,
        }
    }
}

async fn skip(reader: &mut (impl AsyncRead + Unpin), length: u64) -> io::Result<()> {
    tokio::io::copy(&mut reader.take(length), &mut tokio::io::sink()).await.map(|_| ())
}

/// Returns a frame that contains a whole message.
fn frame(kind: u8, content: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(content.len() + 10);
    frame.push(LAST | kind);
    match (u8::try_from(content.len()), u16::try_from(content.len())) {
        (Ok(length @ ..126), _) => frame.push(length),
        (_, Ok(length)) => {
            frame.push(126);
            frame.extend(length.to_be_bytes());
        }
        _ => {
            frame.push(127);
            frame.extend((content.len() as u64).to_be_bytes());
        }
    }
    frame.extend(content);
    frame
}

#[cfg(test)]
mod tests {
    use super::frame;

    #[test]
    fn the_length_of_a_frame_has_three_forms() {
        for (length, head) in [
            (0, vec![0x81, 0]),
            (125, vec![0x81, 125]),
            (126, vec![0x81, 126, 0, 126]),
            (65_535, vec![0x81, 126, 255, 255]),
            (65_536, vec![0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            let content = vec![b'x'; length];
            assert_eq!(frame(1, &content), [head, content].concat());
        }
    }
}
