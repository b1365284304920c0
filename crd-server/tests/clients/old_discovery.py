"""A proxy that hides the list of all groups and resources from a client, which then asks for them one by one, as older clients do."""

import contextlib
import http.client
import http.server
import pathlib
import threading
import urllib.parse
from collections.abc import Iterator

HOP_BY_HOP = {"connection", "proxy-connection", "keep-alive", "transfer-encoding", "content-length"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        if url.path in ("/api", "/apis"):
            headers["Accept"] = "application/json"
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = http.client.HTTPConnection(url.netloc, timeout=60)
        server.request(self.command, urllib.parse.urlunsplit(("", "", *url[2:])), body, headers)
        response = server.getresponse()
        content = response.read()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        server.close()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    def log_message(self, *_) -> None:
        pass


@contextlib.contextmanager
def hidden(environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yields the environment for a client that uses the proxy: a kubeconfig that names it."""
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    kubeconfig = pathlib.Path(environment["KUBECONFIG"])
    changed = kubeconfig.with_suffix(".proxy")
    address = f"  cluster:\n    proxy-url: http://127.0.0.1:{proxy.server_port}\n"
    changed.write_text(kubeconfig.read_text().replace("  cluster:\n", address, 1))
    try:
        yield {**environment, "KUBECONFIG": str(changed)}
    finally:
        proxy.shutdown()
        changed.unlink()
