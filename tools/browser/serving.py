"""Serve a folder from this machine with gzip, as hosts of static sites do."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: Types that hosts compress; images and fonts are compressed already.
COMPRESSED = (".html", ".css", ".js", ".json", ".svg", ".txt", ".md", ".ipynb", ".csv")


@lru_cache(maxsize=None)
def compressed(path: Path, changed: float) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


def transfer_size(path: Path) -> int:
    """Bytes that a visit transfers for one file, headers apart."""
    if path.suffix in COMPRESSED:
        return len(compressed(path, path.stat().st_mtime))
    return path.stat().st_size


class GzipHandler(SimpleHTTPRequestHandler):
    """Files of one folder, kept alive and compressed; silent."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".woff2": "font/woff2", ".woff": "font/woff"}

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in COMPRESSED or not path.is_file():
            return super().do_GET()
        body = compressed(path, path.stat().st_mtime)
        kind = self.guess_type(str(path))
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments) -> None:
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        """A browser that closes a connection early is no error."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address under which `folder` is served while the block runs."""
    server = QuietServer(("127.0.0.1", 0), partial(GzipHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
