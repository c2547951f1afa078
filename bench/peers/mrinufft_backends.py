#!/usr/bin/env python3
"""mri-nufft with whorl as its backend beside another of its backends: the same operator, arrays and process.

    bench/peers/mrinufft_backends.py [--peer cufinufft|finufft] [--dim 2|3] [--large] [--eps 1e-4 ...] [--equal-error]
                                     [--coils 12] [--cpu] [--json FILE]

Prints a table in Markdown. cufinufft takes arrays of CuPy on a GPU, finufft those of NumPy; both take as many threads as
OMP_NUM_THREADS says. The peer transforms one coil at a time or all at once (n_trans); the faster one counts. Times are medians of
five calls or more, over 0.3 s at least, after a first one that does not count; on a GPU each call is waited for. Errors are
relative, of 500 samples or pixels (in 3D 50) against exact sums in double. With --equal-error whorl gets the loosest eps that is
found at which its error is at most the peer's; without, both get the same eps.
"""

import argparse
import importlib.metadata
import itertools
import json
import os
import platform
import statistics
import time
import warnings

import mrinufft
import numpy as np
import whorl
import whorl.mrinufft

CASES = {
    "radial, 256 x 256": ((256, 256), lambda: whorl.trajectory.radial_trajectory(402, 512, "golden")),
    "kooshball, 128 x 128 x 128": ((128, 128, 128), lambda: whorl.trajectory.kooshball_trajectory(1078, 264)),
}
# In the place of the second.
LARGE_CASES = {
    "kooshball, 128 x 128 x 128, 1.0e6 samples": ((128, 128, 128), lambda: whorl.trajectory.kooshball_trajectory(3906, 256)),
    "kooshball, 192 x 192 x 192, 1.5e6 samples": ((192, 192, 192), lambda: whorl.trajectory.kooshball_trajectory(4000, 384)),
}

# What rounding allows whorl in single precision.
LEAST_EPS = 4e-7


def median_ms(call, wait, clock):
    call()
    wait()
    times = []
    while len(times) < 5 or sum(times) < 0.3:
        start = clock()
        call()
        wait()
        times.append(clock() - start)
    return 1e3 * statistics.median(times)


def complex_normal(rng, shape):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("complex64")


