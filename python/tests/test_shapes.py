"""Arrays as NumPy makes them: precisions, axes, and shapes in one order."""

import warnings

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative

POINTS = np.random.default_rng(3).uniform(-0.5, 0.5, (5 * 8, 2))


def test_wider_numbers_are_rounded_with_one_warning(rng):
    A = whorl.Nufft(POINTS, (6, 7), 3)
    x = complex_normal(rng, (3, 6, 7), "complex128")
    expected = A @ x.astype("complex64")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            rounded = A @ x
    np.testing.assert_array_equal(rounded, expected)
    assert len(caught) == 1 and caught[0].category is whorl.PrecisionWarning
    assert "x is rounded from complex128 to complex64" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        A @ expected_type(x)
        whorl.Nufft(POINTS, (6, 7), 3, dtype="complex128") @ x
        with pytest.raises(whorl.PrecisionWarning):
            A @ x
    # Data, maps and noise of a scan; complex numbers never become real.
    with pytest.warns(whorl.PrecisionWarning):
        scan = whorl.Scan(POINTS, (6, 7), complex_normal(rng, (3, 40), "complex128"), noise=np.ones((3, 5)) * 1j)
    assert scan.frames[0].data.dtype == np.complex64
    with pytest.raises(TypeError, match="weights has elements of type complex128"):
        whorl.Scan(POINTS, (6, 7), weights=np.ones(40) * 1j)
    with pytest.warns(whorl.PrecisionWarning):
        assert whorl.filters.gaussian(rng.normal(size=(8, 9)), 1.0).dtype == np.float32


def expected_type(x):
    return x.astype("complex64")


def test_image_shape_has_one_order(rng):
    scan = whorl.Scan(POINTS, (6, 7), complex_normal(rng, (2, 40)))
    assert scan.image_shape == (6, 7) == whorl.Nufft(POINTS, (6, 7)).domain[1:]
    assert whorl.recon(scan, method="gridding", density="none", prewhitening=False).images.shape == (1, 1, 6, 7)
    assert whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (12, 16)).shape == (12, 16)
    assert whorl.phantom.make_phantom_coils((12, 16), 3).maps().shape == (3, 12, 16)
    assert whorl.phantom.field_map(whorl.phantom.brain_phantom(), (12, 16)).shape == (12, 16)
    assert whorl.trajectory.cartesian_trajectory((12, 16)).samples == 192
    assert whorl.trajectory.cartesian_trajectory((12, 16)).readout_length == 16
    assert whorl.Scan(np.zeros((4, 3)), (2, 3, 4)).image_shape == (2, 3, 4)
    with pytest.raises(whorl.ShapeError, match=r"expected \(y, x\) or \(z, y, x\)"):
        whorl.Scan(POINTS, (6,))


def test_axes_in_front_are_a_batch(rng):
    A = whorl.Nufft(POINTS, (6, 7), 3, dtype="complex128", tolerance=1e-9)
    exact = exact_dft(POINTS, (6, 7))
    x = complex_normal(rng, (2, 4, 3, 6, 7), "complex128")
    y = A @ x
    assert y.shape == (2, 4, 3, 40)
    assert relative(y, x.reshape(2, 4, 3, 42) @ exact.T) < 1e-8
    assert relative(A.H @ y, (y @ exact.conj()).reshape(x.shape)) < 1e-8
    assert relative(A.apply_normal(x), A.H @ y) < 1e-8
    out = np.empty_like(y)
    assert A.forward(x, out) is out and relative(out, y) == 0
    with pytest.raises(whorl.ShapeError):
        A @ x[..., :6]


def test_samples_may_be_spokes(rng):
    A = whorl.Nufft(POINTS, (6, 7), 3)
    y = complex_normal(rng, (3, 40))
    np.testing.assert_array_equal(A.H @ y.reshape(3, 5, 8), A.H @ y)
    np.testing.assert_array_equal((A.H @ np.stack([y, 2 * y]).reshape(2, 3, 5, 8))[0], A.H @ y)
    one = whorl.Nufft(POINTS, (6, 7))
    np.testing.assert_array_equal(one.H @ y[0].reshape(5, 8), one.H @ y[:1])
    np.testing.assert_array_equal(one @ np.ones((6, 7), "complex64"), one @ np.ones((1, 6, 7), "complex64"))
    spokes = whorl.Scan(POINTS.reshape(5, 8, 2), (6, 7), y.reshape(3, 5, 8), noise=y.reshape(3, 5, 8))
    assert spokes.frames[0].trajectory.readout_length == 8
    np.testing.assert_array_equal(spokes.frames[0].data, y)
    np.testing.assert_array_equal(spokes.noise, y)
    frames = whorl.Scan(POINTS, (6, 7), np.stack([y, 2 * y]).reshape(2, 3, 5, 8))
    np.testing.assert_array_equal(frames.frames[1].data, 2 * y)


def test_maps_have_any_axes_of_one(rng):
    maps = complex_normal(rng, (3, 6, 7))
    A = whorl.Nufft(POINTS, (6, 7), 3)
    x = complex_normal(rng, (6, 7))
    for shape in ((3, 6, 7), (3, 1, 6, 7), (1, 3, 1, 6, 7), (1, 1, 3, 1, 6, 7)):
        np.testing.assert_array_equal(whorl.SenseNufft(A, maps.reshape(shape)) @ x, whorl.SenseNufft(A, maps) @ x)
        scan = whorl.Scan(POINTS, (6, 7), complex_normal(rng, (3, 40)), coil_maps=maps.reshape(shape))
        np.testing.assert_array_equal(scan.coil_maps, maps[:, None])
    with pytest.raises(whorl.ShapeError, match=r"maps has shape \[3, 7, 6\], expected \[3, 6, 7\]"):
        whorl.SenseNufft(A, maps.swapaxes(1, 2).copy())


def test_maps_of_a_call(rng):
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(30, 32), (16, 16))
    scan = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=3)
    maps = whorl.phantom.make_phantom_coils((16, 16), 3).maps()
    given = whorl.recon(scan, iterations=4, maps=maps, prewhitening=False)
    scan.coil_maps = maps
    np.testing.assert_array_equal(whorl.recon(scan, iterations=4, maps="file", prewhitening=False).images, given.images)
    np.testing.assert_array_equal(
        whorl.recon(scan, iterations=4, maps=maps[None, :, None], prewhitening=False).images, given.images
    )
    with pytest.raises(whorl.ShapeError, match=r"coil maps of shape \[2, 16, 16\], expected"):
        whorl.recon(scan, maps=maps[:2])


def test_a_path_is_a_scan(tmp_path):
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(30, 32), (16, 16))
    scan = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=3)
    path = tmp_path / "scan.h5"
    whorl.write_scan(scan, path)
    expected = whorl.recon(whorl.read_scan(path), iterations=3).images
    np.testing.assert_array_equal(whorl.recon(path, iterations=3).images, expected)
    np.testing.assert_array_equal(whorl.recon(str(path), iterations=3).images, expected)
    with pytest.raises(OSError):
        whorl.recon(tmp_path / "none.h5")
