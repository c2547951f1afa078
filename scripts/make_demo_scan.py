#!/usr/bin/env python3
"""Makes data/brain_radial_4ch.h5 and data/brain_truth.npy: a retrospective radial scan of measured brain images.

The images (256 x 256, 4 receive coils, measured) come with gpuNUFFT and are not part of this repository:
    https://github.com/andyschwarzl/gpuNUFFT, matlab/demo/data/img_brain_4ch.mat (MIT licence, see data/README.md)
This script samples their Fourier transform along a golden-angle radial trajectory, adds noise of known covariance and
writes an ISMRMRD file with a noise scan. Nothing at run time or in the tests needs it; it is kept so that anybody can
see how the scan came to be.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1 h5py==3.16.0
    venv/bin/python scripts/make_demo_scan.py img_brain_4ch.mat data

With these versions the two files are the same, byte by byte, at every run on one machine. Other versions or another
processor may round the last bit of a sample the other way.
"""

import argparse
import pathlib

import h5py
import numpy as np
import scipy.io

MATRIX = 256
SPOKES = 96
SAMPLES = 512  # twice the matrix: readout oversampling 2
GOLDEN_ANGLE = np.pi * (np.sqrt(5) - 1) / 2  # 111.246 degrees; Winkelmann et al., IEEE TMI 26:68 (2007)
PIXEL_MM = 1.0  # chosen: the source does not give it
THICKNESS_MM = 5.0  # chosen
DWELL_US = 5.0  # chosen; the same for the scan and the noise scan
NOISE_ACQUISITIONS = 2
NOISE_SAMPLES = 1024
SEED = 20240229

# Standard deviation of the complex noise (real and imaginary part together) of coil 0, in units of the largest value of
# the root-sum-of-squares image; the transform is unitary, so it is the same in k-space and in a full image. Gray
# matter, at about 0.3, then has a signal-to-noise ratio of 15 to 30 in one coil of a fully sampled image.
NOISE = 0.012
# Covariance of the noise between the coils, E[n_a conj(n_b)] / NOISE^2: unequal gains and coupled neighbors.
COVARIANCE = np.array(
    [
        [1.00, 0.30 + 0.10j, 0.10 - 0.05j, 0.05 + 0.00j],
        [0.30 - 0.10j, 1.40, 0.35 + 0.15j, 0.10 + 0.05j],
        [0.10 + 0.05j, 0.35 - 0.15j, 0.80, 0.25 - 0.10j],
        [0.05 + 0.00j, 0.10 - 0.05j, 0.25 + 0.10j, 1.20],
    ]
)

FLAG_FIRST_IN_SLICE = 1 << 6
FLAG_LAST_IN_SLICE = 1 << 7
FLAG_NOISE = 1 << 18
FLAG_LAST_IN_MEASUREMENT = 1 << 24

# AcquisitionHeader and Acquisition of ISMRMRD 1.x, as its library lays them out in HDF5.
COUNTERS = np.dtype(
    [(name, "<u2") for name in ("kspace_encode_step_1", "kspace_encode_step_2", "average", "slice", "contrast", "phase",
                                "repetition", "set", "segment")] + [("user", "<u2", (8,))])  # fmt: skip
HEADER = np.dtype(
    [
        ("version", "<u2"),
        ("flags", "<u8"),
        ("measurement_uid", "<u4"),
        ("scan_counter", "<u4"),
        ("acquisition_time_stamp", "<u4"),
        ("physiology_time_stamp", "<u4", (3,)),
        ("number_of_samples", "<u2"),
        ("available_channels", "<u2"),
        ("active_channels", "<u2"),
        ("channel_mask", "<u8", (16,)),
        ("discard_pre", "<u2"),
        ("discard_post", "<u2"),
        ("center_sample", "<u2"),
        ("encoding_space_ref", "<u2"),
        ("trajectory_dimensions", "<u2"),
        ("sample_time_us", "<f4"),
        ("position", "<f4", (3,)),
        ("read_dir", "<f4", (3,)),
        ("phase_dir", "<f4", (3,)),
        ("slice_dir", "<f4", (3,)),
        ("patient_table_position", "<f4", (3,)),
        ("idx", COUNTERS),
        ("user_int", "<i4", (8,)),
        ("user_float", "<f4", (8,)),
    ]
)
FLOATS = h5py.vlen_dtype(np.dtype("<f4"))
ACQUISITION = np.dtype([("head", HEADER), ("traj", FLOATS), ("data", FLOATS)])

XML = f"""<?xml version="1.0"?>
<ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xsi:schemaLocation="http://www.ismrm.org/ISMRMRD ismrmrd.xsd">
  <version>1</version>
  <measurementInformation>
    <patientPosition>HFS</patientPosition>
    <protocolName>retrospective golden-angle radial sampling of measured 4-coil brain images</protocolName>
  </measurementInformation>
  <acquisitionSystemInformation>
    <systemVendor>none: retrospective sampling of measured images</systemVendor>
    <systemModel>whorl scripts/make_demo_scan.py</systemModel>
    <relativeReceiverNoiseBandwidth>1.0</relativeReceiverNoiseBandwidth>
    <receiverChannels>4</receiverChannels>
  </acquisitionSystemInformation>
  <experimentalConditions>
    <H1resonanceFrequency_Hz>0</H1resonanceFrequency_Hz>
  </experimentalConditions>
  <encoding>
    <encodedSpace>
      <matrixSize><x>{2 * MATRIX}</x><y>{2 * MATRIX}</y><z>1</z></matrixSize>
      <fieldOfView_mm><x>{2 * MATRIX * PIXEL_MM}</x><y>{2 * MATRIX * PIXEL_MM}</y><z>{THICKNESS_MM}</z></fieldOfView_mm>
    </encodedSpace>
    <reconSpace>
      <matrixSize><x>{MATRIX}</x><y>{MATRIX}</y><z>1</z></matrixSize>
      <fieldOfView_mm><x>{MATRIX * PIXEL_MM}</x><y>{MATRIX * PIXEL_MM}</y><z>{THICKNESS_MM}</z></fieldOfView_mm>
    </reconSpace>
    <encodingLimits>
      <kspace_encoding_step_1>
        <minimum>0</minimum><maximum>{SPOKES - 1}</maximum><center>0</center>
      </kspace_encoding_step_1>
    </encodingLimits>
    <trajectory>radial</trajectory>
  </encoding>
  <userParameters>
    <userParameterString>
      <name>origin</name>
      <value>Retrospective radial scan, not a radial measurement: measured 4-coil brain images of gpuNUFFT \
(github.com/andyschwarzl/gpuNUFFT, MIT licence), sampled by the exact Fourier transform, noise added</value>
    </userParameterString>
    <userParameterString>
      <name>trajectory_unit</name>
      <value>cycles/pixel</value>
    </userParameterString>
  </userParameters>
</ismrmrdHeader>
"""


