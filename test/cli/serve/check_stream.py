#!/usr/bin/env python3
"""whorl stream as a process, with the package mrd-python on both sides of it.

    check_stream.py PROGRAM

Exit code 77: the package is not installed, and nothing was tested.
"""

import io
import subprocess
import sys

try:
    import mrd
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; install mrd-python 2.1 or later to test with it")
    sys.exit(77)

PROGRAM = sys.argv[1]
SIZE, SPOKES, COILS = 32, 40, 3
IS_NS = hasattr(mrd.AcquisitionHeader(), "acquisition_time_stamp_ns")  # 2.2


def header():
    space = mrd.EncodingSpaceType(
        matrix_size=mrd.MatrixSizeType(x=SIZE, y=SIZE, z=1), field_of_view_mm=mrd.FieldOfViewMm(x=256, y=256, z=5)
    )
    encoding = mrd.EncodingType(encoded_space=space, recon_space=space, trajectory=mrd.Trajectory.GOLDENANGLE)
    return mrd.Header(
        experimental_conditions=mrd.ExperimentalConditionsType(h1resonance_frequency_hz=63500000),
        subject_information=mrd.SubjectInformationType(patient_id="seven & eight"),
        encoding=[encoding],
    )


def spoke(number):
    """A point of amplitude 1 in each coil, 3 pixels right of the center and 5 below: exp(-2 pi i k.r)."""
    radius = (np.arange(2 * SIZE) - SIZE) / (2 * SIZE)  # cycles per pixel
    angle = number * np.pi * (np.sqrt(5) - 1) / 2
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)])
    signal_of_point = np.exp(-2j * np.pi * np.array([3, 5]) @ points) / SIZE
    head = mrd.AcquisitionHeader(measurement_uid=9)
    head.center_sample = SIZE
    head.read_dir, head.phase_dir, head.slice_dir = (np.eye(3, dtype=np.float32)[i] for i in range(3))
    head.position = np.array([1, 2, 3], np.float32)
    setattr(head, "acquisition_time_stamp_ns" if IS_NS else "acquisition_time_stamp", number)
    return mrd.Acquisition(
        head=head,
        data=np.tile(signal_of_point, (COILS, 1)).astype(np.complex64),
        trajectory=(points * SIZE).astype(np.float32),  # cycles per field of view
    )


def items():
    samples = np.arange(6, dtype=np.uint32).reshape(2, 3)
    yield mrd.StreamItem.WaveformUint32(mrd.Waveform(data=samples))  # passed over
    for number in range(SPOKES):
        yield mrd.StreamItem.Acquisition(spoke(number))


def filtered(*options):
    sent = io.BytesIO()
    with mrd.BinaryMrdWriter(sent) as writer:
        writer.write_header(header())
        writer.write_data(items())
    command = [PROGRAM, "stream", "--device", "cpu", "--threads", "1", *options]
    done = subprocess.run(command, input=sent.getvalue(), capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(config, count, dtype):
    with mrd.BinaryMrdReader(io.BytesIO(filtered("--config", config))) as reader:
        head = reader.read_header()
        assert head.subject_information.patient_id == "seven & eight"
        images = [item.value for item in reader.read_data()]
    assert len(images) == count, len(images)
    for number, image in enumerate(images):
        pixels = np.abs(image.data[0, 0])
        assert image.data.dtype == dtype and image.data.shape == (1, 1, SIZE, SIZE), image.data.shape
        assert np.unravel_index(pixels.argmax(), pixels.shape) == (SIZE // 2 + 5, SIZE // 2 + 3)
        assert np.allclose(image.head.field_of_view, [256, 256, 5]) and np.allclose(image.head.position, [1, 2, 3])
        assert np.allclose(image.head.col_dir, [1, 0, 0]) and np.allclose(image.head.line_dir, [0, 1, 0])
        assert image.head.measurement_uid == 9 and image.head.image_index == number + 1
        last = (number + 1) * SPOKES // count - 1
        stamp = image.head.acquisition_time_stamp_ns if IS_NS else image.head.acquisition_time_stamp
        assert stamp == last, (stamp, last)
        assert image.meta["WindowWidth"][0].value > 0


check('{"method": "gridding", "prewhitening": false, "spokes-per-frame": 20}', 2, np.float32)
check('{"method": "gridding", "prewhitening": false, "output": "complex"}', 1, np.complex64)
# The other version's schema has its length, in seven bits a byte, behind "yardl" and the version of the format.
size = 21336 if IS_NS else 25152
length = [0x80 | size & 0x7F, 0x80 | size >> 7 & 0x7F, size >> 14]
written = filtered("--schema", "2.1.1" if IS_NS else "2.2.1", "--config", '{"method": "gridding"}')
assert written[:12] == b"yardl\x01\0\0\0" + bytes(length), written[:12]
print("whorl stream answers the package mrd-python")
