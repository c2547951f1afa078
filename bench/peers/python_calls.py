#!/usr/bin/env python3
"""What a call from Python costs beside the same call in C++, and 12 coils from CuPy beside `whorl bench`.

    bench/peers/python_calls.py --program whorl --calls whorl_call_cost [--device cpu|cuda] [--json FILE]

--program is the program, for `whorl bench`; --calls is the program of bench/peers/call_cost.cpp. The cost of a call is that of a
small transform (forward, 300 samples of 16 x 16 pixels, results into an array of the caller), each waited for: medians of 5000.
The times of 12 coils are of bench's case radial-2d-256, measured as there: medians between marks in the stream of a GPU, which is asked
for the next calls before it is done; by the clock on a CPU. On a GPU the column "alone" has calls that are each waited for.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import time

import numpy as np
import whorl


def complex_normal(rng, shape):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("complex64")


def median_us(call, repeat=5000):
    for _ in range(200):
        call()
    times = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def median_ms(call, laps):
    """As `whorl bench` does it: a GPU is asked for the next repetitions before it is done."""
    laps(call, 1)
    times = []
    while len(times) < 5 or sum(times) < 300:
        times += laps(call, 100 if times and times[-1] <= 1 else 5)
    return statistics.median(times)


def laps_by_clock(call, count):
    times = [time.perf_counter()]
    for _ in range(count):
        call()
        times.append(time.perf_counter())
    return [1e3 * (end - start) for start, end in itertools.pairwise(times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--calls", required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json")
    given = parser.parse_args()
    rng = np.random.default_rng(1)
    records = {}
    print(f"{whorl.devices.describe_device(given.device)}; {time.strftime('%Y-%m-%d')}\n")

    if given.device == "cuda":
        import cupy

        put, wait = cupy.asarray, cupy.cuda.get_current_stream().synchronize
        context = "cuda"

        def laps(call, count):
            marks = [cupy.cuda.Event() for _ in range(count + 1)]
            marks[0].record()
            for mark in marks[1:]:
                call()
                mark.record()
            marks[-1].synchronize()
            return [cupy.cuda.get_elapsed_time(*pair) for pair in itertools.pairwise(marks)]
    else:
        put, wait, laps = np.asarray, lambda: None, laps_by_clock
        context = whorl.Context("cpu", threads=given.threads)

    A = whorl.Nufft(whorl.trajectory.random_trajectory(300), (16, 16), context=context)
    x, y = put(complex_normal(rng, A.domain)), put(np.zeros(A.range, "complex64"))

    def into():
        A.forward(x, y)
        wait()

    def new():
        A @ x
        wait()

    cpp = float(subprocess.run([given.calls, given.device, str(given.threads)], check=True, capture_output=True, text=True).stdout)
    python, allocating = median_us(into), median_us(new)
    records["call_us"] = dict(cpp=cpp, into=python, new=allocating, added=python - cpp)
    print("| one small call | us |\n|---|---|")
    print(f"| C++ | {cpp:.1f} |\n| Python, into an array | {python:.1f} |\n| Python, a new array | {allocating:.1f} |")
    print(f"| added by Python | {python - cpp:.1f} |\n")

    listed = [given.program, "bench", "--only", "^nufft/radial-2d-256/(forward|adjoint)/12-coils", "--device", given.device, "-q",
              "--threads", str(given.threads), "--json", "-"]
    bench = json.loads(subprocess.run(listed, check=True, capture_output=True, text=True).stdout)
    print("| 12 coils, 256 x 256 | tolerance | `whorl bench`, ms | Python, ms | ratio | alone, ms |\n|---|---|---|---|---|---|")
    trajectory = whorl.trajectory.radial_trajectory(402, 512, "golden")
    for record in bench.get("cases", bench) if isinstance(bench, dict) else bench:
        A = whorl.Nufft(trajectory, (256, 256), 12, tolerance=record["tolerance"], context=context)
        image, samples = put(complex_normal(rng, A.domain)), put(complex_normal(rng, A.range))
        forward = record["direction"] == "forward"
        call = (lambda: A.forward(image, samples)) if forward else (lambda: A.adjoint(samples, image))
        found = median_ms(call, laps)
        alone = statistics.median([laps(call, 1)[0] for _ in range(30)])
        ratio = found / record["median_ms"]
        print(f"| {record['direction']} | {record['tolerance']:g} | {record['median_ms']:.4g} | {found:.4g} | {ratio:.3f} | {alone:.4g} |")
        records[f"{record['direction']} {record['tolerance']:g}"] = dict(bench_ms=record["median_ms"], python_ms=found, ratio=ratio, alone_ms=alone)
    if given.json:
        with open(given.json, "w") as file:
            json.dump(records, file, indent=1)


if __name__ == "__main__":
    main()
