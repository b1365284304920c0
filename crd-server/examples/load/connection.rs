//! A connection to the server, with one request after the other.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use crate::Error;

/// A connection to the server.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

/// The answer to a request.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: &str) -> Result<Self, Error> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::with_capacity(1 << 16, stream), host: address.to_owned() })
    }

    /// Sends a request and returns its answer.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<Answer, Error> {
        let (code, length) = self.begin(method, path, headers, body)?;
        let mut body = Vec::new();
        match length {
            Some(length) => {
                body.resize(length, 0);
                self.stream.read_exact(&mut body)?;
            }
            None => while self.chunk(&mut body)? {},
        }
        Ok(Answer { code, body })
    }

    /// Sends a request that must succeed.
    pub(crate) fn succeed(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<Vec<u8>, Error> {
        let answer = self.send(method, path, headers, body)?;
        match answer.code {
            200 | 201 => Ok(answer.body),
            code => Err(format!("{method} {path}: {code} {}", String::from_utf8_lossy(&answer.body)).into()),
        }
    }

    /// Begins a watch, whose events [`Connection::chunk`] reads.
    pub(crate) fn watch(&mut self, path: &str) -> Result<(), Error> {
        match self.begin("GET", path, "", "")? {
            (200, None) => Ok(()),
            (code, _) => Err(format!("watch: {code}").into()),
        }
    }

    /// Writes the request, and returns the code of the answer and the length of its body, which is absent for chunks.
    fn begin(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<(u16, Option<usize>), Error> {
        let host = &self.host;
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
        let code = status.split(' ').nth(1).ok_or("the answer has a code")?.parse()?;
        let mut length = None;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                return Ok((code, length));
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = Some(text.trim().parse()?);
            }
        }
    }

    fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err("the server has closed the connection".into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    /// Adds the next chunk of a body, and returns `false` at its end.
    pub(crate) fn chunk(&mut self, body: &mut Vec<u8>) -> Result<bool, Error> {
        let size = usize::from_str_radix(&self.line()?, 16)?;
        let start = body.len();
        body.resize(start + size, 0);
        self.stream.read_exact(&mut body[start..])?;
        self.line()?;
        Ok(size > 0)
    }
}
