"""A PostgreSQL server of the tests' own: in a folder under the system's temporary one, on a Unix socket, with passwords."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

USER, PASSWORD = "clerk", "open-Sesame-88"


def find_program(name: str) -> str | None:
    """Debian keeps the server's programs off the path."""
    found = shutil.which(name)
    if found is None:
        there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        found = str(there[-1]) if there else None
    return found


@dataclass(frozen=True)
class Server:
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    def url(self, database: str = "clinic", user: str = USER, password: str | None = None) -> str:
        """As a person types it; without a password, PGPASSWORD has it."""
        who = user if password is None else f"{user}:{password}"
        return f"postgresql://{who}@/{database}?host={self.socket}"

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "PGPASSWORD": PASSWORD, **more}

    def connect(self, database: str = "clinic") -> Any:
        import psycopg

        return psycopg.connect(
            host=str(self.socket), dbname=database, user=USER, password=PASSWORD, autocommit=True
        )

    def fresh_database(self) -> None:
        """An empty database `clinic`."""
        with self.connect("postgres") as connection:
            connection.execute("DROP DATABASE IF EXISTS clinic WITH (FORCE)")
            connection.execute("CREATE DATABASE clinic")

    def log(self) -> bytes:
        return (self.folder / "server.log").read_bytes()


@contextmanager
def running_server(safe: bool = False) -> Iterator[Server]:
    """With `safe` what is written is safe from a power cut, as on a real server; tests need not wait for that."""
    initdb, postgres = find_program("initdb"), find_program("postgres")
    if initdb is None or postgres is None:
        pytest.skip("NEEDS PostgreSQL: sh scripts/install_test_tools.sh")
    pytest.importorskip("psycopg", reason="NEEDS the extra 'db'")
    folder = Path(tempfile.mkdtemp(prefix="deidlab-postgres-"))
    # The server refuses to run as root, which bare machines' tests run as.
    who = _other_user() if os.geteuid() == 0 else None
    try:
        (folder / "password").write_text(PASSWORD)
        (folder / "socket").mkdir()
        if who is not None:
            for path in (folder, folder / "password", folder / "socket"):
                shutil.chown(path, who)
        folder.chmod(0o755)
        command = [initdb, "-D", str(folder / "data"), "-U", USER, "--pwfile", str(folder / "password"), "--no-sync",
                   "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, user=who, cwd=folder)
        with (folder / "server.log").open("wb") as log:
            command = [postgres, "-D", str(folder / "data"), "-k", str(folder / "socket"), "-c", "listen_addresses=",
                       "-c", f"fsync={'on' if safe else 'off'}", "-c", "log_statement=none"]  # fmt: skip
            process = subprocess.Popen(command, stdout=log, stderr=log, user=who, cwd=folder)
        try:
            server = Server(folder, process)
            _wait(server)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user() -> str:
    names = {row.pw_name for row in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _wait(server: Server) -> None:
    import psycopg

    deadline = time.monotonic() + 60
    while True:
        try:
            server.connect("postgres").close()
            return
        except psycopg.OperationalError:
            assert server.process.poll() is None and time.monotonic() < deadline, server.log().decode()
            time.sleep(0.05)
