#!/usr/bin/env python3
"""The unit packaging/whorl.service: systemd takes it, and the server that it starts answers and ends in time.

    check_service.py PROGRAM UNIT

Exit code 77: systemd-analyze is not installed, and the unit's form was not tested; its command was.
"""

import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

PROGRAM, UNIT = sys.argv[1:]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run_command(text, folder):
    """The unit's command, with the program, ports and folders of this test."""
    (command,) = re.findall(r"^ExecStart=/usr/bin/whorl (.*)$", text, re.M)
    health = free_port()
    for name in ("/etc/whorl", "/var/lib/whorl"):
        assert name in command, command
        command = command.replace(name, folder)
    assert "9003" in command, command
    arguments = command.replace("9003", str(health)).split()
    server = subprocess.Popen([PROGRAM, *arguments, "--port", "0", "--device", "cpu"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        assert "listening" in line, line + server.stderr.read()
        with urllib.request.urlopen(f"http://127.0.0.1:{health}/health", timeout=20) as answer:
            assert answer.status == 200
    finally:
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    # No client is there, so that it need not drain. systemd kills it after TimeoutStopSec.
    assert time.monotonic() - start < int(re.search(r"TimeoutStopSec=(\d+)", text)[1])
    assert server.returncode == 0, server.returncode


with open(UNIT) as file:
    unit = file.read()
with tempfile.TemporaryDirectory() as scratch:
    run_command(unit, scratch)
    if shutil.which("systemd-analyze") is None:
        print("skipped: systemd-analyze is not installed; the unit's command ran")
        sys.exit(77)
    # The program need not be installed where this test runs, nor its manual.
    there = re.sub(r"^ExecStart=/usr/bin/whorl", f"ExecStart={PROGRAM}", unit, flags=re.M)
    there = re.sub(r"^Documentation=.*\n", "", there, flags=re.M)
    with open(f"{scratch}/whorl.service", "w") as file:
        file.write(there)
    said = subprocess.run(["systemd-analyze", "verify", f"{scratch}/whorl.service"], capture_output=True, text=True)
    ours = [line for line in said.stderr.splitlines() if "whorl" in line]
    assert said.returncode == 0 and not ours, said.stderr
print("the unit is well formed, and its command serves")
