"""BART and whorl as whole processes on the same scans of a phantom."""

import os
import pathlib
import re
import statistics
import subprocess
import time

from whorl_program import run

# The name, the trajectory's options, coils; small ones check the script.
SCANS = {
    "sense-2d-256": (["radial", "--matrix", 256, "--spokes", 402, "--readout", 512, "--order", "golden"], 12),
    "inverse-2d-256": (["radial", "--matrix", 256, "--spokes", 402, "--readout", 512, "--order", "golden"], 1),
    "inverse-3d-128": (["kooshball", "--matrix", 128, "--spokes", 1078, "--readout", 264], 1),
    "small-sense-2d": (["radial", "--matrix", 64, "--spokes", 101, "--readout", 128, "--order", "golden"], 4),
    "small-inverse-3d": (["kooshball", "--matrix", 24, "--spokes", 500, "--readout", 48], 1),
}
ITERATIONS = 30
# Both programs take this value, whatever the scale of their operators.
LAMBDA = 0


def seconds_of(command, folder, environment):
    """Wall time of a process."""
    start = time.perf_counter()
    result = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True,
                            text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return time.perf_counter() - start, result.stdout + result.stderr


def make_scan(options, folder, trajectory, coils):
    """scan.h5, and the same as scan.cfl and scan_traj.cfl for BART."""
    run(options.whorl, "traj", *trajectory, "-o", folder / "t.h5", "-q")
    # One coil is a channel that sees everything alike.
    run(options.whorl, "phantom", "brain", "-t", folder / "t.h5", "--fov", 240, 240,
        *([240] if trajectory[0] == "kooshball" else []), "--coils", coils if coils > 1 else 0, "-o", folder / "scan.h5",
        "-q")
    run(options.whorl, "convert", folder / "scan.h5", "-o", folder / "scan.cfl", "-q")


def compare(options, name):
    """One row: medians of whole processes that take turns, and the difference of the magnitudes of their images."""
    trajectory, coils = SCANS[name]
    folder = pathlib.Path(options.data) / name
    folder.mkdir(parents=True, exist_ok=True)
    make_scan(options, folder, trajectory, coils)
    threads = ["--threads", options.threads, "-q"]
    if coils > 1:
        # Both are given the same maps.
        run(options.whorl, "coils", "estimate", folder / "scan.h5", "--device", "cpu", "-o", folder / "maps.cfl", "-q")
        bart = ["bart", "pics", "-S", "-l2", "-r", LAMBDA, "-i", ITERATIONS, "-t", "scan_traj", "scan", "maps", "bart"]
        ours = [options.whorl, "recon", "scan.h5", "--device", "cpu", "-o", "whorl.npy", "--complex",
                "--no-prewhitening", "--maps-file", "maps.cfl", "--lambda", LAMBDA, "--iterations", ITERATIONS, "--tolerance", 0, *threads]
    else:
        matrix = trajectory[trajectory.index("--matrix") + 1]
        extents = f"{matrix}:{matrix}:{matrix if trajectory[0] == 'kooshball' else 1}"
        bart = ["bart", "nufft", "-i", "-d", extents, "scan_traj", "scan", "bart"]
        ours = [options.whorl, "nufft", "inverse", "scan.h5", "--device", "cpu", "-o", "whorl.npy",
                "--tolerance", 1e-3, "--lambda", 0, "--iterations", ITERATIONS, "--residual", 0, *threads]
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    bart_s, our_s = [], []
    for _ in range(options.rounds):
        bart_s.append(seconds_of(bart, folder, environment)[0])
        our_s.append(seconds_of(ours, folder, environment)[0])
    compared = run(options.whorl, "compare", folder / "whorl.npy", folder / "bart.cfl", "--magnitude")
    nrmse = float(re.search(r"^nrmse\s+(\S+)", compared, re.MULTILINE).group(1))
    row = {"case": name, "coils": coils, "threads": options.threads, "bart": " ".join(map(str, bart)),
           "whorl": " ".join(["whorl", *map(str, ours[1:])]), "bart_s": statistics.median(bart_s), "bart_s_rounds": bart_s,
           "whorl_s": statistics.median(our_s), "whorl_s_rounds": our_s, "nrmse": nrmse}
    return row | {"ratio": row["bart_s"] / row["whorl_s"]}


HEADING = """| case | coils | BART | s | whorl s | ratio | NRMSE between the two |
|---|---|---|---|---|---|---|"""


def table_row(row):
    return (f"| {row['case']} | {row['coils']} | `{' '.join(row['bart'].split()[:-3])}` | {row['bart_s']:.3g} | "
            f"{row['whorl_s']:.3g} | {row['ratio']:.1f} | {100 * row['nrmse']:.2f} % |")
