"""Objects whose images and samples are known."""

from . import _calls
from ._core import (
    Phantom,
    PhantomCoils,
    beating_phantom,
    brain_phantom,
    contrast_curve,
    dynamic_phantom_scan,
    field_map,
    geometric_phantom,
    make_phantom_coils,
    phantom_samples,
    phantom_scan,
    r2_star_map,
    rasterize,
    resolution_phantom,
    shepp_logan,
    t2_phantom,
    t2_phantom_map,
)

_EXAMPLES = """
Phantom
    >>> whorl.phantom.rasterize(whorl.phantom.shepp_logan(), (16, 12)).shape
    (16, 12)
PhantomCoils
    >>> whorl.phantom.make_phantom_coils((16, 12), 4).maps().shape
    (4, 16, 12)
beating_phantom
    >>> whorl.phantom.rasterize(whorl.phantom.beating_phantom(0.3), (16, 16)).shape
    (16, 16)
brain_phantom
    >>> whorl.phantom.rasterize(whorl.phantom.brain_phantom(3), (4, 16, 16)).shape
    (4, 16, 16)
contrast_curve
    >>> [round(whorl.phantom.contrast_curve(t), 2) for t in (0.5, 2.0)]
    [0.0, 0.66]
dynamic_phantom_scan
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(8, 32), (16, 16), readout_length=32)
    >>> plan.readout_interval_ms = 4
    >>> whorl.phantom.dynamic_phantom_scan(whorl.phantom.beating_phantom, plan, coils=2)
    <whorl.Scan of 1 frames, 2 coils, image [16, 16]>
field_map
    >>> whorl.phantom.field_map(whorl.phantom.geometric_phantom(), (16, 12)).shape
    (16, 12)
geometric_phantom
    >>> whorl.phantom.rasterize(whorl.phantom.geometric_phantom(), (16, 12)).shape
    (16, 12)
make_phantom_coils
    >>> maps = whorl.phantom.make_phantom_coils((16, 12), 4).maps()
    >>> maps.shape, maps.dtype.name
    ((4, 16, 12), 'complex64')
phantom_samples
    >>> spokes = whorl.trajectory.radial_trajectory(5, 32)
    >>> whorl.phantom.phantom_samples(whorl.phantom.shepp_logan(), (16, 16), spokes.points).shape
    (160,)
phantom_scan
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=4, noise=0.01, noise_samples=500)
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
r2_star_map
    >>> whorl.phantom.r2_star_map(whorl.phantom.geometric_phantom(), (16, 12)).shape
    (16, 12)
rasterize
    >>> truth = whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (16, 16), 4)
    >>> truth.shape, truth.dtype.name
    ((16, 16), 'float32')
resolution_phantom
    >>> bars = whorl.phantom.resolution_phantom((100, 100, 100), [2, 3])
    >>> whorl.phantom.rasterize(bars, (32, 32)).shape
    (32, 32)
shepp_logan
    >>> whorl.phantom.rasterize(whorl.phantom.shepp_logan(contrast="standard"), (32, 32)).shape
    (32, 32)
t2_phantom
    >>> echoes = [whorl.phantom.rasterize(whorl.phantom.t2_phantom(t), (16, 16)) for t in (0.01, 0.05)]
    >>> bool(echoes[0].max() > echoes[1].max())
    True
t2_phantom_map
    >>> whorl.phantom.t2_phantom_map((16, 16)).shape
    (16, 16)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
