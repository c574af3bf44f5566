#!/usr/bin/env python3
"""Backs up a server under load, twenty times on each database; restores, verifies and continues each backup elsewhere.

    cargo build --release
    python3 tests/scripts/backups.py [--rounds 20] [--postgres postgres://user@host/postgres] [--program target/release/palimpsest]

Four clients make one course after the other, each fourth with a source that is too large for a row, and one client erases every fifth
session. In each round a backup is made meanwhile and restored under other paths; `verify` has to find it sound, a server has to finish
the runs that were under way and one more, and `verify` has to find it sound again. Exit code 1: a round was not sound. PostgreSQL is left
out without --postgres; its user has to be allowed to make databases, which is done with `psql`. Needs nothing but the standard library.
"""

import argparse
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

BRIEF = "A deck of 4 pages about rain"
SOURCE = "# Rain\n\n" + "".join(f"- Station {n} measured {n} millimetres of rain in a year.\n" for n in range(3_000))
ENDED = {"completed", "failed", "cancelled"}


class Place:
    """A data folder, a database, and the program on both."""

    def __init__(self, program, folder, database):
        os.makedirs(folder)
        self.program, self.folder = program, folder
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "PALIMPSEST_MODEL": "offline",
            "PALIMPSEST_DATA": f"{folder}/data",
            "PALIMPSEST_DATABASE": database or f"sqlite:{folder}/log.db",
            "PALIMPSEST_LISTEN": "127.0.0.1:0",
            "PALIMPSEST_LEASE_SECONDS": "1",
            "NO_COLOR": "1",
        }

    def run(self, *arguments):
        done = subprocess.run(
            [self.program, *arguments], env=self.environment, cwd=self.folder, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    def serve(self):
        log = open(f"{self.folder}/log", "w+b")
        self.process = subprocess.Popen(
            [self.program, "serve"], env=self.environment, cwd=self.folder, stdout=log, stderr=log
        )
        while self.process.poll() is None:
            text = open(f"{self.folder}/log", "rb").read().decode(errors="replace")
            found = re.search(r"palimpsest serves at http://127\.0\.0\.1:(\d+)", text)
            if found:
                self.port = int(found.group(1))
                return
            time.sleep(0.05)
        raise SystemExit(open(f"{self.folder}/log").read())

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else {}
        finally:
            connection.close()

    def open(self, session, with_source=False):
        asked = {"session": session, "pipeline": "course", "message": BRIEF}
        if with_source:
            headers = {"content-type": "text/markdown"}
            _, uploaded = self.ask("POST", "/v1/files?name=rain.md", SOURCE, headers)
            asked["attachments"] = [{"path": "rain.md", "file": uploaded["file"]}]
        return self.ask("POST", "/v1/sessions", json.dumps(asked), {"content-type": "application/json"})[0]

    def is_at_work(self, session):
        """Whether the run of this session has not ended; one that was erased has."""
        status, view = self.ask("GET", f"/v1/sessions/{session}")
        return status == 200 and not all(run["status"] in ENDED for run in view["runs"])

    def unfinished(self):
        """The number of sessions whose run is at work."""
        at_work, before = 0, ""
        while True:
            status, page = self.ask("GET", f"/v1/sessions?limit=200{before}")
            if status != 200:
                raise SystemExit(f"the list of sessions: {status} {page}")
            at_work += sum(1 for line in page["sessions"] if line.get("status") not in ENDED)
            if page.get("next") is None:
                return at_work
            before = f"&before={page['next']}"

    def finish(self, seconds):
        """Whether all runs have ended within this time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.unfinished() == 0:
                return True
            time.sleep(0.2)
        return False

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Load:
    """Clients that open sessions, and one that erases some of them."""

    def __init__(self, place):
        self.place, self.stopping, self.opened, self.refused = place, False, [], 0
        self.threads = [threading.Thread(target=self.make, args=(number,)) for number in range(4)]
        self.threads.append(threading.Thread(target=self.erase))
        for thread in self.threads:
            thread.start()

    def make(self, client):
        number = 0
        while not self.stopping:
            number += 1
            session = f"s{client}-{number}"
            if self.place.open(session, number % 4 == 0) < 300:
                self.opened.append(session)
            else:
                self.refused += 1
            while not self.stopping and self.place.is_at_work(session):
                time.sleep(0.02)

    def erase(self):
        done = 0
        while not self.stopping:
            if len(self.opened) > done + 5:
                done += 5
                self.place.ask("DELETE", f"/v1/sessions/{self.opened[done]}")
            time.sleep(0.02)

    def stop(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()


def make_database(server, name):
    for statement in (f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}"):
        subprocess.run(["psql", "-q", server, "-c", statement], check=True, capture_output=True)
    return server.rsplit("/", 1)[0] + "/" + name


def round_of(place, program, folder, number, database):
    """What became of one backup, and whether it was sound."""
    kept, began = f"{folder}/kept-{number}", time.monotonic()
    code, said = place.run("backup", kept)
    backed = time.monotonic() - began
    if code != 0:
        return False, backed, 0, f"backup: {said.strip()}"
    manifest = json.load(open(f"{kept}/backup.json"))
    other = Place(program, f"{folder}/restored-{number}", database)
    try:
        for arguments in (("restore", kept), ("verify",)):
            code, said = other.run(*arguments)
            if code != 0 or (arguments == ("verify",) and "sound: " not in said):
                return False, backed, manifest["position"], f"{arguments[0]}: {said.strip()}"
        other.serve()
        try:
            status = other.open("afterwards")
            finished = other.finish(120)
        finally:
            other.stop()
        if status >= 300 or not finished:
            return False, backed, manifest["position"], f"continuing: {status}, finished: {finished}"
        code, said = other.run("verify")
        is_sound = code == 0 and "sound: " in said
        return is_sound, backed, manifest["position"], said.strip().splitlines()[-1][:90]
    finally:
        shutil.rmtree(kept)
        shutil.rmtree(other.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--postgres", metavar="ADDRESS")
    parser.add_argument("--program", default="target/release/palimpsest")
    given = parser.parse_args()
    program, all_sound = os.path.abspath(given.program), True
    for kind in ["sqlite", *(["postgres"] if given.postgres else [])]:
        folder = tempfile.mkdtemp(prefix="backups-")
        server = given.postgres if kind == "postgres" else None
        place = Place(program, f"{folder}/served", server and make_database(server, "palimpsest_backups"))
        place.serve()
        load = Load(place)
        print(f"{kind:9} {'round':>5} {'seconds':>8} {'position':>9}  outcome")
        sound = 0
        for number in range(1, given.rounds + 1):
            time.sleep(1)
            database = server and make_database(server, "palimpsest_restored")
            is_sound, seconds, position, said = round_of(place, program, folder, number, database)
            sound += is_sound
            print(f"{kind:9} {number:5} {seconds:8.2f} {position:9}  {'' if is_sound else 'NOT SOUND '}{said}", flush=True)
        load.stop()
        place.stop()
        print(f"{kind}: {sound} of {given.rounds} sound, with {len(load.opened)} sessions opened, {load.refused} refused")
        all_sound = all_sound and sound == given.rounds
        shutil.rmtree(folder)
    sys.exit(0 if all_sound else 1)


main()
