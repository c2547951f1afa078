"""Total variation and wavelets of a large scan by whorl and BART as whole processes.

    bench/peers/run --script bench/peers/regularized.py --bart1        # also BART 1.0, from PyPI's bartorch

The brain phantom as in regularized_objects.py, with 12 coils of 256 x 256 pixels: the same data, trajectory, coil maps and
function for both. See docs/records/beside_bart.md.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_runs import add_bart_options
from regularized_objects import HEADING, compare, phantom, table_row
from whorl_program import ROOT, find_program, use_cores

# More of whorl's options for each term, for a run each.
WHORL = {"tv": [[], ["--tolerance", 3e-5, "--iterations", 300]], "wavelet": [["--iterations", 60], []]}


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
    parser.add_argument("--scales", type=float, nargs="+", default=[1], help="of BART's weights")
    parser.add_argument("--terms", nargs="+", default=["tv", "wavelet"])
    parser.add_argument("--data", default="build-peers/regularized")
    parser.add_argument("--json")
    options = parser.parse_args()
    whorl = find_program(options.whorl)
    use_cores(options.threads)
    folder = pathlib.Path(options.data).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    case = phantom(whorl, folder, "brain", options, [(term, options.weight) for term in options.terms])
    rows = []
    print(HEADING)
    for row in compare(case, folder, whorl, options, WHORL.get):
        print(table_row(row, rows[-1] if rows else None), flush=True)
        rows.append(row)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
