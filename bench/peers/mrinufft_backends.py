#!/usr/bin/env python3
"""mri-nufft with whorl as its backend beside another of its backends: the same operator, arrays and process.

    bench/peers/mrinufft_backends.py [--peer cufinufft|finufft] [--dim 2|3] [--large] [--eps 1e-4 ...] [--equal-error]
                                     [--coils 12] [--calls op ...] [--cpu] [--json FILE]

Prints a table in Markdown. cufinufft takes arrays of CuPy on a GPU, finufft those of NumPy; both take as many threads as
OMP_NUM_THREADS says. The peer transforms one coil at a time or all at once (n_trans); the faster one counts. Times are medians of
five calls or more, over 0.3 s at least, after a first one that does not count; on a GPU each call is waited for. Errors are
relative, of 500 samples or pixels (in 3D 50) against exact sums in double. With --equal-error whorl gets the loosest eps that is
found at which its error is at most the peer's; without, both get the same eps.

mri-nufft has no type 3, so `type 3` calls the Plan of both packages, whorl.finufft's and the peer's: as many sources in the image as the
case has samples, its samples as targets. `set samples` and `set type 3` are what new positions cost.

It needs mri-nufft and the peer. The wheels of cufinufft 2.5.1 are for CUDA 12 (libcudart.so.12, libcufft.so.11), so beside them go
cupy-cuda12x, nvidia-cuda-runtime-cu12, nvidia-cufft-cu12, nvidia-nvjitlink-cu12 and nvidia-cuda-nvrtc-cu12, and the libraries' folders in
LD_LIBRARY_PATH. --json keeps the rows with the machine, the date, the commit and the versions of all packages.
"""

import argparse
import importlib
import importlib.metadata
import itertools
import json
import os
import pathlib
import platform
import statistics
import sys
import time
import warnings

import numpy as np

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


def exact_targets(sources, c, targets):
    """What type 3 makes of the strengths c [coil, source] at some targets: sum_j c_j exp(i s . x_j)."""
    c = c.astype("complex128")
    return np.stack([c @ np.exp(1j * (s @ sources)) for s in targets.T], -1)


# Imported by main, which says what is missing.
mrinufft = whorl = None


class Bench:
    """Where both packages work, and what they are given there."""

    def __init__(self, given):
        self.peer, self.coils = given.peer, given.coils
        self.clock = time.process_time if given.cpu else time.perf_counter
        self.plan_of = {"whorl": importlib.import_module("whorl.finufft").Plan, given.peer: importlib.import_module(given.peer).Plan}
        if given.peer == "cufinufft":
            cupy = importlib.import_module("cupy")
            self.put, self.get, self.wait = cupy.asarray, cupy.asnumpy, cupy.cuda.Device().synchronize
            self.release = cupy.get_default_memory_pool().free_all_blocks
            self.machine = whorl.devices.describe_device("cuda")
            self.options = {}
        else:
            self.put, self.get, self.wait = np.asarray, np.asarray, lambda: None
            self.release = self.wait
            threads = int(os.environ.get("OMP_NUM_THREADS", 0)) or len(os.sched_getaffinity(0))
            self.machine = f"{platform.machine()}, {threads} threads"
            self.options = {"nthreads": threads}

    def median_ms(self, call):
        return median_ms(call, self.wait, self.clock)

    def operator(self, backend, samples, shape, maps, eps, n_trans):
        options = self.options | {"n_trans": n_trans}
        if backend == "whorl":
            options = {"context": whorl.Context("cpu", threads=self.options["nthreads"])} if self.options else {"context": "cuda"}
        return mrinufft.get_operator(backend)(samples, shape, n_coils=self.coils, eps=eps, smaps=maps, **options)

    def plan(self, backend, dim, eps, n_trans):
        return self.plan_of[backend](3, dim, n_trans, eps, isign=1, dtype="complex64", **self.options)


