"""Files in and out, and measures."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal


def test_arrays_of_numpy(tmp_path, rng):
    for dtype in ("float32", "float64", "complex64", "complex128"):
        values = complex_normal(rng, (3, 4, 5), "complex128")
        values = (values if dtype.startswith("complex") else values.real).astype(dtype)
        whorl.io.write_array(tmp_path / "a.npy", values)
        np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), values)
        assert np.load(tmp_path / "a.npy").dtype == values.dtype
        np.testing.assert_array_equal(whorl.io.read_array(tmp_path / "a.npy"), values)
    whorl.io.write_arrays(tmp_path / "b.npz", {"one": np.arange(5.0), "two": np.eye(3, dtype="float32")})
    with np.load(tmp_path / "b.npz") as file:
        np.testing.assert_array_equal(file["one"], np.arange(5.0))
    both = whorl.io.read_arrays(tmp_path / "b.npz")
    assert sorted(both) == ["one", "two"] and both["two"].dtype == np.float32
    np.testing.assert_array_equal(whorl.io.read_array(f"{tmp_path}/b.npz:two"), np.eye(3))
    with pytest.raises(whorl.ValueError, match="three"):
        whorl.io.read_array(f"{tmp_path}/b.npz:three")
    assert whorl.io.describe_file(tmp_path / "b.npz")["holds_arrays"]


def test_positions_of_nifti(tmp_path, rng):
    affine = np.array([[0, -2.0, 0, 5], [2, 0, 0, -3], [0, 0, 4, 1.5]])
    values = rng.normal(size=(4, 5, 6)).astype("float32")
    whorl.io.write_array(tmp_path / "a.nii.gz", values, affine)
    (found,) = whorl.io.read_named_arrays(tmp_path / "a.nii.gz")
    np.testing.assert_array_equal(found.values, values)
    # NIfTI stores the affine in float.
    np.testing.assert_allclose(found.affine, affine, atol=1e-6)


@pytest.mark.parametrize("name", ["scan.h5", "scan.npz", "scan.cfl"])
def test_scans(tmp_path, rng, name):
    data = complex_normal(rng, (3, 160))
    scan = whorl.Scan(whorl.trajectory.radial_trajectory(10, 16), (16, 16), data, noise=complex_normal(rng, (3, 50)))
    whorl.write_scan(scan, tmp_path / name)
    found = whorl.read_scan(tmp_path / name)
    np.testing.assert_array_equal(found.frames[0].data, data)
    np.testing.assert_array_equal(found.noise, scan.noise)
    np.testing.assert_allclose(found.frames[0].trajectory.points, scan.frames[0].trajectory.points, atol=1e-7)
    assert found.image_shape == (16, 16)


def test_images(tmp_path, rng):
    images = complex_normal(rng, (2, 1, 8, 9))
    assert whorl.write_image(tmp_path / "a.npy", images, complex=True) == [tmp_path / "a.npy"]
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), images)
    whorl.write_image(tmp_path / "b.png", images[0, 0])
    pixels, channels = whorl.io.read_picture(tmp_path / "b.png")
    assert pixels.dtype == np.uint8 and channels == "gray"
    with pytest.raises(ValueError, match="extension"):
        whorl.write_image(tmp_path / "a.xyz", images)


def test_conversion(tmp_path, rng):
    data, points = complex_normal(rng, (3, 160)), whorl.trajectory.radial_trajectory(10, 16).points
    np.save(tmp_path / "data.npy", data)
    np.save(tmp_path / "trajectory.npy", points)
    scan = whorl.io.convert_scan([tmp_path / "data.npy", tmp_path / "trajectory.npy"], (16, 16), readout_length=16)
    np.testing.assert_array_equal(scan.frames[0].data, data)
    assert scan.notes


def test_pictures(tmp_path, rng):
    rgb = rng.integers(0, 256, (7, 9, 3)).astype("uint8")
    whorl.io.write_picture(tmp_path / "a.png", rgb, "rgb")
    found, channels = whorl.io.read_picture(tmp_path / "a.png")
    assert channels == "rgb"
    np.testing.assert_array_equal(found, rgb)
    deep = rng.integers(0, 65536, (7, 9)).astype("uint16")
    whorl.io.write_picture(tmp_path / "b.pgm", deep)
    np.testing.assert_array_equal(whorl.io.read_picture(tmp_path / "b.pgm")[0], deep)


def test_measures_are_their_definitions(rng):
    truth = complex_normal(rng, (12, 13), "complex128")
    image = 1.5 * truth + 0.1 * complex_normal(rng, (12, 13), "complex128")
    mask = rng.uniform(size=(12, 13)) > 0.3
    errors = whorl.measure.error_measures(image, truth, mask)
    difference = abs(image - truth)[mask] ** 2
    np.testing.assert_allclose(errors.mse, difference.mean(), rtol=1e-12)
    np.testing.assert_allclose(errors.percent_error, 100 * np.sqrt(difference.sum() / (abs(truth[mask]) ** 2).sum()))
    np.testing.assert_allclose(errors.psnr_db, 10 * np.log10(abs(truth[mask]).max() ** 2 / difference.mean()))
    scaled = whorl.scaled_error(image, truth)
    np.testing.assert_allclose(scaled.scale, np.vdot(image, truth) / np.vdot(image, image))
    assert whorl.measure.ssim(truth.real, truth.real) == pytest.approx(1)
    assert whorl.measure.ssim(image.real, truth.real, range=4.0) < 1
    # One image in float, one in double: both in double.
    assert whorl.measure.error_measures(truth.real.astype("float32"), truth.real).mse > 0
