#!/usr/bin/env python3
"""What type 3 costs beside types 1 and 2 of the same sizes, in whorl and in FINUFFT, with the same calls of both.

    bench/peers/type3.py [--threads 1] [--repeat 7] [--dim 1] [--cpu]

The sources of type 3 are the positions of type 1, and as many targets lie in the box of the modes: the phases span the same. Type 3
spreads to a grid, transforms it to one that is finer by both oversamplings, and interpolates there. In 3D its Fourier transform is therefore
larger by the third power of an oversampling than those of types 1 and 2. Times are the least of the repetitions, of executed plans, which take turns.
"""

import argparse
import functools
import math
import time

import finufft
import numpy as np
import whorl.finufft

CASES = [
    # modes, positions
    ((65536,), 200000),
    ((256, 256), 200000),
    ((64, 64, 64), 200000),
    ((64, 64, 64), 2000000),
    ((128, 128, 128), 1000000),
]


def least_ms(calls, repeat, clock):
    """The least time of each call. They take turns, so that all of them find the machine equally busy."""
    times = [math.inf] * len(calls)
    for round in range(repeat + 1):
        for i, call in enumerate(calls):
            start = clock()
            call()
            # The first round makes what is made once.
            if round > 0:
                times[i] = min(times[i], 1e3 * (clock() - start))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--dim", type=int, choices=(1, 2, 3), help="only the cases of so many dimensions")
    parser.add_argument("--cpu", action="store_true", help="time of the processor in all threads: for a busy machine, with one thread")
    parser.add_argument("--eps", type=float, default=1e-4)
    given = parser.parse_args()
    print(f"FINUFFT {finufft.__version__}, {given.threads} threads, eps {given.eps:g}, complex64, "
          f"{'time of the processor, ' if given.cpu else ''}{time.strftime('%Y-%m-%d')}\n")
    print("| modes | positions | program | type 1, ms | type 2, ms | type 3, ms | type 3 / (1 + 2) |\n|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for modes, count in CASES:
        if given.dim and len(modes) != given.dim:
            continue
        dim = len(modes)
        x = rng.uniform(-np.pi, np.pi, (dim, count)).astype("float32")
        s = [rng.uniform(-n / 2, n / 2, count).astype("float32") for n in modes]
        c, f = [(rng.normal(size=n) + 1j * rng.normal(size=n)).astype("complex64") for n in (count, modes)]
        programs = {"FINUFFT": finufft, "whorl": whorl.finufft}
        calls = []
        for module in programs.values():
            for kind, data in ((1, c), (2, f), (3, c)):
                plan = module.Plan(kind, dim if kind == 3 else modes, eps=given.eps, isign=1, dtype="complex64", nthreads=given.threads)
                plan.setpts(*x, **(dict(zip("stu", s)) if kind == 3 else {}))
                calls.append(functools.partial(plan.execute, data))
        found = least_ms(calls, given.repeat, time.process_time if given.cpu else time.perf_counter)
        for name, times in zip(programs, (found[:3], found[3:])):
            ratio = times[2] / (times[0] + times[1])
            sizes = " x ".join(map(str, modes))
            print(f"| {sizes} | {count} | {name} | {times[0]:.3g} | {times[1]:.3g} | {times[2]:.3g} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