class Case:
    """A trajectory, and its calls as call(backend, eps, n_trans): (median in ms, relative error or None)."""

    def __init__(self, bench, shape, points):
        self.bench, self.shape = bench, shape
        self.samples = (2 * np.pi * np.ascontiguousarray(points[:, ::-1], "float64")).astype("float32")
        self.points = self.samples[:, ::-1].astype("float64") / (2 * np.pi)  # as the operators get them
        self.count = 500 if len(shape) == 2 else 50
        self.calls = {
            "op": lambda *how: self.forward(*how),
            "adj_op": lambda *how: self.adjoint(*how),
            "op, maps": lambda *how: self.forward(*how, maps=self.maps()),
            "adj_op, maps": lambda *how: self.adjoint(*how, maps=self.maps()),
            "set samples": self.set_samples,
            "type 3": self.type3,
            "set type 3": lambda *how: self.type3(*how, sets=True),
        }

    def normal(self, *shape):
        return complex_normal(np.random.default_rng(len(shape)), shape)

    def maps(self):
        return complex_normal(np.random.default_rng(7), (self.bench.coils, *self.shape)) / np.sqrt(2 * self.bench.coils, dtype="float32")

    def places(self, count):
        return np.random.default_rng(8).choice(count, self.count)

    def timed(self, function, argument, part, exact):
        argument = self.bench.put(argument)
        error = relative(part(self.bench.get(function(argument))), exact)
        return self.bench.median_ms(lambda: function(argument)), error

    def operator(self, backend, eps, n_trans, maps=None):
        maps = None if maps is None else self.bench.put(maps)
        return self.bench.operator(backend, self.samples, self.shape, maps, eps, n_trans)

    def forward(self, *how, maps=None):
        coils, at = self.bench.coils, self.places(len(self.points))
        images = self.normal(coils, *self.shape) if maps is None else self.normal(*self.shape)
        exact = exact_samples(self.points, images if maps is None else maps * images, at, self.shape)
        return self.timed(self.operator(*how, maps).op, images, lambda y: y.reshape(coils, -1)[:, at], exact)

    def adjoint(self, *how, maps=None):
        coils, of = self.bench.coils, self.places(np.prod(self.shape))
        data = self.normal(coils, len(self.points))
        exact = exact_pixels(self.points, data, of, self.shape)
        if maps is not None:
            exact = (maps.reshape(coils, -1)[:, of].conj() * exact).sum(0)
        count = coils if maps is None else 1
        return self.timed(self.operator(*how, maps).adj_op, data, lambda x: x.reshape(count, -1)[:, of].squeeze(), exact.squeeze())

    def set_samples(self, *how):
        operator = self.operator(*how)
        return self.bench.median_ms(lambda: operator.update_samples(self.samples)), None

    def type3(self, backend, eps, n_trans, sets=False):
        coils, dim = self.bench.coils, len(self.shape)
        sources = np.random.default_rng(9).uniform(-0.5, 0.5, (dim, len(self.points))) * np.array(self.shape)[:, None]
        sources, targets = sources.astype("float32"), np.ascontiguousarray(self.samples.T)
        plan = self.bench.plan(backend, dim, eps, n_trans)
        axes = [self.bench.put(axis) for axis in sources] + [None] * (3 - dim) + [self.bench.put(axis) for axis in targets]
        plan.setpts(*axes)
        if sets:
            return self.bench.median_ms(lambda: plan.setpts(*axes)), None
        c, at = self.normal(coils, len(self.points)), self.places(len(self.points))
        exact = exact_targets(sources.astype("float64"), c, targets[:, at].astype("float64"))
        if n_trans == coils:
            return self.timed(plan.execute, c, lambda f: f[:, at], exact)
        one_by_one = lambda c: [plan.execute(one) for one in c]
        rows = self.bench.put(c)
        error = relative(np.stack([self.bench.get(f)[at] for f in one_by_one(rows)]), exact)
        return self.bench.median_ms(lambda: one_by_one(rows)), error

    def measure(self, call, backend, eps, n_trans):
        self.bench.release()  # what operators before this one had
        return self.calls[call](backend, eps, n_trans)

    def beside(self, call, eps, equal_error):
        """The row of a call: the peer's faster way and whorl's."""
        peer, coils = self.bench.peer, self.bench.coils
        peer_ms, peer_error = min((self.measure(call, peer, eps, n) for n in {1, coils}), key=lambda one: one[0])
        searches = equal_error and peer_error is not None
        whorl_eps = max(eps, peer_error) if searches else eps
        ms, error = self.measure(call, "whorl", whorl_eps, coils)
        while searches and error > peer_error and whorl_eps > LEAST_EPS:
            whorl_eps = max(LEAST_EPS, whorl_eps * max(0.2, min(0.8, 0.9 * peer_error / error)))
            ms, error = self.measure(call, "whorl", whorl_eps, coils)
        return dict(call=call, eps=eps, whorl_eps=whorl_eps, peer_ms=peer_ms, peer_error=peer_error, whorl_ms=ms,
                    whorl_error=error, ratio=peer_ms / ms)


