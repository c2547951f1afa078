"""Coil maps, noise, compression and combination of coils."""

from . import _calls
from ._core import (
    Nlinv,
    NlinvReport,
    NlinvStep,
    apply_channel_matrix,
    coil_compression,
    compress_coils,
    espirit,
    estimate_coil_maps,
    matched_combination,
    noise_covariance,
    prewhiten,
    prewhitening_matrix,
    root_sum_of_squares,
    unit_maps,
    walsh,
)

_EXAMPLES = """
Nlinv
    >>> nlinv = whorl.coils.Nlinv((16, 16), 4, steps=5)
    >>> nlinv
    <whorl.Nlinv>
Nlinv.image
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> coils = whorl.phantom.make_phantom_coils((16, 16), 4)
    >>> data = whorl.phantom.phantom_samples(whorl.phantom.brain_phantom(), (16, 16), spokes, coils).astype("complex64")
    >>> nlinv = whorl.coils.Nlinv((16, 16), 4, steps=3, iterations=10)
    >>> report = nlinv.solve(whorl.Nufft(spokes, (16, 16), 4), data)
    >>> nlinv.image().shape, nlinv.maps().shape, nlinv.set_images().shape
    ((16, 16), (1, 4, 16, 16), (1, 16, 16))
NlinvReport
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> coils = whorl.phantom.make_phantom_coils((16, 16), 4)
    >>> brain = whorl.phantom.brain_phantom()
    >>> data = whorl.phantom.phantom_samples(brain, (16, 16), spokes, coils).astype("complex64")
    >>> report = whorl.coils.Nlinv((16, 16), 4, steps=3, iterations=10).solve(whorl.Nufft(spokes, (16, 16), 4), data)
    >>> len(report.steps), report.misfit < report.steps[1].misfit
    (3, True)
NlinvStep
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> coils = whorl.phantom.make_phantom_coils((16, 16), 4)
    >>> brain = whorl.phantom.brain_phantom()
    >>> data = whorl.phantom.phantom_samples(brain, (16, 16), spokes, coils).astype("complex64")
    >>> report = whorl.coils.Nlinv((16, 16), 4, steps=3, iterations=10).solve(whorl.Nufft(spokes, (16, 16), 4), data)
    >>> [step.alpha for step in report.steps]
    [1.0, 0.5, 0.25]
apply_channel_matrix
    >>> whorl.coils.apply_channel_matrix([[1, 1]], np.ones((2, 3), "complex64"))
    array([[2.+0.j, 2.+0.j, 2.+0.j]], dtype=complex64)
coil_compression
    >>> data = np.random.default_rng(1).normal(size=(6, 100)).astype("complex64")
    >>> matrix, energies = whorl.coils.coil_compression(data, coils=2)
    >>> matrix.shape
    (2, 6)
compress_coils
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> scan = whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=8, noise=0.01, noise_samples=500)
    >>> whorl.coils.compress_coils(scan, coils=4)
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
espirit
    >>> brain = whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (24, 24))
    >>> images = np.fft.ifftshift(whorl.phantom.make_phantom_coils((24, 24), 4).maps() * brain, axes=(1, 2))
    >>> k_space = np.fft.fftshift(np.fft.fft2(images), axes=(1, 2)).astype("complex64")
    >>> maps, values = whorl.coils.espirit(k_space, (24, 24), kernel=5)
    >>> maps.shape
    (4, 24, 24)
estimate_coil_maps
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> scan = whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=4, noise=0.01, noise_samples=500)
    >>> whorl.estimate_coil_maps(scan, maps="walsh").shape
    (1, 4, 1, 16, 16)
matched_combination
    >>> maps = whorl.phantom.make_phantom_coils((16, 12), 4).maps()
    >>> whorl.coils.matched_combination(2 * maps, whorl.coils.unit_maps(maps)).shape
    (16, 12)
noise_covariance
    >>> noise = np.random.default_rng(1).normal(size=(2, 1000)).astype("complex64")
    >>> whorl.coils.noise_covariance(noise).shape
    (2, 2)
prewhiten
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> scan = whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=4, noise=0.01, noise_samples=500)
    >>> white = whorl.coils.noise_covariance(whorl.prewhiten(scan).noise)
    >>> np.allclose(white, np.eye(4), atol=1e-3)
    True
prewhitening_matrix
    >>> whorl.coils.prewhitening_matrix([[4, 0], [0, 1]]).real
    array([[0.5, 0. ],
           [0. , 1. ]])
root_sum_of_squares
    >>> whorl.coils.root_sum_of_squares(np.full((4, 2, 2), 3, "complex64"))
    array([[6., 6.],
           [6., 6.]], dtype=float32)
unit_maps
    >>> maps = whorl.coils.unit_maps(whorl.phantom.make_phantom_coils((16, 12), 4).maps())
    >>> np.allclose((abs(maps) ** 2).sum(0), 1, atol=1e-5)
    True
walsh
    >>> images = whorl.phantom.make_phantom_coils((16, 12), 4).maps()
    >>> whorl.coils.walsh(images, block=5).shape
    (4, 16, 12)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
