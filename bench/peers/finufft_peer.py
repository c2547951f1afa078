"""FINUFFT on the data of a case: its own driver, the plan reused."""

import statistics
import time

import finufft
import numpy as np

# Plan flags of FFTW, which FINUFFT takes as they are.
FFTW_FLAGS = {"measure": 0, "estimate": 64}


class FinufftCase:
    """A plan of FINUFFT in single precision with its input and exact values (bench/export_case.hpp)."""

    def __init__(self, folder, record, tolerance, threads, fftw):
        problem = folder / record["case"]
        data = problem / str(record["coils"]) / record["direction"]
        self.coils = record["coils"]
        self.input = np.ascontiguousarray(np.load(data / "input.npy"))
        self.places = np.load(data / "places.npy").astype(np.int64)
        self.exact = np.load(data / "exact.npy")
        image = record["image"]
        # Ours is the unitary transform (docs/explain/conventions.md).
        self.scale = 1 / np.sqrt(np.prod(image))
        adjoint = record["direction"] == "adjoint"
        samples = record["samples"]
        shape = tuple(image) if adjoint else (samples,)
        self.output = np.empty((self.coils, *shape) if self.coils > 1 else shape, dtype=np.complex64)
        if self.coils == 1:
            self.input = self.input[0]
        self.plan = finufft.Plan(
            1 if adjoint else 2, tuple(image), self.coils, eps=tolerance, isign=1 if adjoint else -1,
            dtype="complex64", nthreads=threads, fftw=FFTW_FLAGS[fftw])
        # Positions in radians per pixel, the first axis of the array first; single precision is what it takes.
        points = 2 * np.pi * np.load(problem / "trajectory.npy")
        self.points = [np.ascontiguousarray(points[:, axis], dtype=np.float32) for axis in range(points.shape[1])][::-1]
        self.plan.setpts(*self.points)

    def apply(self):
        self.plan.execute(self.input, out=self.output)

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
