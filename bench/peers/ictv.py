"""Infimal convolution of total variation in space and in time by whorl and BART 1.0 as whole processes.

    bench/peers/run --script bench/peers/ictv.py

A beating ellipse and a vessel whose contrast agent comes and goes, one beat, so that the last frame goes over into the
first. BART's differences wrap around along x, y and t, and so do whorl's here. The function is evaluated for both images with
FINUFFT as the operator and the least value over the second part that a primal-dual solver finds here.

whorl's `ictv:W,cyclic=xyt,time=T,mix=M` is BART's `-R C:1027:0:c --gamma 1:T --tvscales 1:1:M --tvscales2 M:M:1` with
c = W u s of docs/howto/regularization.md: flags 1027 are x, y and the time, which both gradients have; their scales are those along
x, y and t. BART's second part is minus whorl's. It cannot leave out the time of the first gradient: M is above 0.
"""

import argparse
import json
import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_runs import measured
from series_problem import FINE, TIME, SeriesProblem, ellipse, means, measured_data, radial_positions, write_series
from whorl_program import ROOT, find_program, use_cores

def objects(options):
    """[frame, y, x] on the fine grid: an ellipse that beats once, a vessel whose contrast changes, and what is still."""
    n = FINE * options.matrix
    still = (0.4 * ellipse(n, 0, 0, 0.42, 0.36) + 0.3 * ellipse(n, -0.2, 0.1, 0.09, 0.12))
    frames = []
    for f in range(options.frames):
        phase = np.cos(2 * np.pi * f / options.frames)
        beat = 1 + 0.25 * phase
        frames.append(still + 0.6 * ellipse(n, 0.16, 0.08, 0.1 * beat, 0.13 * beat)
                      + (0.3 - 0.25 * phase) * ellipse(n, 0.05, -0.2, 0.2, 0.06))
    return np.array(frames, np.float32)


class Problem(SeriesProblem):
    """|A x - d|^2 / (2 s) + weight u min_w (|G_1 (x - w)| + |G_2 w|) for frames of other spokes each.

    G_1 has the differences along x and y, and mix times those along t; G_2 those along t, and mix times those along x and y.
    """

    def cost(self, x, weight, mix, iterations):
        return self.misfit(x) + weight * self.unit * infimal_variation(x.astype(np.complex128), mix, iterations)


def along(x, axis):
    return np.roll(x, -1, axis) - x


def back(y, axis):
    """The adjoint of along."""
    return np.roll(y, 1, axis) - y


def length(parts):
    return np.sqrt(sum(abs(part) ** 2 for part in parts))


def infimal_variation(x, mix, iterations):
    """The least over w that the primal-dual method of Chambolle and Pock (2011) comes across, from the frames' mean."""
    # Weights along (t, y, x), the axes of the series.
    in_space, in_time = (mix, 1, 1), (1, mix, mix)

    def gradient(z, scales):
        return [scale * along(z, axis) for axis, scale in enumerate(scales)]

    def divergence(y, scales):
        return sum(scale * back(part, axis) for axis, (part, scale) in enumerate(zip(y, scales)))

    def value(w):
        return length(gradient(x - w, in_space)).sum() + length(gradient(w, in_time)).sum()

    # W w = (-G_1 w, G_2 w); the square of a difference's norm is 4 at most.
    sigma = tau = 1 / np.sqrt(4 * sum(scale**2 for scale in in_space + in_time))
    best = np.inf
    w = x.mean(0, keepdims=True) + np.zeros_like(x)
    at = w
    y1, y2 = ([np.zeros_like(x) for _ in range(3)] for _ in range(2))
    for i in range(iterations):
        y1 = [y + sigma * part for y, part in zip(y1, gradient(x - at, in_space))]
        y2 = [y + sigma * part for y, part in zip(y2, gradient(at, in_time))]
        outside1, outside2 = np.maximum(1, length(y1)), np.maximum(1, length(y2))
        y1, y2 = [y / outside1 for y in y1], [y / outside2 for y in y2]
        new = w - tau * (divergence(y2, in_time) - divergence(y1, in_space))
        at, w = 2 * new - w, new
        if i % 50 == 49:
            best = min(best, value(w))
    return best


def make_scan(whorl, folder, options):
    positions, maps = radial_positions(whorl, folder, options, options.spokes)
    fine = objects(options)
    data = measured_data(fine, positions, maps, options.noise)
    write_series(whorl, folder, positions, data, maps, 2 * options.matrix, TIME)
    return Problem(positions, data, maps, means(fine))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whorl", default=str(ROOT / "build" / "bin" / "whorl"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matrix", type=int, default=128)
    parser.add_argument("--coils", type=int, default=8)
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--spokes", type=int, default=13, help="of a frame")
    parser.add_argument("--noise", type=float, default=0.02, help="of a sample; the object is about 1")
    parser.add_argument("--weight", type=float, default=0.001)
    parser.add_argument("--mix", type=float, default=0.5)
    parser.add_argument("--iterations", type=int, nargs="+", default=[50, 200], help="of BART")
    parser.add_argument("--evaluations", type=int, default=1000,
                        help="iterations for the least value over the second part")
    parser.add_argument("--data", default="build-peers/ictv")
    parser.add_argument("--json")
    options = parser.parse_args()
    whorl = find_program(options.whorl)
    use_cores(options.threads)
    folder = pathlib.Path(options.data).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    problem = make_scan(whorl, folder, options)
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    base = [whorl, "recon", "scan.h5", "-o", "whorl.npy", "--complex", "--device", "cpu", "--threads", options.threads,
            "--no-prewhitening", "--mask", "none", "--maps-file", "maps.cfl", "--spokes-per-frame", options.spokes,
            "--regularize", f"ictv:{options.weight:g},unit=largest,cyclic=xyt,mix={options.mix:g}", "-q"]
    runs = [("whorl", [*base, "--tolerance", 1e-6, "--iterations", count], "whorl.npy") for count in (30, 100)]
    bart = [sys.executable, pathlib.Path(__file__).with_name("bart1.py"), "pics", "-w", 1, "-R",
            f"C:1027:0:{options.weight * problem.unit * problem.s:.8g}", "--tvscales", f"1:1:{options.mix:g}",
            "--tvscales2", f"{options.mix:g}:{options.mix:g}:1"]
    for count in options.iterations:
        runs.append((f"BART 1.0, {count} iterations", [*bart, "-i", count, "-t", "series_traj", "series", "maps", "bart"],
                     "bart"))
    rows = []
    for name, command, output in runs:
        image, run_of = measured(command, output, folder, environment, options.rounds)
        if name == "whorl":
            notes = json.loads((folder / "whorl.npy.json").read_text())["notes"]
            name += ", " + next(note for note in notes if "applications of the" in note)
        row = {"program": name, "cost": problem.cost(image, options.weight, options.mix, options.evaluations),
               "error": problem.error(image), **run_of}
        rows.append(row)
        print(f"| {row['program']} | {row['cost']:.6g} | {100 * row['error']:.3f} % | {row['seconds']:.2f} | "
              f"{row['cpu_seconds']:.2f} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
