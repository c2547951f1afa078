"""Regularized images of several objects by whorl and BART as whole processes: the same data, trajectory and coil maps.

    bench/peers/run --script bench/peers/regularized_objects.py --bart1 --scans FOLDER     # liver.trj, rt_spiral_03.mat, ...

Shepp-Logan and brain phantoms, measured spirals (a quarter of the liver's arms, a third of the real-time spiral's), a beating
ellipse with a contrast agent (ictv.py), and T2 decays in a subspace. whorl minimizes the function of each BART, as
bart_functions.py says; it is evaluated there for the images of both, with FINUFFT as the operator. The truth of measured scans
is the least squares image of all arms.

BART's threshold for patches is its weight times G = sqrt(M) + sqrt(N) + sqrt(log(B min(M, N))) for B matrices of M x N:
its weight is W u s / G here. `--scales 0.8 1 1.25` multiplies BART's weights: where they mean the same, BART's image has its
least value of the function at 1. bartorch has no singular values (LAPACK) outside of Python, so BART 1.0 is left out of these.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import types
import typing

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ictv
from bart_functions import levels_of, variation, wavelets
from peer_runs import add_bart_options, bart_programs, measured, read_cfl
from series_problem import (ECHO, FINE, TIME, SeriesProblem, ellipse, means, measured_data, mirrored, radial_positions,
                            write_series)
from whorl_program import ROOT, find_program, run, use_cores

SHIFTS = 16
PATCH = 8
STILL = types.SimpleNamespace(matrix=128, coils=8, spokes=50, noise=0.02)
SERIES = types.SimpleNamespace(matrix=64, frames=16, coils=4, spokes=13, noise=0.02)
ECHOES = types.SimpleNamespace(matrix=64, frames=20, coils=4, spokes=8, noise=0.02, rank=4, spacing_ms=8)
# More of whorl's options, for a run each.
WHORL = [[], ["--iterations", 600, "--tolerance", 1e-5]]


def low_rank(x):
    """Sum of singular values of [pixel, frame] in patches, the mean over shifts."""
    frames, n, _ = x.shape
    value = 0
    for shift in np.random.default_rng(1).integers(0, PATCH, (SHIFTS, 2)):
        patches = np.roll(x, tuple(shift), (1, 2)).reshape(frames, n // PATCH, PATCH, n // PATCH, PATCH)
        matrices = patches.transpose(1, 3, 2, 4, 0).reshape(-1, PATCH * PATCH, frames)
        value += np.linalg.svd(matrices, compute_uv=False).sum()
    return value / SHIFTS


def patch_scale(count, n):
    patches = (n // PATCH) ** 2
    return np.sqrt(PATCH * PATCH) + np.sqrt(count) + np.sqrt(np.log(patches * min(PATCH * PATCH, count)))


@dataclasses.dataclass
class Form:
    """A term as some versions of BART have it."""

    whorl: str  # after the weight
    bart: list  # with the place of the weight
    function: typing.Callable  # of a series [t, y, x]
    versions: tuple = ("0.8", "1.0")
    divisor: float = 1  # of BART's weight
    mirror: str = ""  # axes along which whorl's scan is mirrored, some of t, y, x
    name: str = ""


def forms(kind, count, n):
    """A term of a series of images of n x n pixels, as the versions of BART have it."""
    of_wavelets = f",taps=4,levels={levels_of(n)},approximation=yes"

    def variations(axes, names, flags):
        text, option = f"{names},cyclic={axes}", ["-R", f"T:{flags}:0:{{}}"]
        return [Form(text, option, lambda x: variation(x, axes), ("1.0",), name="next"),
                Form(text, option, lambda x: variation(x, axes, -1), ("0.8",), mirror=axes, name="previous")]

    return {
        "tv": lambda: variations("xy", "", 3),
        "tv in space and time": lambda: variations("xyt", ",axes=xyt", 1027),
        "tv in time": lambda: [Form(",axes=t,cyclic=t", ["-R", "T:1024:0:{}"], lambda x: variation(x, "t"))],
        "wavelet": lambda: [Form(of_wavelets, ["-e", "-R", "W:3:0:{}"], wavelets, mirror="xy")],
        "joint wavelet": lambda: [Form(of_wavelets + ",joint=yes", ["-e", "-R", "W:3:64:{}"], lambda x: wavelets(x, True),
                                       mirror="xy")],
        "llr": lambda: [Form("", ["-e", "-b", PATCH, "-R", "L:3:3:{}"], low_rank, ("0.8",), patch_scale(count, n))],
    }[kind]()


class Case:
    """An object: its problem, its files, the length of a readout, the terms with their weights, more options of both."""

    def __init__(self, name, problem, length, terms, whorl=(), bart=()):
        self.name, self.problem, self.length, self.terms = name, problem, length, terms
        self.whorl, self.bart = list(whorl), list(bart)

    def scan(self, whorl, folder, mirror):
        """whorl's scan and maps, mirrored along the axes."""
        if not mirror:
            return folder / "scan.h5", folder / "maps.cfl"
        mirror_folder = folder / f"mirrored_{mirror}"
        mirror_folder.mkdir(exist_ok=True)
        positions, data, maps = mirrored(self.problem.positions, self.problem.data, self.problem.maps)
        order = slice(None, None, -1 if "t" in mirror else 1)
        write_series(whorl, mirror_folder, positions[order], data[order], maps, self.length, TIME)
        return mirror_folder / "scan.h5", mirror_folder / "maps.cfl"


