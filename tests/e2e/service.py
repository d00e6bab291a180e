"""`deidlab serve` in a process of its own, as from a shell."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Service:
    """A server that runs; `err` gathers its standard error."""

    process: subprocess.Popen[bytes]
    port: int
    err: list[bytes] = field(default_factory=list)

    def ask(self, path: str, body: object = None, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **(headers or {})}
        try:
            connection.request("GET" if body is None else "POST", path, data, sent)  # type: ignore[arg-type]
            answer = connection.getresponse()
            try:
                got = answer.read()
            except http.client.IncompleteRead as cut:
                got = cut.partial
            return answer.status, got + str(answer.getheaders()).encode()
        finally:
            connection.close()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextlib.contextmanager
def service(*arguments: str | Path, cwd: Path, **environment: str) -> Iterator[Service]:
    """A server on a free port until the block ends."""
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "serve",
        "--port",
        "0",
        "--rules",
        "only",
        *map(str, arguments),
    ]
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=(cwd / "stdout").open("wb"),
        stderr=subprocess.PIPE,
    )
    up = Service(process, 0)
    ready = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            up.err.append(line)
            if found := re.search(rb"listening on https?://\S+:(\d+)", line):
                up.port = int(found[1])
                ready.set()
        ready.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        assert ready.wait(90) and up.port, b"".join(up.err).decode()
        yield up
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)
        reader.join(30)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost, signed by itself."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return paths
