"""NLINV by whorl and BART as whole processes: the same data and trajectory, no coil maps.

    bench/peers/run --script bench/peers/nlinv.py

BART is 1.0, from PyPI's bartorch. Images are compared with the object as the coils see it, by their magnitude and after the
best scaling: image and maps are determined up to a factor that goes from one to the other. See docs/records/beside_bart.md.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_runs import read_cfl, seconds_of
from whorl_program import ROOT, find_program, run, use_cores


def make_scan(whorl, folder, options):
    run(whorl, "traj", "radial", "--matrix", options.matrix, "--spokes", options.spokes, "--readout", 2 * options.matrix,
        "--order", "golden", "-o", folder / "t.h5", "-q")
    run(whorl, "phantom", "brain", "-t", folder / "t.h5", "--fov", 240, 240, "--coils", options.coils, "--noise",
        options.noise, "--truth", folder / "truth.npy", "-o", folder / "scan.h5", "-q")
    run(whorl, "convert", folder / "scan.h5", "-o", folder / "scan.cfl", "-q")
    return abs(np.load(folder / "truth.npy")).reshape(options.matrix, options.matrix)


def error(image, truth):
    a = abs(image).reshape(truth.shape)
    return float(np.linalg.norm(a * (a * truth).sum() / (a * a).sum() - truth) / np.linalg.norm(truth))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whorl", default=str(ROOT / "build" / "bin" / "whorl"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matrix", type=int, default=256)
    parser.add_argument("--coils", type=int, default=12)
    parser.add_argument("--spokes", type=int, default=101, help="a quarter of the Nyquist number at 256")
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--whorl-steps", type=int, nargs="+", default=[6, 7])
    parser.add_argument("--bart-steps", type=int, nargs="+", default=[8, 12, 13])
    parser.add_argument("--device", default="cpu", help="of whorl")
    parser.add_argument("--data", default="build-peers/nlinv")
    parser.add_argument("--json")
    options = parser.parse_args()
    whorl = find_program(options.whorl)
    use_cores(options.threads)
    folder = pathlib.Path(options.data).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    truth = make_scan(whorl, folder, options)
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads)}
    bart = [sys.executable, pathlib.Path(__file__).with_name("bart1.py")]
    size = f"-x{options.matrix}:{options.matrix}:1"
    runs = [(f"whorl, {steps} steps", [whorl, "recon", "scan.h5", "--method", "nlinv", "--nlinv-steps", steps, "-o", "whorl.npy",
                                       "--complex", "--device", options.device, "--threads", options.threads,
                                       "--no-prewhitening", "--mask", "none", "-q"]) for steps in options.whorl_steps]
    runs += [(f"BART 1.0.00, `nlinv -i {steps}`", [*bart, "nlinv", "-i", steps, size, "-t", "scan_traj", "scan", "bart"])
             for steps in options.bart_steps]
    times = {name: [] for name, _ in runs}
    errors = {}
    for _ in range(options.rounds):
        for name, command in runs:
            times[name].append(seconds_of(command, folder, environment))
            image = np.load(folder / "whorl.npy") if name.startswith("whorl") else read_cfl(folder / "bart")
            errors[name] = error(image, truth)
    rows = []
    for name, command in runs:
        rows.append({"program": name, "command": " ".join(map(str, command)), "error": errors[name],
                     "seconds": statistics.median(wall for wall, _ in times[name]),
                     "cpu_seconds": statistics.median(cpu for _, cpu in times[name])})
        print(f"| {name} | {100 * rows[-1]['error']:.2f} % | {rows[-1]['seconds']:.2f} | {rows[-1]['cpu_seconds']:.2f} |")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
