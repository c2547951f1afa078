"""Infimal convolution of total variation in space and in time by whorl and BART 1.0 as whole processes.

    bench/peers/run --script bench/peers/ictv.py

A beating ellipse between still ones, one beat, so that the last frame goes over into the first: BART's differences wrap
around, whorl's do not. The function is evaluated for both images without wraparound, with FINUFFT as the operator and the
least value over the second part that a primal-dual solver finds here.

whorl's `ictv:W,time=T,mix=M` is BART's `-R C:1027:0:c --gamma 1:T --tvscales 1:1:M --tvscales2 M:M:1` with
c = W u s of docs/regularization.md: flags 1027 are x, y and the time, which both gradients have; their scales are those along
x, y and t. BART's second part is minus whorl's. It cannot leave out the time of the first gradient: M is above 0.
"""

import argparse
import json
import os
import pathlib
import sys

import finufft
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from regularized import measured, read_cfl, write_cfl
from whorl_program import ROOT, find_program, run, use_cores

FINE = 4  # object pixels for each of the image's, along each axis


def objects(options):
    """[frame, y, x] on the fine grid."""
    n = FINE * options.matrix
    y, x = (np.mgrid[:n, :n] - n / 2) / n
    def ellipse(x0, y0, a, b):
        return ((x - x0) / a) ** 2 + ((y - y0) / b) ** 2 < 1
    still = 0.4 * ellipse(0, 0, 0.42, 0.36) + 0.3 * ellipse(-0.2, 0.1, 0.09, 0.12) + 0.2 * ellipse(0.05, -0.2, 0.2, 0.06)
    frames = []
    for f in range(options.frames):
        beat = 1 + 0.25 * np.cos(2 * np.pi * f / options.frames)
        frames.append(still + 0.6 * ellipse(0.16, 0.08, 0.1 * beat, 0.13 * beat))
    return np.array(frames, np.float32)


def upsampled(image):
    """Linear between the pixels' centers."""
    n = image.shape[0]
    at = np.clip((np.arange(FINE * n) + 0.5) / FINE - 0.5, 0, n - 1)
    for axis in (0, 1):
        image = np.moveaxis(image, axis, 0)
        low = np.minimum(at.astype(int), n - 2)
        part = (at - low)[:, None]
        image = np.moveaxis((1 - part) * image[low] + part * image[low + 1], 0, axis)
    return image


class Problem:
    """|A x - d|^2 / (2 s) + weight u min_w (|G_1 (x - w)| + |G_2 w|) for frames of other spokes each.

    G_1 has the differences along x and y, and mix times those along t; G_2 those along t, and mix times those along x and y.
    """

    def __init__(self, folder, options):
        self.n, self.frames = options.matrix, options.frames
        positions = read_cfl(folder / "scan_traj").real.reshape(self.frames, -1, 3)
        # Rows of an image are y: FINUFFT's first axis.
        self.points = [[np.ascontiguousarray(2 * np.pi / self.n * p[:, axis], np.float64) for axis in (1, 0)]
                       for p in positions]
        self.maps = read_cfl(folder / "maps").reshape(-1, self.n, self.n).astype(np.complex128)
        fine = objects(options)
        fine_maps = [upsampled(one) for one in self.maps]
        # The middle of a pixel's FINE x FINE part is (FINE - 1) / 2 fine pixels behind its first.
        shift = np.array([0.5 * (FINE - 1) / FINE] * 2)
        rng = np.random.default_rng(1)
        self.data = []
        for f, points in enumerate(self.points):
            phase = np.exp(1j * (points[0] * shift[0] + points[1] * shift[1]))
            on_fine = [np.ascontiguousarray(p / FINE) for p in points]
            samples = np.array([finufft.nufft2d2(*on_fine, fine[f] * one, isign=-1, eps=1e-7) for one in fine_maps])
            samples *= phase / (FINE**2 * self.n)
            noise = rng.standard_normal(samples.shape) + 1j * rng.standard_normal(samples.shape)
            self.data.append(samples + options.noise / np.sqrt(2) * noise)
        self.data = np.array(self.data).astype(np.complex64).astype(np.complex128)
        self.truth = fine.reshape(self.frames, self.n, FINE, self.n, FINE).mean((2, 4))
        x = rng.standard_normal(self.truth.shape) + 0j
        for _ in range(40):
            x /= np.linalg.norm(x)
            x = self.adjoint(self.forward(x))
        self.s = np.linalg.norm(x)
        self.unit = abs(self.adjoint(self.data)).max() / self.s

    def forward(self, x):
        return np.array([finufft.nufft2d2(*p, self.maps * one, isign=-1, eps=1e-8)
                         for p, one in zip(self.points, x)]) / self.n

    def adjoint(self, y):
        return np.array([(self.maps.conj() * finufft.nufft2d1(*p, one, n_modes=(self.n, self.n), isign=1, eps=1e-8)).sum(0)
                         for p, one in zip(self.points, y)]) / self.n

    def cost(self, x, weight, mix, iterations):
        x = x.astype(np.complex128)
        return float(np.linalg.norm(self.forward(x) - self.data) ** 2 / (2 * self.s)
                     + weight * self.unit * infimal_variation(x, mix, iterations))

    def error(self, x):
        """Of magnitudes of all frames, after the best scaling."""
        a, b = abs(x), self.truth
        return float(np.linalg.norm(a * (a * b).sum() / (a * a).sum() - b) / np.linalg.norm(b))


