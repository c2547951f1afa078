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

__all__ = [
    "Phantom",
    "PhantomCoils",
    "beating_phantom",
    "brain_phantom",
    "contrast_curve",
    "dynamic_phantom_scan",
    "field_map",
    "geometric_phantom",
    "make_phantom_coils",
    "phantom_samples",
    "phantom_scan",
    "r2_star_map",
    "rasterize",
    "resolution_phantom",
    "shepp_logan",
    "t2_phantom",
    "t2_phantom_map",
]

_calls.explain_module(globals())
