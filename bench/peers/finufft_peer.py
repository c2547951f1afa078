"""FINUFFT on the data of a case: its own driver, the plan reused."""

import ctypes
import importlib.util
import pathlib
import statistics
import time

import finufft
import numpy as np

# Plan flags of FFTW, which FINUFFT takes as they are.
FFTW_FLAGS = {"measure": 0, "estimate": 64}


class WheelPlan:
    """A plan of PyPI's finufft, whose spreading is compiled for SSE2 alone."""

    def __init__(self, kind, image, coils, tolerance, sign, threads, fftw):
        self.plan = finufft.Plan(kind, tuple(image), coils, eps=tolerance, isign=sign, dtype="complex64", nthreads=threads,
                                 fftw=FFTW_FLAGS[fftw])

    def set_points(self, points):
        self.plan.setpts(*points)

    def execute(self, given, out):
        self.plan.execute(given, out=out)


def native_library():
    """FINUFFT as PyPI's bartorch has it: compiled for AVX-512 (v4), AVX2 (v3) or neither (v2)."""
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    level = "v4" if " avx512bw " in flags else "v3" if " avx2 " in flags else "v2"
    folder = pathlib.Path(importlib.util.find_spec("bartorch").submodule_search_locations[0])
    library = ctypes.CDLL(str(folder / f"libbartorch_finufft_x86_64_{level}.so"))
    library.finufftf_makeplan.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64), ctypes.c_int, ctypes.c_int,
                                          ctypes.c_float, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p]
    library.finufftf_setpts.argtypes = [ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64, *[ctypes.c_void_p] * 3]
    library.finufftf_execute.argtypes = [ctypes.c_void_p] * 3
    library.finufftf_destroy.argtypes = [ctypes.c_void_p]
    return library


class TooTight(Exception):
    """A tolerance below what single precision rounds to."""


def check(code, what):
    if code == 26:
        raise TooTight
    if code > 1:  # 1: a warning
        raise RuntimeError(f"FINUFFT: {what} failed with code {code}")


class NativePlan:
    """A plan of FINUFFT compiled for this processor, by its guru functions in C."""

    WARN, THREADS, FFTW = 4, 5, 6  # places of these fields among the ints at the start of finufft_opts

    def __init__(self, kind, image, coils, tolerance, sign, threads, fftw):
        self.kind = kind
        self.library = native_library()
        options = (ctypes.c_int * 64)()  # longer than the structure
        self.library.finufftf_default_opts(ctypes.byref(options))
        self.plan = ctypes.c_void_p()
        if options[self.THREADS] != 0 or options[self.FFTW] not in (-1, FFTW_FLAGS["estimate"]):
            raise RuntimeError("FINUFFT: the options of this library have another order")
        options[self.WARN], options[self.THREADS], options[self.FFTW] = 0, threads, FFTW_FLAGS[fftw]
        modes = (ctypes.c_int64 * 3)(*reversed(image), *[1] * (3 - len(image)))
        check(self.library.finufftf_makeplan(kind, len(image), modes, sign, coils, tolerance, ctypes.byref(self.plan),
                                             ctypes.byref(options)), "makeplan")

    def __del__(self):
        if self.plan:
            self.library.finufftf_destroy(self.plan)

    def set_points(self, points):
        self.points = points  # FINUFFT keeps their addresses
        addresses = [axis.ctypes.data for axis in points[::-1]] + [None] * (3 - len(points))
        check(self.library.finufftf_setpts(self.plan, len(points[0]), *addresses, 0, None, None, None), "setpts")

    def execute(self, given, out):
        # Samples come first in both directions, then the image.
        samples, image = (given, out) if self.kind == 1 else (out, given)
        check(self.library.finufftf_execute(self.plan, samples.ctypes.data, image.ctypes.data), "execute")


PLANS = {"native": NativePlan, "wheel": WheelPlan}


class FinufftCase:
    """A plan of FINUFFT in single precision with its input and exact values (bench/export_case.hpp)."""

    def __init__(self, folder, record, tolerance, options, fftw):
        problem = folder / record["case"]
        data = problem / str(record["coils"]) / record["direction"]
        self.coils = record["coils"]
        self.input = np.ascontiguousarray(np.load(data / "input.npy"))
        self.places = np.load(data / "places.npy").astype(np.int64)
        self.exact = np.load(data / "exact.npy")
        self.fftw = fftw
        image = record["image"]
        # Ours is the unitary transform (docs/explain/conventions.md).
        self.scale = 1 / np.sqrt(np.prod(image))
        adjoint = record["direction"] == "adjoint"
        samples = record["samples"]
        shape = tuple(image) if adjoint else (samples,)
        self.output = np.empty((self.coils, *shape) if self.coils > 1 else shape, dtype=np.complex64)
        if self.coils == 1:
            self.input = self.input[0]
        # Positions in radians per pixel, the first axis of the array first; single precision is what it takes.
        points = 2 * np.pi * np.load(problem / "trajectory.npy")
        points = [np.ascontiguousarray(points[:, axis], dtype=np.float32) for axis in range(points.shape[1])][::-1]
        self.tolerance = tolerance
        while True:
            try:
                self.plan = PLANS[options.finufft](1 if adjoint else 2, image, self.coils, self.tolerance, 1 if adjoint else -1,
                                                   options.threads, fftw)
                self.plan.set_points(points)
                return
            except TooTight:
                self.tolerance *= 1.25  # until it takes it

    def apply(self):
        self.plan.execute(self.input, self.output)

    def error(self):
        """Relative l2 error at the places whose exact values are known."""
        found = self.scale * self.output.reshape(self.coils, -1)[:, self.places].astype(np.complex128)
        return float(np.linalg.norm(found - self.exact) / np.linalg.norm(self.exact))

    def median_ms(self):
        """As `whorl bench`: five times and 0.3 s at least, after a first time that does not count."""
        self.apply()
        times = []
        while len(times) < 5 or sum(times) < 0.3:
            start = time.perf_counter()
            self.apply()
            times.append(time.perf_counter() - start)
        return 1e3 * statistics.median(times)


def fastest_case(folder, record, tolerance, options):
    """The case with its first median, by the way of planning FFTs that was asked for, or by the faster one."""
    ways = list(FFTW_FLAGS) if options.fftw == "best" else [options.fftw]
    cases = [FinufftCase(folder, record, tolerance, options, fftw) for fftw in ways]
    return min(((case, case.median_ms()) for case in cases), key=lambda timed: timed[1])