def along(x, axis):
    return np.diff(x, axis=axis, append=np.take(x, [-1], axis))


def back(y, axis):
    """The adjoint of along, whose last difference is 0."""
    inner = np.take(y, range(y.shape[axis] - 1), axis)
    zero = np.zeros_like(np.take(y, [0], axis))
    return np.concatenate([zero, inner], axis) - np.concatenate([inner, zero], axis)


def length(parts):
    return np.sqrt(sum(abs(part) ** 2 for part in parts))


def infimal_variation(x, mix, iterations):
    """The least over w that the primal-dual method of Chambolle and Pock (2011) comes across, from the frames' mean."""
    # Of (t, y, x), the axes of the series.
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
    run(whorl, "traj", "radial", "--matrix", options.matrix, "--spokes", options.spokes * options.frames, "--readout",
        2 * options.matrix, "--order", "golden", "-o", folder / "t.h5", "-q")
    run(whorl, "phantom", "brain", "-t", folder / "t.h5", "--fov", 240, 240, "--coils", options.coils, "--maps",
        folder / "true_maps.cfl", "-o", folder / "still.h5", "-q")
    run(whorl, "convert", folder / "still.h5", "-o", folder / "scan.cfl", "-q")
    maps = read_cfl(folder / "true_maps").reshape(options.coils, options.matrix, options.matrix)
    write_cfl(folder / "maps", maps / np.sqrt((abs(maps) ** 2).sum(0)))
    problem = Problem(folder, options)
    # For whorl all spokes one after the other, [coil, spoke, sample]; for BART frames in dimension 10.
    samples = 2 * options.matrix
    frames = problem.data.reshape(options.frames, options.coils, options.spokes, samples).astype(np.complex64)
    frames.swapaxes(0, 1).tofile(folder / "scan.cfl")
    frames.tofile(folder / "series.cfl")
    ones = "1 1 1 1 1 1"
    (folder / "series.hdr").write_text(
        f"# Dimensions\n1 {samples} {options.spokes} {options.coils} {ones} {options.frames}\n")
    read_cfl(folder / "scan_traj").astype(np.complex64).tofile(folder / "series_traj.cfl")
    (folder / "series_traj.hdr").write_text(f"# Dimensions\n3 {samples} {options.spokes} 1 {ones} {options.frames}\n")
    run(whorl, "convert", folder / "scan.cfl", folder / "scan_traj.cfl", "--data", "scan", "--trajectory", "scan_traj",
        "--matrix", options.matrix, options.matrix, "-o", folder / "scan.h5", "-q")
    return problem


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
            "--regularize", f"ictv:{options.weight:g},mix={options.mix:g}", "-q"]
    runs = [("whorl", [*base, "--tolerance", 1e-6, "--iterations", count], "whorl.npy") for count in (300, 1000)]
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