def phantom(whorl, folder, name, scan=STILL, terms=(("tv", 0.0005), ("wavelet", 0.001))):
    n = scan.matrix
    run(whorl, "traj", "radial", "--matrix", n, "--spokes", scan.spokes, "--readout", 2 * n, "--order", "golden", "-o",
        folder / "t.h5", "-q")
    run(whorl, "phantom", name, "-t", folder / "t.h5", "--fov", 240, 240, "--coils", scan.coils, "--noise", scan.noise,
        "--maps", folder / "true_maps.cfl", "--truth", folder / "truth.npy", "-o", folder / "still.h5", "-q")
    run(whorl, "convert", folder / "still.h5", "-o", folder / "still.cfl", "-q")
    maps = read_cfl(folder / "true_maps").reshape(-1, n, n)
    maps = maps / np.sqrt((abs(maps) ** 2).sum(0))
    positions = read_cfl(folder / "still_traj").real.reshape(1, -1, 3)
    data = read_cfl(folder / "still").reshape(1, scan.coils, -1)
    write_series(whorl, folder, positions, data, maps, 2 * n, TIME)
    truth = abs(np.load(folder / "truth.npy")).reshape(1, n, n)
    return Case(name, SeriesProblem(positions, data, maps, truth), 2 * n, terms)


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
    return Case(name, SeriesProblem(positions, data, maps, truth), length, terms)


def beating(whorl, folder):
    problem = ictv.make_scan(whorl, folder, SERIES)
    return Case("beating ellipse", problem, 2 * SERIES.matrix, [("tv in time", 0.001), ("tv in space and time", 0.001), ("llr", 0.01)],
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
    return Case("T2 subspace", problem, 2 * ECHOES.matrix, [("llr", 0.003), ("joint wavelet", 0.001)],
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


def compare(case, folder, whorl, options, more_runs=lambda kind: WHORL):
    """A row for each run; more_runs has lists of more options of whorl for a kind of term."""
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    problem = case.problem
    count = len(problem.data) if problem.basis is None else problem.basis.shape[1]
    programs = bart_programs(options)
    for kind, weight in case.terms:
        for form in forms(kind, count, problem.n):
            text = kind.split()[-1 if "wavelet" in kind else 0] + f":{weight:g}{form.whorl}"
            versions = [version for version in form.versions if version in programs]
            scan, maps = case.scan(whorl, folder, form.mirror)
            ours = [whorl, "recon", scan, "-o", "whorl.npy", "--complex", "--device", "cpu", "--threads", options.threads,
                    "--no-prewhitening", "--mask", "none", "--lambda", 0, "--maps-file", maps, "--regularize", text, "-q",
                    *case.whorl]
            runs = [("whorl", [*ours, *more], "whorl.npy") for more in more_runs(kind)]
            for version in versions:
                for scale in options.scales:
                    bart_weight = scale * weight * problem.unit * problem.s / form.divisor
                    words = [str(word).format(f"{bart_weight:.8g}") for word in form.bart]
                    at = "" if scale == 1 else f", {scale:g} times the weight"
                    runs += [(f"BART {version}, {iterations} iterations{at}",
                              [*programs[version], "pics", "-w", 1, *case.bart, *words, "-i", iterations, "-t", "series_traj",
                               "series", "maps", "bart"], "bart") for iterations in options.iterations]
            for name, command, output in runs if versions else []:
                image, run_of = measured(command, output, folder, environment, options.rounds)
                image = image.reshape(-1, problem.n, problem.n).astype(np.complex128)
                if name == "whorl":
                    image = np.flip(image, ["tyx".index(axis) for axis in form.mirror])
                    notes = json.loads((folder / "whorl.npy.json").read_text())["notes"]
                    name += ", " + next(note for note in notes if "iterations" in note).split(", residual")[0]
                    name = name.replace(" of the normal operator", "")
                yield {"object": case.name, "term": text, "border": form.name, "program": name, "error": problem.error(image),
                       "cost": problem.misfit(image) + weight * problem.unit * float(form.function(image)), **run_of}


HEADING = "| object | term | program | value | error | s | CPU s |\n|---|---|---|---|---|---|---|"


def table_row(row, before=None):
    """Object and term are left out where they are those of the row before."""
    def name(of):
        return of["object"], of["term"] + (f" ({of['border']})" if of["border"] else "")

    what, term = name(row)
    if before is not None and name(before) == (what, term):
        what, term = "", ""
    elif before is not None and before["object"] == what:
        what = ""
    return (f"| {what} | {term} | {row['program']} | {row['cost']:.6g} | {100 * row['error']:.2f} % | "
            f"{row['seconds']:.2f} | {row['cpu_seconds']:.2f} |")


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
    print(HEADING)
    for name in options.cases or makers:
        folder = pathlib.Path(options.data).resolve() / name
        folder.mkdir(parents=True, exist_ok=True)
        case = makers[name](folder)
        for row in compare(case, folder, whorl, options):
            print(table_row(row, rows[-1] if rows else None), flush=True)
            rows.append(row)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