CALLS = ["op", "adj_op", "op, maps", "adj_op, maps", "set samples", "type 3", "set type 3"]


def shown(ms, error):
    return f"{ms:.3g}" if error is None else f"{ms:.3g} ({error:.1e})"


def facts(bench, given):
    """What a reader of the rows has to know."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
    commit_of_tree = importlib.import_module("tree_commit").commit_of_tree
    packages = ["numpy", "whorl", given.peer, *(["cupy"] if given.peer == "cufinufft" else [])]
    modules = {name: importlib.import_module(name) for name in packages}
    return {
        "machine": bench.machine,
        "date": time.strftime("%Y-%m-%d"),
        "commit": given.commit or commit_of_tree(),
        "packages": {name: module.__version__ for name, module in modules.items()}
        | {"mri-nufft": importlib.metadata.version("mri-nufft")},
        "coils": given.coils,
        "equal_error": given.equal_error,
        "clock": "time of the processor" if given.cpu else "time of day",
    }


def main():
    global mrinufft, whorl
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", choices=["cufinufft", "finufft"], default="finufft")
    parser.add_argument("--dim", type=int, choices=[2, 3], help="only the case of so many dimensions")
    parser.add_argument("--large", action="store_true", help="in 3D: a million samples and more")
    parser.add_argument("--eps", type=float, nargs="+", default=[1e-4])
    parser.add_argument("--equal-error", action="store_true", help="whorl's eps is chosen by the peer's error")
    parser.add_argument("--coils", type=int, default=12)
    parser.add_argument("--calls", nargs="+", choices=CALLS, default=CALLS)
    parser.add_argument("--cpu", action="store_true", help="time of the processor in all threads: for a busy machine, with finufft")
    parser.add_argument("--commit", help="that of whorl, where there is no git")
    parser.add_argument("--json")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # mri-nufft's, on rescaled samples and cached maps
    for name in ("whorl", "mrinufft", *(["cupy"] if given.peer == "cufinufft" else []), given.peer, "whorl.mrinufft"):
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:  # OSError: a library that the package needs
            package = {"mrinufft": "mri-nufft", "cupy": "cupy-cuda12x"}.get(name, name)
            sys.exit(f"mrinufft_backends: the package {package} is not there: {str(error).splitlines()[0]}")
    import mrinufft
    import whorl

    try:
        bench = Bench(given)
    except (whorl.Error, RuntimeError) as error:
        sys.exit(f"mrinufft_backends: no GPU: {str(error).splitlines()[0]}")
    known = facts(bench, given)
    said = ", ".join(f"{name} {version}" for name, version in known["packages"].items())
    print(f"{bench.machine}; {said}; commit {known['commit']}; {given.coils} coils; "
          f"{'equal error; ' if given.equal_error else ''}{'time of the processor; ' if given.cpu else ''}{known['date']}\n")
    print(f"| case | call | eps | {given.peer}, ms (error) | whorl, ms (error) | ratio |\n|---|---|---|---|---|---|")
    rows = []
    cases = dict(list(CASES.items())[:1]) | LARGE_CASES if given.large else CASES
    for name, (shape, make) in cases.items():
        if given.dim and len(shape) != given.dim:
            continue
        case = Case(bench, shape, make().points)
        for call, eps in itertools.product(given.calls, given.eps):
            row = {"case": name, **case.beside(call, eps, given.equal_error)}
            print(f"| {name} | {call} | {eps:g} | {shown(row['peer_ms'], row['peer_error'])} "
                  f"| {shown(row['whorl_ms'], row['whorl_error'])} | {row['ratio']:.1f} |", flush=True)
            rows.append(row)
            if given.json:  # after each row: a run may be cut short
                pathlib.Path(given.json).write_text(json.dumps({**known, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
