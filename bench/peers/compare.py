"""whorl beside its peers, in one run: a table in Markdown, and a JSON record. Run by bench/peers/run."""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import bart_peer
import equal_error
from whorl_program import ROOT, bench, cpu_name, find_program, run, use_cores

RULE = """Times are medians in ms, the plan reused, of {rounds} rounds in which the programs take turns. Errors are relative l2 errors
against the exact sums in double, the same for both, at up to 1000 random places. A ratio (FINUFFT's time over whorl's) is only
given where whorl's measured error is at most FINUFFT's: whorl runs at FINUFFT's tolerance, or at FINUFFT's measured error
where that is larger, and at a tighter tolerance until its error is no larger. FINUFFT takes positions in single precision,
and its error holds their rounding."""
FINUFFT_NAMES = {"native": "of bartorch {bartorch}, compiled for this processor", "wheel": "{finufft} (PyPI's wheel)"}


def arguments():
    parser = argparse.ArgumentParser(prog="bench/peers/run", description=__doc__)
    parser.add_argument("--whorl", default=ROOT / "build" / "bin" / "whorl", help="the program (build/bin/whorl)")
    parser.add_argument("--threads", type=int, default=2, help="of every program; they are kept to as many cores (2)")
    parser.add_argument("--only", default="^nufft/(?!small|series)",
                        help="the cases that are run beside FINUFFT, by a regular expression (Python) on the names of "
                             "`whorl bench --list` (all but the small ones and the series)")
    parser.add_argument("--bart", default="^(sense|inverse)",
                        help=f"the scans that are reconstructed beside BART, likewise: {', '.join(bart_peer.SCANS)}")
    parser.add_argument("--rounds", type=int, default=3, help="of the programs taking turns (3)")
    parser.add_argument("--finufft", choices=["native", "wheel"], default="native",
                        help="FINUFFT compiled for this processor (in PyPI's bartorch), or PyPI's own wheel (native)")
    parser.add_argument("--fftw", choices=["estimate", "measure", "best"], default="best",
                        help="how FINUFFT's FFTW plans; best: whichever is faster in a case (best)")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "build-peers" / "data", help="where the data lies")
    parser.add_argument("--json", type=pathlib.Path, help="also write a record of everything here")
    options = parser.parse_args()
    options.whorl = find_program(options.whorl)
    if options.rounds < 1:
        parser.error("--rounds: expected 1 or more")
    options.data.mkdir(parents=True, exist_ok=True)
    return options


def machine():
    """What the numbers belong to."""
    flags = ""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("flags"):
            flags = line
    simd = [name for name in ("sse4_2", "avx", "avx2", "fma", "avx512f") if re.search(rf"\b{name}\b", flags)]
    return {"cpu": cpu_name(), "cores": os.cpu_count(), "simd": simd, "system": platform.platform()}


def versions(whorl):
    facts = {"whorl": run(whorl, "--version").strip().splitlines()}
    for package in ("finufft", "bartorch", "numpy"):
        facts[package] = importlib.metadata.version(package)
    if shutil.which("bart"):
        said = subprocess.run(["bart", "version"], capture_output=True, text=True, check=False)
        facts["bart"] = said.stdout.strip()
    return facts


def cases_beside_finufft(options):
    """Cases by everything but their tolerance, with the tolerances, and a record of each."""
    names = run(options.whorl, "bench", "--list", "--only", "").splitlines()
    names += run(options.whorl, "bench", "--list", "--only", "/small|/series").splitlines()
    groups = {}
    for name in names:
        transform, problem, direction, coils, tolerance = name.split("/")
        if transform == "nufft" and direction != "normal" and re.search(options.only, name):
            groups.setdefault((problem, direction, coils), []).append((name, float(tolerance)))
    return groups


def run_finufft(options):
    rows = []
    groups = cases_beside_finufft(options)
    if groups:
        print(f"\n{RULE.format(rounds=options.rounds)}\n\n{equal_error.HEADING}", flush=True)
    for named in groups.values():
        record = bench(options.whorl, options.threads, "--only", f"^{re.escape(named[0][0])}$")[0]
        for _, tolerance in named:
            rows.append(equal_error.compare(options, record, tolerance))
            print(equal_error.table_row(rows[-1]), flush=True)
        shutil.rmtree(options.data / record["case"])
    return rows


def run_bart(options):
    names = [name for name in bart_peer.SCANS if re.search(options.bart, name)]
    if names and not shutil.which("bart"):
        print("\nbart is not on the path (Debian: package bart): not compared")
        return []
    if names:
        print(f"\nWhole processes, wall time in s, medians of {options.rounds} that take turns; {bart_peer.ITERATIONS} "
              f"iterations in both.\n\n{bart_peer.HEADING}", flush=True)
    rows = []
    for name in names:
        rows.append(bart_peer.compare(options, name))
        print(bart_peer.table_row(rows[-1]), flush=True)
    return rows


def main():
    options = arguments()
    use_cores(options.threads)
    facts = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "machine": machine(),
             "versions": versions(options.whorl), "threads": options.threads, "finufft": options.finufft,
             "finufft_fftw": options.fftw}
    print(f"{facts['date']}, {facts['machine']['cpu']}, {', '.join(facts['machine']['simd'])}; {options.threads} threads; "
          f"FINUFFT {FINUFFT_NAMES[options.finufft].format(**facts['versions'])}, FFTW planned by {options.fftw}; BART "
          f"{facts['versions'].get('bart', 'none')}; {facts['versions']['whorl'][0]}")
    record = facts | {"finufft_cases": run_finufft(options), "bart_cases": run_bart(options)}
    if not record["finufft_cases"] and not record["bart_cases"]:
        sys.exit("peers: no case has such a name; see `whorl bench --list` and --help")
    if options.json:
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
