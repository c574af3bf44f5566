#!/usr/bin/env python3
"""Besieges a server with many clients, and measures: its memory, and how long others wait for an answer meanwhile.

    cargo build --release
    python3 tests/scripts/siege.py [CASE...] [--program target/release/palimpsest]

Each case starts a server of its own, offline, with two owners and default limits, in a folder that it removes. Everything is sent from
one address, so what is shown is the worst for others at that address. Exit code 1: somebody waited longer than a second, was not
answered, or the server grew by more than the case allows. Needs Linux (/proc) and nothing but the standard library.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ANN, BOB, OPERATOR = "ann-secret-0123456789ab", "bob-secret-0123456789ab", "operator-secret-0123456"
MIB = 1 << 20


class Server:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="siege-")
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PALIMPSEST_MODEL": "offline",
            "PALIMPSEST_DATA": f"{self.folder}/data",
            "PALIMPSEST_DATABASE": f"sqlite:{self.folder}/log.db",
            "PALIMPSEST_LISTEN": "127.0.0.1:0",
            "PALIMPSEST_KEYS": f"ann:{ANN},bob:{BOB}",
            "PALIMPSEST_OPERATOR_KEY": OPERATOR,
            "NO_COLOR": "1",
        }
        self.log = open(f"{self.folder}/log", "w+b")
        self.process = subprocess.Popen(
            [program, "serve"], env=environment, cwd=self.folder, stdout=self.log, stderr=self.log
        )
        self.port = self.find_port()

    def find_port(self):
        while self.process.poll() is None:
            text = open(f"{self.folder}/log", "rb").read().decode(errors="replace")
            found = re.search(r"palimpsest serves at http://127\.0\.0\.1:(\d+)", text)
            if found:
                return int(found.group(1))
            time.sleep(0.05)
        raise SystemExit(open(f"{self.folder}/log").read())

    def memory(self, line="VmRSS"):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(rf"{line}:\s+(\d+)", status).group(1)) / 1024

    def connect(self, little=False):
        raw = socket.socket()
        if little:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(30)
        raw.connect(("127.0.0.1", self.port))
        return raw

    def ask(self, method, path, body=None, key=None, headers=None, timeout=30):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = dict(headers or {})
        if key:
            headers["Authorization"] = f"Bearer {key}"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return answer.status, read

    def metrics(self):
        return self.ask("GET", "/metrics", key=OPERATOR)[1].decode()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Watch(threading.Thread):
    """Asks for the health all the time, and as an owner who has nothing to do with the siege."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.waits, self.failed, self.most = server, [], [], 0
        self.done = threading.Event()

    def run(self):
        while not self.done.is_set():
            for path, key in (("/healthz", None), ("/v1/sessions", BOB)):
                began = time.monotonic()
                try:
                    status, _ = self.server.ask("GET", path, key=key, timeout=10)
                    if status != 200:
                        self.failed.append(f"{path}: {status}")
                except OSError as error:
                    self.failed.append(f"{path}: {error!r}")
                except http.client.HTTPException as error:
                    self.failed.append(f"{path}: {error!r}")
                self.waits.append(time.monotonic() - began)
            self.most = max(self.most, self.server.memory())
            self.done.wait(0.05)


def heads(server):
    """1,100 connections that send half a head and wait for ten seconds."""
    held = []
    for _ in range(1_100):
        raw = server.connect()
        with contextlib.suppress(OSError):
            raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
        held.append(raw)
    time.sleep(12)
    return f"{len(held)} opened, {still_open(held)} still open after 12 s"


def methods(server):
    """30,000 requests with invented methods."""
    raw = server.connect()
    for number in range(30_000):
        raw.sendall(f"M{number} /x{number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        read_answer(raw)
    return f"/metrics has {len(server.metrics()) / 1024:.0f} KiB"


def readers(server):
    """40 connections that do not read a blob of 30 MiB, then 40 that each do not read one of their own."""
    addresses = []
    for number in range(4):
        body = f"# Rain {number}\n\n".encode() + os.urandom(15 * MIB).hex().encode()
        status, read = server.ask("POST", "/v1/files?name=rain.md", body, ANN)
        assert status == 201, read
        uploaded = json.loads(read)
        asked = {
            "pipeline": "course",
            "message": "Rain, 3 pages",
            "session": f"s{number}",
            "attachments": [{"path": "rain.md", "file": uploaded["file"]}],
        }
        headers = {"Content-Type": "application/json"}
        status, read = server.ask("POST", "/v1/sessions", json.dumps(asked), ANN, headers)
        assert status < 300, read
        addresses.append(f"/v1/sessions/s{number}/blobs/{uploaded['sha256']}")
    # What reading the sources cost is no part of it.
    time.sleep(5)
    before, held, said = server.memory(), [], []
    for number in range(80):
        raw = server.connect(little=True)
        path = addresses[0 if number < 40 else number % len(addresses)]
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ANN}\r\n\r\n".encode())
        held.append(raw)
        with contextlib.suppress(OSError):
            said.append(raw.recv(12)[-3:].decode())
    grown = server.memory() - before
    statuses = {status: said.count(status) for status in sorted(set(said))}
    time.sleep(25)
    return f"grown by {grown:.0f} MiB while all are open, {statuses}; {still_open(held)} still open after 25 s"


