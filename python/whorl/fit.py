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

__all__ = [
    "DiffusionMaps",
    "FieldMap",
    "ReadoutField",
    "RelaxationMaps",
    "SubspaceBasis",
    "TensorMaps",
    "WaterFatMaps",
    "basis_of_signals",
    "basis_of_vectors",
    "decay_signals",
    "estimate_field_map",
    "fit_diffusion",
    "fit_diffusion_tensor",
    "fit_relaxation",
    "fit_water_fat",
    "liver_fat",
    "low_resolution_basis",
    "readout_field",
    "subspace_frames",
    "without_fat",
]

_calls.explain_module(globals())
