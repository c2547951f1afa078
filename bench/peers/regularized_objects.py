"""Regularized images of several objects by whorl and BART as whole processes: the same data, trajectory and coil maps.

    bench/peers/run --script bench/peers/regularized_objects.py --bart1 --scans FOLDER     # liver.trj, rt_spiral_03.mat, ...

Shepp-Logan and brain phantoms, measured spirals (a quarter of the liver's arms, a third of the real-time spiral's), a beating
ellipse with a contrast agent (ictv.py), and T2 decays in a subspace. The function that both minimize is evaluated for both
images with FINUFFT, PyWavelets and NumPy. Of shifted grids of wavelets and patches the mean over shifts counts. The truth
of measured scans is the least squares image of all arms.

BART's threshold for patches is its weight times G = sqrt(M) + sqrt(N) + sqrt(log(B min(M, N))) for B matrices of M x N:
its weight is W u s / G here. `--scales 0.8 1 1.25` multiplies BART's weights: where they mean the same, BART's image has its
least value of the function at 1. bartorch has no singular values (LAPACK) outside of Python, so BART 1.0 is left out of these.
"""

import argparse
import json
import os
import pathlib
import sys
import types

import numpy as np
import pywt

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ictv
from regularized import add_bart_options, bart_programs, measured, read_cfl
from series_problem import ECHO, TIME, SeriesProblem, ellipse, means, measured_data, radial_positions, write_series, FINE
from whorl_program import ROOT, find_program, run, use_cores

SHIFTS = 16
PATCH = 8
STILL = types.SimpleNamespace(matrix=128, frames=1, coils=8, spokes=50, noise=0.02)
SERIES = types.SimpleNamespace(matrix=64, frames=16, coils=4, spokes=13, noise=0.02)
ECHOES = types.SimpleNamespace(matrix=64, frames=20, coils=4, spokes=8, noise=0.02, rank=4, spacing_ms=8)


def variation(x, axes):
    """Isotropic, along some of the axes t, y, x."""
    return np.sqrt(sum(abs(ictv.along(x, "tyx".index(axis))) ** 2 for axis in axes)).sum()


