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

_EXAMPLES = """
NamedArray
    >>> whorl.io.write_array("values.npy", np.ones((2, 3)))
    >>> whorl.io.read_named_arrays("values.npy")
    [<whorl.NamedArray: fault='', name='values', values=float64 [2, 3]>]
PulseqReadout
    >>> spiral = whorl.trajectory.designed_spiral(4, 4.0, pixel=3.0)
    >>> whorl.io.write_pulseq(spiral, "spiral.seq", field_of_view_mm=(96, 96, 0))
    >>> whorl.io.read_pulseq_readouts("spiral.seq").readouts[0].dwell_us
    2.0000000000000004
PulseqReadouts
    >>> spiral = whorl.trajectory.designed_spiral(4, 4.0, pixel=3.0)
    >>> whorl.io.write_pulseq(spiral, "spiral.seq", field_of_view_mm=(96, 96, 0))
    >>> len(whorl.io.read_pulseq_readouts("spiral.seq").readouts)
    4
ReferenceImage
    >>> whorl.io.ReferenceImage(np.ones((16, 16))).values.shape
    (16, 16)
convert_scan
    >>> np.save("trajectory.npy", whorl.trajectory.radial_trajectory(20, 32).points)
    >>> np.save("data.npy", np.ones((4, 640), "complex64"))
    >>> whorl.io.convert_scan(["data.npy", "trajectory.npy"], (16, 16), readout_length=32)
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
describe_file
    >>> whorl.io.write_array("values.npy", np.ones((2, 3)))
    >>> whorl.io.describe_file("values.npy")["holds_arrays"]
    True
read_array
    >>> whorl.io.write_array("values.npy", np.ones((2, 3)))
    >>> whorl.io.read_array("values.npy").shape
    (2, 3)
read_arrays
    >>> whorl.io.write_arrays("values.npz", {"one": np.ones(2), "two": np.ones(3)})
    >>> sorted(whorl.io.read_arrays("values.npz"))
    ['one', 'two']
read_gradient_response
    >>> np.savez("girf.npz", frequency_hz=[0.0, 1e5], response=np.ones((2, 3)))
    >>> whorl.io.read_gradient_response("girf.npz").frequencies_hz
    [0.0, 100000.0]
read_named_arrays
    >>> whorl.io.write_array("values.npy", np.ones((2, 3)))
    >>> whorl.io.read_named_arrays("values.npy")[0].values.shape
    (2, 3)
read_picture
    >>> whorl.io.write_picture("gray.png", np.zeros((7, 9), "uint8"))
    >>> pixels, channels = whorl.io.read_picture("gray.png")
    >>> pixels.shape, channels
    ((7, 9), 'gray')
read_pulseq
    >>> spiral = whorl.trajectory.designed_spiral(4, 4.0, pixel=3.0)
    >>> whorl.io.write_pulseq(spiral, "spiral.seq", field_of_view_mm=(96, 96, 0))
    >>> whorl.io.read_pulseq("spiral.seq", (32, 32)).image_shape
    (32, 32)
read_pulseq_readouts
    >>> spiral = whorl.trajectory.designed_spiral(4, 4.0, pixel=3.0)
    >>> whorl.io.write_pulseq(spiral, "spiral.seq", field_of_view_mm=(96, 96, 0))
    >>> len(whorl.io.read_pulseq_readouts("spiral.seq").readouts)
    4
read_reference
    >>> whorl.io.write_array("edges.npy", np.ones((16, 16), "float32"))
    >>> whorl.io.read_reference("edges.npy").values.shape
    (16, 16)
read_scan
    A SCAN
    >>> whorl.write_scan(scan, "scan.h5")
    >>> whorl.read_scan("scan.h5")
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
write_array
    >>> whorl.io.write_array("values.npy", np.ones((2, 3)))
    >>> np.load("values.npy").shape
    (2, 3)
write_arrays
    >>> whorl.io.write_arrays("values.npz", {"one": np.ones(2), "two": np.ones(3)})
    >>> sorted(np.load("values.npz"))
    ['one', 'two']
write_image
    >>> [path.name for path in whorl.write_image("image.nii.gz", np.ones((2, 1, 16, 16), "complex64"))]
    ['image.nii.gz']
write_picture
    >>> whorl.io.write_picture("gray.png", np.zeros((7, 9), "uint8"))
write_pulseq
    >>> spiral = whorl.trajectory.designed_spiral(4, 4.0, pixel=3.0)
    >>> whorl.io.write_pulseq(spiral, "spiral.seq", field_of_view_mm=(96, 96, 0), repetition_time=30)
write_scan
    A SCAN
    >>> whorl.write_scan(scan, "scan.h5")
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
