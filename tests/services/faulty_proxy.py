"""An HTTP server between Weir and a store, which passes requests on, counts them, and now and then fails on purpose.

It runs in threads of the test's process. The header Host stays what the client sent, so that signatures stay valid."""

import http.client
import http.server
import random
import socket
import socketserver
import struct
import threading
import time

# What can happen to a request, each with its part of all.
FAULTS = {
    "503": 0.03,     # not passed on
    "429": 0.02,     # not passed on
    "reset": 0.02,   # the connection, before the request is passed on
    "lost": 0.03,    # done by the store; the connection is reset instead of an answer
    "cut": 0.02,     # the answer ends in its middle
    "slow": 0.02,    # the answer comes late, and in two pieces
}
MARKS = {"503": 503, "429": 429}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def forward(self, body):
        connection = http.client.HTTPConnection(*self.server.target, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in self.server.stripped and name.lower() != "transfer-encoding":
                connection.putheader(name, value)
        if self.headers.get("Transfer-Encoding"):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def handle_one(self):
        body = self.read_body()
        fault = self.server.choose()
        if fault in MARKS:
            self.server.note(self, MARKS[fault], fault)
            self.send_response(MARKS[fault])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if fault == "reset":
            self.server.note(self, 0, fault)
            self.reset()
            return
        try:
            answer, content = self.forward(body)
        except OSError:
            self.server.note(self, 0, "the store does not answer")
            self.reset()
            return
        self.server.note(self, answer.status, fault, len(content))
        if fault == "lost":
            self.reset()
            return
        self.answer(answer, content, fault)

    def answer(self, answer, content, fault):
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                self.send_header(name, value)
        if answer.status != 204:
            size = answer.getheader("Content-Length") if self.command == "HEAD" else len(content)
            self.send_header("Content-Length", str(size or 0))
        self.end_headers()
        if fault == "cut" and len(content) > 1:
            self.wfile.write(content[:len(content) // 2])
            self.reset()
        elif fault == "slow":
            time.sleep(0.3)
            self.wfile.write(content[:len(content) // 2])
            self.wfile.flush()
            time.sleep(0.3)
            self.wfile.write(content[len(content) // 2:])
        else:
            self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_one


class FaultyProxy(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`target`: "http://host:port". `faults`: parts of all requests, as FAULTS has them; by default none fails.
    `stripped`: headers of requests that do not reach the store."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, target, seed=1, faults=None, stripped=()):
        super().__init__(("127.0.0.1", 0), Handler)
        host, port = target.removeprefix("http://").split(":")
        self.target = (host, int(port))
        self.random, self.faults, self.stripped = random.Random(f"{seed}"), dict(faults or {}), set(stripped)
        self.lock, self.log, self.sizes = threading.Lock(), [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def choose(self):
        with self.lock:
            at = self.random.random()
        for fault, part in self.faults.items():
            at -= part
            if at < 0:
                return fault
        return None

    def note(self, request, status, fault, size=0):
        with self.lock:
            self.log.append((request.command, request.path, status, fault))
            self.sizes.append((request.command, request.path, size))

    def handle_error(self, request, client_address):
        pass  # clients that were killed

    def requests(self):
        """What came since the last call."""
        with self.lock:
            log, self.log = self.log, []
        return log

    def traffic(self):
        """What came since the last call, with the bytes of each answer."""
        with self.lock:
            sizes, self.sizes = self.sizes, []
        return sizes

    def close(self):
        self.shutdown()
        self.server_close()