def wavelets(x, joint=False):
    """Daubechies, 4 taps, by whorl's filters, which run in the other direction than those of PyWavelets."""
    x = x[:, ::-1, ::-1]
    levels = max(1, (x.shape[-1] // 16).bit_length() - 1)
    value = 0
    for shift in np.random.default_rng(1).integers(0, 1 << levels, (SHIFTS, 2)):
        details = pywt.wavedec2(np.roll(x, tuple(shift), (1, 2)), "db2", mode="periodization", level=levels, axes=(1, 2))[1:]
        for band in (band for level in details for band in level):
            value += np.sqrt((abs(band) ** 2).sum(0)).sum() if joint else abs(band).sum()
    return value / SHIFTS


def low_rank(x):
    """Sum of singular values of [pixel, frame] in patches."""
    frames, n, _ = x.shape
    value = 0
    for shift in np.random.default_rng(1).integers(0, PATCH, (SHIFTS, 2)):
        patches = np.roll(x, tuple(shift), (1, 2)).reshape(frames, n // PATCH, PATCH, n // PATCH, PATCH)
        matrices = patches.transpose(1, 3, 2, 4, 0).reshape(-1, PATCH * PATCH, frames)
        value += np.linalg.svd(matrices, compute_uv=False).sum()
    return value / SHIFTS


def patch_scale(x):
    count, n, _ = x.shape
    patches = (n // PATCH) ** 2
    return np.sqrt(PATCH * PATCH) + np.sqrt(count) + np.sqrt(np.log(patches * min(PATCH * PATCH, count)))


def term(kind, count=1, n=1):
    """whorl's text after the weight, BART's option with the place of its weight, what divides that weight, the function."""
    shape = np.empty((count, n, n))
    return {
        "tv": ("", ["-R", "T:3:0:{}"], 1, lambda x: variation(x, "yx")),
        "tv in time": (",axes=t", ["-R", "T:1024:0:{}"], 1, lambda x: variation(x, "t")),
        "tv in space and time": (",axes=xyt", ["-R", "T:1027:0:{}"], 1, lambda x: variation(x, "tyx")),
        "wavelet": (",taps=4", ["-e", "-R", "W:3:0:{}"], 1, wavelets),
        "joint wavelet": (",taps=4,joint=yes", ["-e", "-R", "W:3:64:{}"], 1, lambda x: wavelets(x, True)),
        "llr": ("", ["-e", "-b", PATCH, "-R", "L:3:3:{}"], patch_scale(shape), low_rank),
    }[kind]


class Case:
    """An object: its problem, its files, the terms with their weights, and more options of either program."""

    def __init__(self, name, problem, terms, whorl=(), bart=()):
        self.name, self.problem, self.terms, self.whorl, self.bart = name, problem, terms, list(whorl), list(bart)


def phantom(whorl, folder, name):
    scan = ["traj", "radial", "--matrix", STILL.matrix, "--spokes", STILL.spokes, "--readout", 2 * STILL.matrix, "--order",
            "golden", "-o", folder / "t.h5", "-q"]
    run(whorl, *scan)
    run(whorl, "phantom", name, "-t", folder / "t.h5", "--fov", 240, 240, "--coils", STILL.coils, "--noise", STILL.noise,
        "--maps", folder / "true_maps.cfl", "--truth", folder / "truth.npy", "-o", folder / "still.h5", "-q")
    run(whorl, "convert", folder / "still.h5", "-o", folder / "still.cfl", "-q")
    n = STILL.matrix
    maps = read_cfl(folder / "true_maps").reshape(-1, n, n)
    maps = maps / np.sqrt((abs(maps) ** 2).sum(0))
    positions = read_cfl(folder / "still_traj").real.reshape(1, -1, 3)
    data = read_cfl(folder / "still").reshape(1, STILL.coils, -1)
    write_series(whorl, folder, positions, data, maps, 2 * n, TIME)
    truth = abs(np.load(folder / "truth.npy")).reshape(1, n, n)
    return Case(name, SeriesProblem(positions, data, maps, truth), [("tv", 0.0005), ("wavelet", 0.001)])


def spiral(whorl, folder, name, sources, matrix, length, step, terms, coils):
    """A part of the arms of a measured scan; maps and truth from all of them."""
    run(whorl, "convert", *sources, "-o", folder / "full.cfl", "--kind", "spiral", "--matrix", matrix, matrix, "-q",
        *(["--readout-length", length] if len(sources) > 1 else []))
    positions = read_cfl(folder / "full_traj").real.reshape(-1, length, 3)
    arms = len(positions)
    data = read_cfl(folder / "full")
    data = data.reshape(-1, coils, arms, length)[0]  # the first repetition
    maps = np.ones((1, matrix, matrix), np.complex64)
    if coils > 1:
        write_series(whorl, folder, positions.reshape(1, -1, 3), data.reshape(1, coils, -1), np.ones((coils, matrix, matrix)),
                     length, TIME)
        run(whorl, "coils", "estimate", folder / "scan.h5", "-o", folder / "found.npy", "-q")
        maps = np.load(folder / "found.npy").reshape(coils, matrix, matrix)
    write_series(whorl, folder, positions.reshape(1, -1, 3), data.reshape(1, coils, -1), maps, length, TIME)
    run(whorl, "recon", folder / "scan.h5", "-o", folder / "truth.npy", "--no-prewhitening", "--mask", "none", "--maps-file",
        folder / "maps.cfl", "--lambda", 1e-3, "--iterations", 80, "-q")
    truth = abs(np.load(folder / "truth.npy")).reshape(1, matrix, matrix)
    positions = positions[::step].reshape(1, -1, 3)
    data = data[:, ::step].reshape(1, coils, -1)
    write_series(whorl, folder, positions, data, maps, length, TIME)
    return Case(name, SeriesProblem(positions, data, maps, truth), terms)


def beating(whorl, folder):
    problem = ictv.make_scan(whorl, folder, SERIES)
    return Case("beating ellipse", problem, [("tv in time", 0.001), ("tv in space and time", 0.001), ("llr", 0.01)],
                ["--spokes-per-frame", SERIES.spokes])


def echoes(whorl, folder):
    positions, maps = radial_positions(whorl, folder, ECHOES, ECHOES.spokes)
    n = FINE * ECHOES.matrix
    t2 = np.zeros((n, n))
    for t2_ms, place in [(60, (0, 0, 0.42, 0.36)), (100, (-0.15, 0.05, 0.12, 0.16)), (200, (0.16, 0.08, 0.1, 0.1)),
                         (35, (0.05, -0.2, 0.2, 0.06))]:
        t2[ellipse(n, *place)] = t2_ms
    times = ECHOES.spacing_ms * np.arange(1, ECHOES.frames + 1)
    fine = np.array([np.where(t2 > 0, np.exp(-time / np.maximum(t2, 1)), 0) for time in times])
    signals = np.exp(-times[:, None] / np.geomspace(20, 300, 256)[None])
    basis = np.linalg.svd(signals, full_matrices=False)[0][:, : ECHOES.rank]
    data = measured_data(fine, positions, maps, ECHOES.noise)
    write_series(whorl, folder, positions, data, maps, 2 * ECHOES.matrix, ECHO)
    np.save(folder / "basis.npy", basis.astype(np.complex64))
    basis.T.astype(np.complex64).tofile(folder / "basis.cfl")
    (folder / "basis.hdr").write_text(f"# Dimensions\n1 1 1 1 1 {ECHOES.frames} {ECHOES.rank}\n")
    problem = SeriesProblem(positions, data, maps, means(fine), basis)
    return Case("T2 subspace", problem, [("llr", 0.003), ("joint wavelet", 0.001)],
                ["--spokes-per-frame", ECHOES.spokes, "--subspace", "basis.npy"], ["-B", "basis"])


def cases(whorl, options):
    """What makes each case, by name."""
    scans = options.scans and pathlib.Path(options.scans).resolve()
    makers = {"shepp-logan": lambda folder: phantom(whorl, folder, "shepp-logan"),
              "brain": lambda folder: phantom(whorl, folder, "brain"),
              "beating": lambda folder: beating(whorl, folder), "echoes": lambda folder: echoes(whorl, folder)}
    if scans:
        liver = [scans / name for name in ("liver.trj", "liver.0.data", "liver.1.data", "liver.2.data", "liver.3.data")]
        makers["liver"] = lambda folder: spiral(whorl, folder, "liver, 4 of 16 arms", liver, 256, 2250, 4,
                                                [("tv", 0.01), ("wavelet", 0.03)], 4)
        makers["spiral"] = lambda folder: spiral(whorl, folder, "real-time spiral, 2 of 6 arms", [scans / "rt_spiral_03.mat"],
                                                 128, 1536, 3, [("tv", 0.01), ("wavelet", 0.01)], 1)
    return makers


def compare(case, folder, whorl, options):
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    problem = case.problem
    for kind, weight in case.terms:
        count = len(problem.data) if problem.basis is None else problem.basis.shape[1]
        more, bart_term, divisor, function = term(kind, count, problem.n)
        text = kind.split()[-1 if "wavelet" in kind else 0] + f":{weight:g}{more}"
        runs = [("whorl", [whorl, "recon", "scan.h5", "-o", "whorl.npy", "--complex", "--device", "cpu", "--threads",
                           options.threads, "--no-prewhitening", "--mask", "none", "--lambda", 0, "--maps-file", "maps.cfl",
                           "--regularize", text, "-q", *case.whorl, *extra], "whorl.npy")
                for extra in ([], ["--iterations", 600, "--tolerance", 1e-5])]
        for version, command in bart_programs(options).items():
            if kind == "llr" and version == "1.0":
                continue
            for scale in options.scales:
                bart_weight = scale * weight * problem.unit * problem.s / divisor
                words = [str(word).format(f"{bart_weight:.8g}") for word in bart_term]
                at = "" if scale == 1 else f", {scale:g} times the weight"
                runs += [(f"BART {version}, {iterations} iterations{at}", [*command, "pics", "-w", 1, *case.bart, *words, "-i", iterations,
                                                               "-t", "series_traj", "series", "maps", "bart"], "bart")
                         for iterations in options.iterations]
        for name, command, output in runs:
            image, run_of = measured(command, output, folder, environment, options.rounds)
            image = image.reshape(-1, problem.n, problem.n).astype(np.complex128)
            if name == "whorl":
                notes = json.loads((folder / "whorl.npy.json").read_text())["notes"]
                name += ", " + next(note for note in notes if "iterations" in note).split(", residual")[0]
                name = name.replace(" of the normal operator", "")
            yield {"object": case.name, "term": text, "program": name, "error": problem.error(image),
                   "cost": problem.misfit(image) + weight * problem.unit * float(function(image)), **run_of}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whorl", default=str(ROOT / "build" / "bin" / "whorl"))
    add_bart_options(parser)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--iterations", type=int, nargs="+", default=[100], help="of BART")
    parser.add_argument("--scales", type=float, nargs="+", default=[1], help="of BART's weights")
    parser.add_argument("--scans", help="folder with measured scans; without it phantoms alone")
    parser.add_argument("--cases", nargs="+", help="some of shepp-logan, brain, liver, spiral, beating, echoes")
    parser.add_argument("--data", default="build-peers/regularized_objects")
    parser.add_argument("--json")
    options = parser.parse_args()
    whorl = find_program(options.whorl)
    use_cores(options.threads)
    makers = cases(whorl, options)
    unknown = set(options.cases or []) - set(makers)
    if unknown:
        sys.exit(f"--cases: {', '.join(sorted(unknown))}: expected some of {', '.join(makers)} (liver and spiral with --scans)")
    rows = []
    print("| object | term | program | value | error | s | CPU s |\n|---|---|---|---|---|---|---|")
    for name in options.cases or makers:
        folder = pathlib.Path(options.data).resolve() / name
        folder.mkdir(parents=True, exist_ok=True)
        case = makers[name](folder)
        for row in compare(case, folder, whorl, options):
            rows.append(row)
            print(f"| {row['object']} | {row['term']} | {row['program']} | {row['cost']:.6g} | {100 * row['error']:.2f} % | "
                  f"{row['seconds']:.2f} | {row['cpu_seconds']:.2f} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