def load_images(path):
    """[coil, y, x]: the file's rows are y (downwards: patient's posterior), its columns x; head upright."""
    images = scipy.io.loadmat(path)["img"].transpose(2, 0, 1).astype(np.complex128)
    if images.shape != (4, MATRIX, MATRIX):
        raise SystemExit(f"{path}: expected img of shape 256 x 256 x 4, got {images.shape} (as [coil, y, x])")
    return images / np.sqrt((np.abs(images) ** 2).sum(0)).max()


def spokes():
    """[spoke, sample, xy] in cycles per pixel, rounded to the file's float first so that samples and file agree."""
    radius = (np.arange(SAMPLES) - SAMPLES // 2) / SAMPLES
    angle = GOLDEN_ANGLE * np.arange(SPOKES)
    k = np.stack([np.outer(np.cos(angle), radius), np.outer(np.sin(angle), radius)], axis=-1)
    return k.astype(np.float32)


def transform(images, k):
    """Exact, unitary: y[spoke, coil, sample] = 1/N sum_yx image exp(-2 pi i (kx x + ky y)), x and y from -N/2."""
    r = np.arange(MATRIX) - MATRIX // 2
    result = np.empty((len(k), len(images), SAMPLES), np.complex128)
    for spoke, points in enumerate(k.astype(np.float64)):
        along_x = np.exp(-2j * np.pi * np.outer(r, points[:, 0]))
        along_y = np.exp(-2j * np.pi * np.outer(r, points[:, 1]))
        for coil, image in enumerate(images):
            result[spoke, coil] = ((image @ along_x) * along_y).sum(0) / MATRIX
    return result


def acquisition(counter, samples, points, flags, spoke=0):
    head = np.zeros((), HEADER)
    head["version"] = 1
    head["flags"] = flags
    head["scan_counter"] = counter
    head["available_channels"] = head["active_channels"] = samples.shape[0]
    head["number_of_samples"] = samples.shape[1]
    head["center_sample"] = samples.shape[1] // 2
    head["trajectory_dimensions"] = 0 if points is None else points.shape[1]
    head["sample_time_us"] = DWELL_US
    head["read_dir"] = 1, 0, 0  # x: towards the patient's left
    head["phase_dir"] = 0, 1, 0  # y: towards the posterior
    head["slice_dir"] = 0, 0, 1
    head["idx"]["kspace_encode_step_1"] = spoke
    trajectory = np.zeros(0, np.float32) if points is None else points.reshape(-1)
    return head, trajectory, np.ascontiguousarray(samples, np.complex64).view(np.float32).reshape(-1)


def write(path, acquisitions):
    records = np.zeros(len(acquisitions), ACQUISITION)
    for i, (head, trajectory, samples) in enumerate(acquisitions):
        records["head"][i] = head
        records["traj"][i] = trajectory
        records["data"][i] = samples
    with h5py.File(path, "w") as file:
        group = file.create_group("dataset")
        group.create_dataset("xml", data=[XML], dtype=h5py.string_dtype("ascii"), track_times=False)
        group.create_dataset("data", data=records, maxshape=(None,), chunks=(len(records),), track_times=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=pathlib.Path, help="img_brain_4ch.mat of gpuNUFFT")
    parser.add_argument("folder", type=pathlib.Path, help="where brain_radial_4ch.h5 and brain_truth.npy go")
    args = parser.parse_args()

    images = load_images(args.images)
    k = spokes()
    # RandomState's stream is frozen by numpy; Generator's may change between versions.
    random = np.random.RandomState(SEED)
    color = NOISE * np.linalg.cholesky(COVARIANCE)

    def noise(samples):
        white = (random.standard_normal((4, samples)) + 1j * random.standard_normal((4, samples))) / np.sqrt(2)
        return color @ white

    acquisitions = [acquisition(i, noise(NOISE_SAMPLES), None, FLAG_NOISE) for i in range(NOISE_ACQUISITIONS)]
    for spoke, samples in enumerate(transform(images, k)):
        flags = FLAG_FIRST_IN_SLICE if spoke == 0 else 0
        if spoke == SPOKES - 1:
            flags = FLAG_LAST_IN_SLICE | FLAG_LAST_IN_MEASUREMENT
        acquisitions.append(acquisition(len(acquisitions), samples + noise(SAMPLES), k[spoke], flags, spoke))

    write(args.folder / "brain_radial_4ch.h5", acquisitions)
    truth = np.sqrt((np.abs(images) ** 2).sum(0))
    np.save(args.folder / "brain_truth.npy", truth.astype(np.float32))


if __name__ == "__main__":
    main()
