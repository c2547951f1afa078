#!/usr/bin/env python3
"""A server that serves one measurement after another does not grow.

    check_soak.py PROGRAM [SECONDS]

Measurements come as fast as they are answered, for so long or, without SECONDS, 32 of them: frames while data arrive, an image at
the close, an unknown configuration, and a client that is killed in the middle. Then a connection of many frames must take no more
than one of few. Prints a table of the resident memory of the server. A day of it, at low priority:

    nice test/cli/serve/check_soak.py build/bin/whorl 86400
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
# A leak of a readout of each frame (2 kB) is 2.7 MB, below the limit; one of its ten readouts is 27 MB.
FRAMES = (150, 1500)


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--quiet"], capture_output=True, text=True, timeout=1000)


def memory_kb(process, name="VmRSS"):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def make_scan(folder, spokes):
    trajectory, scan = f"{folder}/t{spokes}.h5", f"{folder}/scan{spokes}.h5"
    for command in (
        ("traj", "radial", "--matrix", "32", "--spokes", str(spokes), "--order", "golden", "-o", trajectory),
        ("phantom", "shepp-logan", "-t", trajectory, "--coils", "3", "--snr", "20", "-o", scan),
    ):
        made = run(*command)
        assert made.returncode == 0, made.stderr
    return scan


class Server:
    def __init__(self, *options):
        command = [PROGRAM, "serve", "--port", "0", "--device", "cpu", "--threads", "1", "--quiet", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        self.to = "127.0.0.1:" + self.process.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0


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


def check_connections(folder):
    scan = make_scan(folder, 60)
    with Server() as server:
        start, settled, number, next_line = time.monotonic(), 0, 0, 0.0
        while time.monotonic() - start < SECONDS if SECONDS else number < SHORT:
            measure(number, scan, server.to)
            number += 1
            if number == SETTLED:
                settled = memory_kb(server.process)
            if SECONDS and time.monotonic() - start >= next_line:
                print(f"{time.monotonic() - start:6.0f} s {number:6} measurements {memory_kb(server.process):8} kB", flush=True)
                next_line += SECONDS / 10
        grown = memory_kb(server.process) - settled
    print(f"{number} measurements: {settled} kB after {SETTLED}, {grown} kB more at the end", flush=True)
    assert grown < MOST_GROWTH_KB, grown


def check_frames(folder):
    """The largest memory of a connection of few frames, and of one of many. What waits while images are made has a limit, so that it is
    the same in both."""
    with Server("--connection-megabytes", "2") as server:
        peaks = []
        for frames in FRAMES:
            done = run("replay", make_scan(folder, 10 * (frames + 1)), "--to", server.to, "--config", LIVE)
            assert done.returncode == 0, done.stderr
            peaks.append(memory_kb(server.process, "VmHWM"))
    print(f"a connection of {FRAMES[0]} frames: at most {peaks[0]} kB, of {FRAMES[1]}: {peaks[1]} kB")
    assert peaks[1] - peaks[0] < MOST_GROWTH_KB, peaks


with tempfile.TemporaryDirectory() as scratch:
    check_connections(scratch)
    check_frames(scratch)
