"""Files: scans, images, arrays, sequences, pictures."""

from . import _calls
from ._core import (
    NamedArray,
    PulseqReadout,
    PulseqReadouts,
    ReferenceImage,
    convert_scan,
    describe_file,
    read_array,
    read_arrays,
    read_gradient_response,
    read_named_arrays,
    read_picture,
    read_pulseq,
    read_pulseq_readouts,
    read_reference,
    read_scan,
    write_array,
    write_arrays,
    write_image,
    write_picture,
    write_pulseq,
    write_scan,
)

__all__ = [
    "NamedArray",
    "PulseqReadout",
    "PulseqReadouts",
    "ReferenceImage",
    "convert_scan",
    "describe_file",
    "read_array",
    "read_arrays",
    "read_gradient_response",
    "read_named_arrays",
    "read_picture",
    "read_pulseq",
    "read_pulseq_readouts",
    "read_reference",
    "read_scan",
    "write_array",
    "write_arrays",
    "write_image",
    "write_picture",
    "write_pulseq",
    "write_scan",
]

_calls.explain_module(globals())
