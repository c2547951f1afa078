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

__all__ = [
    "Nlinv",
    "NlinvReport",
    "NlinvStep",
    "apply_channel_matrix",
    "coil_compression",
    "compress_coils",
    "espirit",
    "estimate_coil_maps",
    "matched_combination",
    "noise_covariance",
    "prewhiten",
    "prewhitening_matrix",
    "root_sum_of_squares",
    "unit_maps",
    "walsh",
]

_calls.explain_module(globals())
