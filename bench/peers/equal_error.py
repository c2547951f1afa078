"""whorl and FINUFFT at equal measured error, their runs taking turns."""

import re
import statistics

from finufft_peer import fastest_case
from whorl_program import WhorlError, bench


def exactly(record):
    """The filter of one case, whatever its tolerance."""
    return "^" + re.escape(record["name"].rsplit("/", 1)[0]) + "/"


def bench_tolerance(options, record, tolerance, *more):
    return bench(options.whorl, options.threads, "--only", exactly(record), "--tolerance", repr(tolerance), *more)[0]


def whorl_within(options, record, tolerance, error):
    """The loosest run of whorl that is found whose measured error is at most `error`, or None.

    It starts at the tolerance that FINUFFT is asked for, or at FINUFFT's own error where that is more, and tightens.
    """
    wanted = max(tolerance, error)
    for _ in range(6):
        try:
            run = bench_tolerance(options, record, wanted)
        except WhorlError as failure:
            if "floor" not in str(failure):
                raise
            return None
        if run["error"] <= error:
            return run
        wanted *= max(0.2, min(0.8, 0.9 * error / run["error"]))
    return None


def compare(options, record, tolerance):
    """One row: FINUFFT at a tolerance and whorl at no larger error."""
    bench_tolerance(options, record, 1e-2, "--export", options.data)
    peer, first_ms = fastest_case(options.data, record, tolerance, options)
    peer_ms = [first_ms]
    peer_error = peer.error()
    ours = whorl_within(options, record, tolerance, peer_error)
    row = {"case": record["case"], "direction": record["direction"], "coils": record["coils"],
           "threads": options.threads, "finufft_tolerance": peer.tolerance, "finufft_error": peer_error, "finufft_fftw": peer.fftw}
    if ours is None:
        return row | {"finufft_ms": peer_ms[0]}
    our_ms = [ours["median_ms"]]
    for _ in range(options.rounds - 1):
        peer_ms.append(peer.median_ms())
        our_ms.append(bench_tolerance(options, record, ours["tolerance"])["median_ms"])
    row |= {"finufft_ms": statistics.median(peer_ms), "finufft_ms_rounds": peer_ms,
            "whorl_tolerance": ours["tolerance"], "whorl_error": ours["error"],
            "whorl_ms": statistics.median(our_ms), "whorl_ms_rounds": our_ms}
    return row | {"ratio": row["finufft_ms"] / row["whorl_ms"]}


HEADING = """| case | direction | coils | FINUFFT tolerance | error | ms | whorl tolerance | error | ms | ratio |
|---|---|---|---|---|---|---|---|---|---|"""


def table_row(row):
    text = (f"| {row['case']} | {row['direction']} | {row['coils']} | {row['finufft_tolerance']:.0e} | "
            f"{row['finufft_error']:.1e} | {row['finufft_ms']:.4g} | ")
    if "ratio" not in row:
        return text + "- | no run with an error as small | - | - |"
    return text + (f"{row['whorl_tolerance']:.2g} | {row['whorl_error']:.1e} | {row['whorl_ms']:.4g} | "
                   f"{row['ratio']:.2f} |")