def exact_samples(points, x, places, shape):
    """Samples of the images x [coil, pixel], at these places, with mri-nufft's factor."""
    # The exponent of a grid is a sum over its axes: one factor [pixel, place] for each.
    phases = [np.exp(-2j * np.pi * np.outer(np.arange(n) - n // 2, k)) for n, k in zip(shape, points[places, ::-1].T)]
    values = x.reshape(-1, *shape).astype("complex128") @ phases[-1]
    for phase in reversed(phases[:-1]):
        values = np.einsum("...yk,yk->...k", values, phase)
    return values / np.sqrt(np.prod(shape) * 2 ** len(shape))


def exact_pixels(points, y, places, shape):
    coordinates = np.stack(np.unravel_index(places, shape), -1) - np.array(shape) // 2
    result = np.empty((len(y), len(places)), "complex128")
    y = y.astype("complex128")
    for i, r in enumerate(coordinates):
        result[:, i] = y @ np.exp(2j * np.pi * (points[:, ::-1] @ r))
    return result / np.sqrt(np.prod(shape) * 2 ** len(shape))


def relative(a, b):
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", choices=["cufinufft", "finufft"], default="finufft")
    parser.add_argument("--dim", type=int, choices=[2, 3], help="only the case of so many dimensions")
    parser.add_argument("--large", action="store_true", help="in 3D: a million samples and more")
    parser.add_argument("--eps", type=float, nargs="+", default=[1e-4])
    parser.add_argument("--equal-error", action="store_true", help="whorl's eps is chosen by the peer's error")
    parser.add_argument("--coils", type=int, default=12)
    parser.add_argument("--cpu", action="store_true", help="time of the processor in all threads: for a busy machine, with finufft")
    parser.add_argument("--json")
    given = parser.parse_args()
    clock = time.process_time if given.cpu else time.perf_counter
    warnings.simplefilter("ignore")  # mri-nufft's, on rescaled samples and cached maps

    if given.peer == "cufinufft":
        import cupy

        put, get, wait = cupy.asarray, cupy.asnumpy, cupy.cuda.Device().synchronize
        release = cupy.get_default_memory_pool().free_all_blocks
        where = whorl.devices.describe_device("cuda")
        peer_options, whorl_options = {}, {}
    else:
        put, get, wait = np.asarray, np.asarray, lambda: None
        release = wait
        threads = int(os.environ.get("OMP_NUM_THREADS", 0)) or len(os.sched_getaffinity(0))
        where = f"{platform.machine()}, {threads} threads"
        peer_options, whorl_options = {"nthreads": threads}, {"context": whorl.Context("cpu", threads=threads)}
    print(f"{where}; mri-nufft {importlib.metadata.version('mri-nufft')}; {given.coils} coils; "
          f"{'equal error; ' if given.equal_error else ''}"
          f"{'time of the processor; ' if given.cpu else ''}{time.strftime('%Y-%m-%d')}\n")
    print(f"| case | call | eps | {given.peer}, ms (error) | whorl, ms (error) | ratio |\n|---|---|---|---|---|---|")

    rng = np.random.default_rng(1)
    records = []
    cases = dict(list(CASES.items())[:1]) | LARGE_CASES if given.large else CASES
    for name, (shape, make) in cases.items():
        if given.dim and len(shape) != given.dim:
            continue
        points = np.ascontiguousarray(make().points, "float64")
        samples = (2 * np.pi * points[:, ::-1]).astype("float32")
        points = samples[:, ::-1].astype("float64") / (2 * np.pi)  # as the operators get them
        maps = complex_normal(rng, (given.coils, *shape)) / np.sqrt(2 * given.coils, dtype="float32")
        images, image = complex_normal(rng, (given.coils, *shape)), complex_normal(rng, shape)
        data = complex_normal(rng, (given.coils, len(points)))
        count = 500 if len(shape) == 2 else 50
        at, of = rng.choice(len(points), count), rng.choice(np.prod(shape), count)
        pixels = exact_pixels(points, data, of, shape)
        combined = (maps.reshape(given.coils, -1)[:, of].conj() * pixels).sum(0)
        calls = {
            "op": (False, images, lambda y: y.reshape(given.coils, -1)[:, at], exact_samples(points, images, at, shape)),
            "adj_op": (False, data, lambda x: x.reshape(given.coils, -1)[:, of], pixels),
            "op, maps": (True, image, lambda y: y.reshape(given.coils, -1)[:, at],
                         exact_samples(points, maps * image, at, shape)),
            "adj_op, maps": (True, data, lambda x: x.reshape(-1)[of], combined),
        }

        def measure(call, backend, eps, **options):
            """(median in ms, error) of one operator."""
            release()  # what operators before this one had
            with_maps, input, part, exact = calls[call]
            operator = mrinufft.get_operator(backend)(
                samples, shape, n_coils=given.coils, eps=eps, smaps=put(maps) if with_maps else None, **options)
            argument = put(input)
            function = getattr(operator, call.split(",")[0])
            error = relative(part(get(function(argument))), exact)
            return median_ms(lambda: function(argument), wait, clock), error

        for call, eps in itertools.product(calls, given.eps):
            peer_ms, peer_error = min(measure(call, given.peer, eps, n_trans=n, **peer_options) for n in (1, given.coils))
            whorl_eps = max(eps, peer_error) if given.equal_error else eps
            ms, error = measure(call, "whorl", whorl_eps, **whorl_options)
            while given.equal_error and error > peer_error and whorl_eps > LEAST_EPS:
                whorl_eps = max(LEAST_EPS, whorl_eps * max(0.2, min(0.8, 0.9 * peer_error / error)))
                ms, error = measure(call, "whorl", whorl_eps, **whorl_options)
            print(f"| {name} | {call} | {eps:g} | {peer_ms:.3g} ({peer_error:.1e}) | {ms:.3g} ({error:.1e}) "
                  f"| {peer_ms / ms:.1f} |", flush=True)
            records.append(dict(case=name, call=call, peer=given.peer, peer_ms=peer_ms, peer_error=peer_error, whorl_ms=ms,
                                whorl_error=error, ratio=peer_ms / ms, eps=eps, whorl_eps=whorl_eps, coils=given.coils,
                                where=where))
    if given.json:
        with open(given.json, "w") as file:
            json.dump(records, file, indent=1)


if __name__ == "__main__":
    main()
