#!/usr/bin/env python3
"""A server that serves one measurement after another does not grow.

    check_soak.py PROGRAM [SECONDS]

Measurements come as fast as they are answered, for so long or, without SECONDS, 32 of them: frames while data arrive, an image at
the close, an unknown configuration, and a client that is killed in the middle. Prints a table of the resident memory of the server.
"""

import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 0
SHORT = 32  # measurements
LIVE = '{"spokes-per-frame": 20, "frame-step": 10, "iterations": 5}'
AT_THE_CLOSE = '{"iterations": 5, "regularize": "tv:1"}'
# What an allocator keeps of threads that ended is settled after some measurements. A leak of one readout of each
# measurement (3 coils of 64 samples, 2 kB) shows in an hour, one of a frame or a plan (100 kB or more) at once.
SETTLED = 12
MOST_GROWTH_KB = 8192


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--quiet"], capture_output=True, text=True, timeout=100)


def resident_kb(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def measure(number, scan, to):
    """One measurement; whether it was to succeed."""
    kind = number % 8
    if kind == 6:
        assert run("replay", scan, "--to", to, "--config", "unknown").returncode == 1
    elif kind == 7:
        client = subprocess.Popen([PROGRAM, "replay", scan, "--to", to, "--config", LIVE, "--tr", "5", "--quiet"])
        time.sleep(0.1)
        client.kill()
        client.wait()
    else:
        done = run("replay", scan, "--to", to, "--config", LIVE if kind % 2 == 0 else AT_THE_CLOSE)
        assert done.returncode == 0, done.stderr


with tempfile.TemporaryDirectory() as folder:
    trajectory, scan = f"{folder}/t.h5", f"{folder}/scan.h5"
    assert run("traj", "radial", "--matrix", "32", "--spokes", "60", "--order", "golden", "-o", trajectory).returncode == 0
    made = run("phantom", "shepp-logan", "-t", trajectory, "--coils", "3", "--snr", "20", "-o", scan)
    assert made.returncode == 0, made.stderr
    command = [PROGRAM, "serve", "--port", "0", "--device", "cpu", "--threads", "1", "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        to = "127.0.0.1:" + server.stdout.readline().split()[-1]
        start, settled, number, next_line = time.monotonic(), 0, 0, 0.0
        while time.monotonic() - start < SECONDS if SECONDS else number < SHORT:
            measure(number, scan, to)
            number += 1
            if number == SETTLED:
                settled = resident_kb(server)
            if SECONDS and time.monotonic() - start >= next_line:
                print(f"{time.monotonic() - start:6.0f} s {number:6} measurements {resident_kb(server):8} kB", flush=True)
                next_line += SECONDS / 10
        grown = resident_kb(server) - settled
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
assert server.returncode == 0
print(f"{number} measurements: {settled} kB after {SETTLED}, {grown} kB more at the end")
assert grown < MOST_GROWTH_KB, grown
