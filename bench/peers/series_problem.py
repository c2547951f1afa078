"""Series of images with known truth, or measured ones: their data, the quadratic function, and files for whorl and BART."""

import pathlib

import finufft
import numpy as np

from peer_runs import read_cfl, write_cfl
from whorl_program import run

FINE = 4  # object pixels for each of the image's, along each axis
TIME, ECHO = 10, 5  # BART's dimensions


def ellipse(n, x0, y0, a, b):
    """1 inside, on an image of n x n pixels from -1/2 to 1/2."""
    y, x = (np.mgrid[:n, :n] - n / 2) / n
    return ((x - x0) / a) ** 2 + ((y - y0) / b) ** 2 < 1


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


def means(fine):
    """Mean of the fine pixels in each pixel."""
    n = fine.shape[-1] // FINE
    return fine.reshape(-1, n, FINE, n, FINE).mean((2, 4))


def measured_data(fine, positions, maps, noise):
    """[frame, coil, sample] of objects [frame, y, x] on the fine grid, with noise, rounded to single precision."""
    n = maps.shape[-1]
    fine_maps = [upsampled(one) for one in maps]
    # The middle of a pixel's FINE x FINE part is (FINE - 1) / 2 fine pixels behind its first.
    shift = 0.5 * (FINE - 1) / FINE
    rng = np.random.default_rng(1)
    data = []
    for frame, points in zip(fine, points_of(positions, n)):
        phase = np.exp(1j * shift * (points[0] + points[1]))
        on_fine = [np.ascontiguousarray(p / FINE) for p in points]
        samples = np.array([finufft.nufft2d2(*on_fine, frame * one, isign=-1, eps=1e-7) for one in fine_maps])
        samples *= phase / (FINE**2 * n)
        parts = rng.standard_normal((2, *samples.shape))
        data.append(samples + noise / np.sqrt(2) * (parts[0] + 1j * parts[1]))
    return np.array(data).astype(np.complex64)


def points_of(positions, n):
    """FINUFFT's points of each frame; rows of an image are y, its first axis. Positions are in cycles per image."""
    return [[np.ascontiguousarray(2 * np.pi / n * p[:, axis], np.float64) for axis in (1, 0)] for p in positions]


class SeriesProblem:
    """|A x - d|^2 / (2 s), for images x, or for the coefficients of a basis [frame, component]."""

    def __init__(self, positions, data, maps, truth, basis=None):
        self.n = maps.shape[-1]
        self.positions = positions
        self.points = points_of(positions, self.n)
        self.maps = maps.astype(np.complex128)
        self.data = data.astype(np.complex128)
        self.truth = truth
        self.basis = basis
        self.farthest = np.hypot(positions[..., 0], positions[..., 1]).max() / self.n
        count = len(data) if basis is None else basis.shape[1]
        x = np.random.default_rng(1).standard_normal((count, self.n, self.n)) + 0j
        for _ in range(40):
            x /= np.linalg.norm(x)
            x = self.adjoint(self.forward(x))
        self.s = np.linalg.norm(x)
        self.unit = abs(self.adjoint(self.data)).max() / self.s

    def frames(self, x):
        return x if self.basis is None else np.tensordot(self.basis, x, 1)

    def forward(self, x):
        return np.array([finufft.nufft2d2(*p, self.maps * one, isign=-1, eps=1e-8)
                         for p, one in zip(self.points, self.frames(x))]) / self.n

    def adjoint(self, y):
        x = np.array([(self.maps.conj() * finufft.nufft2d1(*p, one, n_modes=(self.n, self.n), isign=1, eps=1e-8)).sum(0)
                      for p, one in zip(self.points, y)]) / self.n
        return x if self.basis is None else np.tensordot(self.basis.conj().T, x, 1)

    def measured_part(self, x):
        """Without the corners of k-space, where no sample is."""
        axis = np.fft.fftfreq(self.n)
        return np.fft.ifft2(np.fft.fft2(x) * (np.hypot(axis[:, None], axis) <= self.farthest))

    def misfit(self, x):
        return float(np.linalg.norm(self.forward(x.astype(np.complex128)) - self.data) ** 2 / (2 * self.s))

    def error(self, x):
        """Error of the magnitudes of all frames, after the best scaling, in what the measured part of k-space shows."""
        a, b = abs(self.measured_part(self.frames(x))), abs(self.measured_part(self.truth))
        return float(np.linalg.norm(a * (a * b).sum() / (a * a).sum() - b) / np.linalg.norm(b))


def radial_positions(whorl, folder, options, spokes):
    """Positions [frame, sample, 3] of golden-angle spokes, and maps with a sum of squares of 1, which it also writes."""
    run(whorl, "traj", "radial", "--matrix", options.matrix, "--spokes", spokes * options.frames, "--readout",
        2 * options.matrix, "--order", "golden", "-o", folder / "t.h5", "-q")
    run(whorl, "phantom", "brain", "-t", folder / "t.h5", "--fov", 240, 240, "--coils", options.coils, "--maps",
        folder / "true_maps.cfl", "-o", folder / "still.h5", "-q")
    run(whorl, "convert", folder / "still.h5", "-o", folder / "still.cfl", "-q")
    maps = read_cfl(folder / "true_maps").reshape(options.coils, options.matrix, options.matrix)
    maps = maps / np.sqrt((abs(maps) ** 2).sum(0))
    return read_cfl(folder / "still_traj").real.reshape(options.frames, -1, 3), maps


def mirrored(positions, data, maps):
    """The scan of the object mirrored along x and y, pixel r of n becoming n - 1 - r; and its maps.

    The pixels' places p = r - n/2 become -p - 1, so that d(k) = exp(2 pi i (k_x + k_y) / n) d'(-k) for k in cycles per image.
    """
    phase = np.exp(-2j * np.pi / maps.shape[-1] * (positions[..., 0] + positions[..., 1]))
    return -positions, data * phase[:, None], maps[:, ::-1, ::-1]


def write_series(whorl, folder, positions, data, maps, length, dimension):
    """scan.h5 for whorl, all readouts one after the other; series, series_traj, maps for BART, frames in a dimension."""
    frames, coils, samples = data.shape
    matrix = maps.shape[-1]
    readouts = samples // length
    data = data.astype(np.complex64)
    positions = positions.astype(np.complex64)
    write_cfl(folder / "maps", maps)
    ones = "1 " * (dimension - 4)
    for name, count, array, first in [("scan", frames * readouts, data.swapaxes(0, 1), coils),
                                      ("series", readouts, data, coils)]:
        np.ascontiguousarray(array).tofile(folder / f"{name}.cfl")
        last = "" if name == "scan" else f" {ones}{frames}"
        pathlib.Path(folder / f"{name}.hdr").write_text(f"# Dimensions\n1 {length} {count} {first}{last}\n")
        positions.tofile(folder / f"{name}_traj.cfl")
        last = "" if name == "scan" else f" 1 {ones}{frames}"
        pathlib.Path(folder / f"{name}_traj.hdr").write_text(f"# Dimensions\n3 {length} {count}{last}\n")
    run(whorl, "convert", folder / "scan.cfl", folder / "scan_traj.cfl", "--data", "scan", "--trajectory", "scan_traj",
        "--matrix", matrix, matrix, "-o", folder / "scan.h5", "-q")
