"""Maps of tissue: fits of each voxel, fields, fat, and courses over time."""

from . import _calls
from ._core import (
    DiffusionMaps,
    FieldMap,
    ReadoutField,
    RelaxationMaps,
    SubspaceBasis,
    TensorMaps,
    WaterFatMaps,
    basis_of_signals,
    basis_of_vectors,
    decay_signals,
    estimate_field_map,
    fit_diffusion,
    fit_diffusion_tensor,
    fit_relaxation,
    fit_water_fat,
    liver_fat,
    low_resolution_basis,
    readout_field,
    subspace_frames,
    without_fat,
)

_EXAMPLES = """
DiffusionMaps
    >>> b = np.array([0.0, 500, 1000])
    >>> maps = whorl.fit.fit_diffusion(100 * np.exp(-b[:, None, None] * np.full((4, 5), 1e-3)), b)
    >>> maps.diffusivity.shape, maps.failed
    ((4, 5), 0)
FieldMap
    >>> times = np.array([1e-3, 2e-3])
    >>> echoes = np.exp(-2j * np.pi * 20 * times)[:, None, None, None] * np.ones((1, 8, 8))
    >>> whorl.fit.estimate_field_map(echoes.astype("complex64"), times).hertz.shape
    (8, 8)
ReadoutField
    >>> spiral = whorl.trajectory.spiral_trajectory(4, 200, 4)
    >>> maps = whorl.coils.unit_maps(whorl.phantom.make_phantom_coils((16, 16), 4).maps())
    >>> times = whorl.trajectory.sample_times(spiral, 0, 60)
    >>> y, x = np.mgrid[:16, :16] - 7.5
    >>> field = 60 * np.exp(-(x**2 + y**2) / 30)
    >>> A = whorl.operators.SignalEvolution(whorl.Nufft(spiral, (16, 16), 4), times, field_hz=field)
    >>> data = A @ (maps * np.exp(-((x**2 + y**2) ** 2) / 1000)).astype("complex64")
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (160, 160, 5)
    >>> scan = whorl.Scan(spiral, (16, 16), data, coil_maps=maps, geometry=where, dwell_us=60)
    >>> found = whorl.fit.readout_field(scan, maps="file", prewhitening=False, readout_start=0, steps=2)
    >>> found.error_after < found.error_before
    True
RelaxationMaps
    >>> times = np.array([10.0, 20, 40])
    >>> series = 100 * np.exp(-times[:, None, None] / np.full((4, 5), 50.0))
    >>> whorl.fit.fit_relaxation(series, times).time.round(2)[0].tolist()
    [50.0, 50.0, 50.0, 50.0, 50.0]
SubspaceBasis
    >>> basis = whorl.fit.basis_of_vectors(np.eye(5)[:, :2], 2)
    >>> basis.frames, basis.components
    (5, 2)
TensorMaps
    >>> rng = np.random.default_rng(1)
    >>> b, directions = np.r_[0, np.full(7, 1000.0)], rng.normal(size=(8, 3))
    >>> directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    >>> series = 100 * np.exp(-b[:, None, None] * np.full((4, 5), 1e-3))
    >>> maps = whorl.fit.fit_diffusion_tensor(series, b, directions)
    >>> maps.anisotropy.shape
    (4, 5)
WaterFatMaps
    >>> times = np.array([1.2e-3, 2.0e-3, 2.8e-3])
    >>> echoes = np.ones((3, 1, 8, 8), "complex64")
    >>> maps = whorl.fit.fit_water_fat(echoes, times, noise=0.01)
    >>> maps.failed
    0
basis_of_signals
    >>> signals = whorl.fit.decay_signals("t2", (20, 200), np.arange(10.0, 110, 10))
    >>> round(whorl.fit.basis_of_signals(signals, 3).part, 3)
    1.0
basis_of_vectors
    >>> whorl.fit.basis_of_vectors(np.eye(5)[:, :2], 2).vectors.shape
    (5, 2)
decay_signals
    >>> whorl.fit.decay_signals("t2", (20, 200), np.arange(10.0, 110, 10)).shape[1]
    10
estimate_field_map
    >>> times = np.array([1e-3, 2e-3])
    >>> echoes = np.exp(-2j * np.pi * 20 * times)[:, None, None, None] * np.ones((1, 8, 8))
    >>> found = whorl.fit.estimate_field_map(echoes.astype("complex64"), times)
    >>> found.hertz.shape, bool(found.mask.all())
    ((8, 8), True)
fit_diffusion
    >>> b = np.array([0.0, 500, 1000])
    >>> maps = whorl.fit.fit_diffusion(100 * np.exp(-b[:, None, None] * np.full((4, 5), 1e-3)), b)
    >>> maps.fitted
    20
fit_diffusion_tensor
    >>> rng = np.random.default_rng(1)
    >>> b, directions = np.r_[0, np.full(7, 1000.0)], rng.normal(size=(8, 3))
    >>> directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    >>> series = 100 * np.exp(-b[:, None, None] * np.full((4, 5), 1e-3))
    >>> whorl.fit.fit_diffusion_tensor(series, b, directions).anisotropy.shape
    (4, 5)
fit_relaxation
    >>> times = np.array([10.0, 20, 40])
    >>> series = 100 * np.exp(-times[:, None, None] / np.full((4, 5), 50.0))
    >>> maps = whorl.fit.fit_relaxation(series, times, "decay", noise=1.0)
    >>> maps.fitted, round(float(maps.time[0, 0]), 2)
    (20, 50.0)
fit_water_fat
    >>> times = np.array([1.2e-3, 2.0e-3, 2.8e-3])
    >>> maps = whorl.fit.fit_water_fat(np.ones((3, 1, 8, 8), "complex64"), times, noise=0.01)
    >>> maps.water.shape
    (1, 8, 8)
liver_fat
    >>> len(whorl.fit.liver_fat())
    6
low_resolution_basis
    A SCAN
    >>> made = whorl.make_frames(scan, spokes_per_frame=5)
    >>> whorl.fit.low_resolution_basis(made.scan, 2, 8)
    <whorl.SubspaceBasis of 2 components, 4 frames>
readout_field
    >>> spiral = whorl.trajectory.spiral_trajectory(4, 200, 4)
    >>> maps = whorl.coils.unit_maps(whorl.phantom.make_phantom_coils((16, 16), 4).maps())
    >>> times = whorl.trajectory.sample_times(spiral, 0, 60)
    >>> y, x = np.mgrid[:16, :16] - 7.5
    >>> field = 60 * np.exp(-(x**2 + y**2) / 30)
    >>> A = whorl.operators.SignalEvolution(whorl.Nufft(spiral, (16, 16), 4), times, field_hz=field)
    >>> data = A @ (maps * np.exp(-((x**2 + y**2) ** 2) / 1000)).astype("complex64")
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (160, 160, 5)
    >>> scan = whorl.Scan(spiral, (16, 16), data, coil_maps=maps, geometry=where, dwell_us=60)
    >>> found = whorl.fit.readout_field(scan, maps="file", prewhitening=False, readout_start=0, steps=2)
    >>> found.error_after < found.error_before
    True
subspace_frames
    >>> basis = whorl.fit.basis_of_vectors(np.eye(5)[:, :2], 2)
    >>> whorl.fit.subspace_frames(np.ones((2, 1, 8, 8), "complex64"), basis).shape
    (5, 1, 8, 8)
without_fat
    >>> times = np.array([1.2e-3, 2.0e-3, 2.8e-3])
    >>> echoes = np.ones((3, 1, 8, 8), "complex64")
    >>> whorl.fit.without_fat(echoes, times, whorl.fit.fit_water_fat(echoes, times, noise=0.01), noise=0.01).shape
    (3, 1, 8, 8)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