def handshakes(server):
    """20,000 polling handshakes without a key."""
    raw, statuses = server.connect(), {}
    for _ in range(20_000):
        raw.sendall(b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\n\r\n")
        status = read_answer(raw)
        statuses[status] = statuses.get(status, 0) + 1
    time.sleep(12)
    return f"{statuses}; {server.memory():.0f} MiB 12 s later"


def uploads(server):
    """1,100 uploads of one owner that send a byte a second."""
    head = f"POST /v1/files?name=a.md HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ANN}\r\nContent-Length: 30000\r\n\r\nx"
    held = []
    for _ in range(1_100):
        raw = server.connect()
        with contextlib.suppress(OSError):
            raw.sendall(head.encode())
        held.append(raw)
    for _ in range(15):
        time.sleep(1)
        for raw in held:
            with contextlib.suppress(OSError):
                raw.send(b"x", socket.MSG_DONTWAIT)
    status, _ = server.ask("POST", "/v1/files?name=b.md", b"bob", BOB)
    return f"another owner's upload: {status}; {still_open(held)} still open after 15 s"


def forms(server):
    """Forms without an end: no boundary, a header line of 600 MiB, a field of 600 MiB."""
    said = []
    starts = {
        "no boundary": b"",
        "header line": b"--edge\r\nA: ",
        "field": b'--edge\r\nContent-Disposition: form-data; name="note"\r\n\r\n',
        "file": b'--edge\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n',
    }
    for name, start in starts.items():
        raw, sent, began = server.connect(), 0, time.monotonic()
        head = f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ANN}\r\nTransfer-Encoding: chunked\r\n"
        raw.sendall((head + "Content-Type: multipart/form-data; boundary=edge\r\n\r\n").encode())
        try:
            if start:
                raw.sendall(b"%x\r\n%s\r\n" % (len(start), start))
            while sent < 600 * MIB:
                raw.sendall(b"%x\r\n%s\r\n" % (MIB, b"x" * MIB))
                sent += MIB
        except OSError:
            pass
        said.append(f"{name}: cut after {sent / MIB:.0f} MiB, {time.monotonic() - began:.1f} s")
        raw.close()
    return "; ".join(said)


def keys(server):
    """2,000 wrong keys."""
    raw, statuses, began = server.connect(), {}, time.monotonic()
    for number in range(2_000):
        raw.sendall(f"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer w{number}\r\n\r\n".encode())
        status = read_answer(raw)
        statuses[status] = statuses.get(status, 0) + 1
    return f"{statuses} in {time.monotonic() - began:.1f} s"


def read_answer(raw):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = raw.recv(65536)
        if not piece:
            raise SystemExit("the server closed a connection that did nothing wrong")
        head += piece
    head, body = head.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"content-length: (\d+)", head.lower()).group(1))
    while len(body) < length:
        body += raw.recv(65536)
    return int(head.split(b" ")[1])


def still_open(held):
    """Those that the server has not closed, answers aside."""
    count, poll = 0, select.poll()
    for raw in held:
        poll.register(raw, select.POLLIN | select.POLLRDHUP)
    events = dict(poll.poll(0))
    for raw in held:
        gone = select.POLLRDHUP | select.POLLHUP | select.POLLERR
        count += not events.get(raw.fileno(), 0) & gone
    return count


# With the MiB by which the server may grow meanwhile.
CASES = {
    "heads": (heads, 64),
    "methods": (methods, 64),
    "readers": (readers, 512),
    "handshakes": (handshakes, 64),
    "uploads": (uploads, 64),
    "forms": (forms, 64),
    "keys": (keys, 64),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--program", default="target/release/palimpsest")
    given = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    failed = False
    for name in given.cases or CASES:
        case, allowed = CASES[name]
        server = Server(os.path.abspath(given.program))
        try:
            server.ask("GET", "/v1/sessions", key=BOB)
            before, watch = server.memory(), Watch(server)
            watch.start()
            said = case(server)
            watch.done.set()
            watch.join()
            print(f"{name}: {said}")
            slowest, grown = max(watch.waits) * 1000, max(watch.most, before) - before
            print(
                f"  memory {before:.0f} MiB, at most {watch.most:.0f} MiB; {len(watch.waits)} answers for others, "
                f"the slowest after {slowest:.0f} ms, {len(watch.failed)} failed {watch.failed[:3]}"
            )
            bitten = [line for line in server.metrics().splitlines() if line.startswith("palimpsest_limit_reached_total")]
            for line in bitten:
                print(f"  {line}")
            if slowest > 1_000 or watch.failed or grown > allowed:
                print(f"  FAILED (at most {allowed} MiB more)")
                failed = True
        finally:
            server.stop()
    sys.exit(failed)


if __name__ == "__main__":
    main()
