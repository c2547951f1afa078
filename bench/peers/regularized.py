"""Total variation and wavelets by whorl and BART as whole processes: the same data, trajectory and coil maps.

    bench/peers/run --script bench/peers/regularized.py --bart1        # also BART 1.0, from PyPI's bartorch

The function that both minimize is evaluated here for both images, with FINUFFT as the operator and PyWavelets. The image's
error is against the object, which is known. See docs/performance.md.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import finufft
import numpy as np
import pywt

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from whorl_program import ROOT, find_program, run, use_cores

TERMS = {"tv": "T:3:0:{:.8g}", "wavelet": "W:3:0:{:.8g}"}
# More of whorl's options for each term.
WHORL = {"tv": [[], ["--tolerance", 3e-5, "--iterations", 300]], "wavelet": [["--iterations", 60], []]}
SHIFTS = 16


def read_cfl(path):
    extents = [int(word) for word in pathlib.Path(f"{path}.hdr").read_text().splitlines()[1].split()]
    return np.fromfile(f"{path}.cfl", np.complex64).reshape(extents[::-1]).squeeze()


def write_cfl(path, images):
    coils, ny, nx = images.shape
    pathlib.Path(f"{path}.hdr").write_text(f"# Dimensions\n{nx} {ny} 1 {coils}\n")
    images.astype(np.complex64).tofile(f"{path}.cfl")


class Problem:
    """|A x - d|^2 / (2 s) + weight u g(x) of docs/regularization.md."""

    def __init__(self, folder, matrix):
        self.matrix = matrix
        positions = read_cfl(folder / "scan_traj").real.reshape(-1, 3)
        # Rows of an image are y: FINUFFT's first axis.
        self.points = [np.ascontiguousarray(2 * np.pi / matrix * positions[:, axis], np.float64) for axis in (1, 0)]
        self.data = read_cfl(folder / "scan").reshape(-1, positions.shape[0]).astype(np.complex128)
        self.maps = read_cfl(folder / "maps").reshape(-1, matrix, matrix).astype(np.complex128)
        self.truth = abs(np.load(folder / "truth.npy")).reshape(matrix, matrix)
        x = np.random.default_rng(1).standard_normal((matrix, matrix)) + 0j
        for _ in range(60):
            x /= np.linalg.norm(x)
            x = self.adjoint(self.forward(x))
        self.s = np.linalg.norm(x)
        self.unit = abs(self.adjoint(self.data)).max() / self.s

    def forward(self, x):
        return finufft.nufft2d2(*self.points, self.maps * x, isign=-1, eps=1e-9) / self.matrix

    def adjoint(self, y):
        images = finufft.nufft2d1(*self.points, y, n_modes=(self.matrix, self.matrix), isign=1, eps=1e-9) / self.matrix
        return (self.maps.conj() * images).sum(0)

    def cost(self, x, term, weight):
        x = x.astype(np.complex128)
        g = total_variation(x) if term == "tv" else wavelet_l1(x)
        return float(np.linalg.norm(self.forward(x) - self.data) ** 2 / (2 * self.s) + weight * self.unit * g)

    def error(self, x):
        """Of magnitudes, after the best scaling."""
        a, b = abs(x), self.truth
        return float(np.linalg.norm(a * (a * b).sum() / (a * a).sum() - b) / np.linalg.norm(b))


def total_variation(x):
    dy = np.diff(x, axis=0, append=x[-1:])
    dx = np.diff(x, axis=1, append=x[:, -1:])
    return np.sqrt(abs(dy) ** 2 + abs(dx) ** 2).sum()


def wavelet_l1(x):
    """The mean over shifts of the grid, which both programs draw at random in each iteration; down to 16 coefficients.

    By whorl's filters, which run in the other direction than those of PyWavelets. BART's images have the same value by either.
    """
    x = x[::-1, ::-1]
    levels = max(1, (x.shape[0] // 16).bit_length() - 1)
    shifts = np.random.default_rng(1).integers(0, 1 << levels, (SHIFTS, 2))
    return sum(details_of(np.roll(x, tuple(shift), (0, 1)), levels) for shift in shifts) / SHIFTS


def details_of(x, levels):
    details = pywt.wavedec2(x, "db2", mode="periodization", level=levels)[1:]
    return sum(abs(band).sum() for level in details for band in level)


def seconds_of(command, folder, environment):
    """Wall time and CPU time of a process."""
    start, before = time.perf_counter(), os.times()
    result = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True,
                            check=False)
    after = os.times()
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return time.perf_counter() - start, cpu


def measured(command, output, folder, environment, rounds):
    """The image that a command writes, and the medians of its times, for a row."""
    times = [seconds_of(command, folder, environment) for _ in range(rounds)]
    image = np.load(folder / output).squeeze() if output.endswith(".npy") else read_cfl(folder / output)
    return image, {"command": " ".join(map(str, command)), "seconds": statistics.median(wall for wall, _ in times),
                   "cpu_seconds": statistics.median(cpu for _, cpu in times)}


def add_bart_options(parser):
    parser.add_argument("--bart", default="bart", help="BART's program; empty: not run")
    parser.add_argument("--bart1", action="store_true", help="also BART 1.0 (PyPI's bartorch)")


def bart_programs(options):
    """The commands of BART by version, as the options say."""
    programs = {}
    if options.bart:
        programs["0.8"] = [options.bart]
    if options.bart1:
        programs["1.0"] = [sys.executable, pathlib.Path(__file__).with_name("bart1.py")]
    return programs


def make_scan(whorl, folder, options):
    run(whorl, "traj", "radial", "--matrix", options.matrix, "--spokes", options.spokes, "--readout", 2 * options.matrix,
        "--order", "golden", "-o", folder / "t.h5", "-q")
    run(whorl, "phantom", "brain", "-t", folder / "t.h5", "--fov", 240, 240, "--coils", options.coils, "--noise",
        options.noise, "--maps", folder / "true_maps.cfl", "--truth", folder / "truth.npy", "-o", folder / "scan.h5", "-q")
    run(whorl, "convert", folder / "scan.h5", "-o", folder / "scan.cfl", "-q")
    # Both programs take maps of a sum of squares of 1, which whorl would make of others.
    maps = read_cfl(folder / "true_maps").reshape(options.coils, options.matrix, options.matrix)
    write_cfl(folder / "maps", maps / np.sqrt((abs(maps) ** 2).sum(0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whorl", default=str(ROOT / "build" / "bin" / "whorl"))
    add_bart_options(parser)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matrix", type=int, default=256)
    parser.add_argument("--coils", type=int, default=12)
    parser.add_argument("--spokes", type=int, default=101, help="a quarter of the Nyquist number at 256")
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--weight", type=float, default=0.001)
    parser.add_argument("--iterations", type=int, nargs="+", default=[30, 100], help="of BART")
    parser.add_argument("--terms", nargs="+", default=["tv", "wavelet"])
    parser.add_argument("--data", default="build-peers/regularized")
    parser.add_argument("--json")
    options = parser.parse_args()
    whorl = find_program(options.whorl)
    use_cores(options.threads)
    folder = pathlib.Path(options.data).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make_scan(whorl, folder, options)
    problem = Problem(folder, options.matrix)
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    rows = []
    for term in options.terms:
        text = f"{term}:{options.weight:g}" + (",taps=4" if term == "wavelet" else "")
        runs = [("whorl", [whorl, "recon", "scan.h5", "-o", "whorl.npy", "--complex", "--device", "cpu", "--threads",
                           options.threads, "--no-prewhitening", "--mask", "none", "--maps-file", "maps.cfl", "--regularize", text, "-q"]
                 + extra, "whorl.npy") for extra in WHORL[term]]
        for version, command in bart_programs(options).items():
            weight = options.weight * problem.unit * problem.s
            for iterations in options.iterations:
                runs.append((f"BART {version}.00, {iterations} iterations",
                             [*command, "pics", "-w", 1, *(["-e"] if term == "wavelet" else []), "-R",
                              TERMS[term].format(weight), "-i", iterations, "-t", "scan_traj", "scan", "maps", "bart"], "bart"))
        for name, command, output in runs:
            image, run_of = measured(command, output, folder, environment, options.rounds)
            if name == "whorl":
                report = json.loads((folder / "whorl.npy.json").read_text())
                name += ", " + next(note for note in report["notes"] if "iterations" in note)
            row = {"term": text, "program": name, "cost": problem.cost(image, term, options.weight),
                   "error": problem.error(image), **run_of}
            rows.append(row)
            print(f"| {text} | {row['program']} | {row['cost']:.6g} | {100 * row['error']:.3f} % | {row['seconds']:.2f} | "
                  f"{row['cpu_seconds']:.2f} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
