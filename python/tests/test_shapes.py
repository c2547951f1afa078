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
    assert len(caught) == 1 and caught[0].category is whorl.PrecisionWarning and caught[0].filename == __file__
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
    # The line is the one that the user wrote.
    with pytest.warns(whorl.PrecisionWarning) as caught:
        whorl.least_squares(whorl.Nufft(POINTS, (6, 7)), np.ones((1, 40)), iterations=1)
    assert caught[0].filename == __file__


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


def test_axis_of_one_coil_may_be_left_out_of_a_batch(rng):
    A = whorl.Nufft(POINTS, (6, 7), dtype="complex128", tolerance=1e-9)
    x = complex_normal(rng, (5, 6, 7), "complex128")
    y = A @ x[:, None]
    assert y.shape == (5, 1, 40)
    np.testing.assert_array_equal(A @ x, y)
    np.testing.assert_array_equal(A @ np.stack([x, x]), np.stack([y, y]))
    np.testing.assert_array_equal(A.H @ y[:, 0], A.H @ y)
    np.testing.assert_array_equal(A.H @ y.reshape(5, 5, 8), A.H @ y)
    # An axis of length 1 that is all there is stands for itself.
    with pytest.raises(whorl.ShapeError):
        whorl.operators.PositionDft(np.zeros((3, 2)), np.ones((1, 2))) @ np.ones(5, "complex64")


@pytest.mark.parametrize("solve", ["least_squares", "lsqr", "conjugate_gradient", "fista"])
def test_solvers_take_shapes_as_operators_do(rng, solve):
    A = whorl.Nufft(POINTS, (6, 7))
    y = complex_normal(rng, (1, 40))
    x0 = complex_normal(rng, (1, 6, 7))
    solve = {
        "least_squares": lambda y, x0: whorl.least_squares(A, y, x0=x0, lambda_=1e-2),
        "lsqr": lambda y, x0: whorl.solvers.lsqr(A, y, iterations=5),
        "conjugate_gradient": lambda y, x0: whorl.conjugate_gradient(A.normal, (A.H @ y).reshape(x0.shape), x0=x0, iterations=5),
        "fista": lambda y, x0: whorl.fista(A.normal, (A.H @ y).reshape(x0.shape), (whorl.prox.L1((1, 6, 7)), 0.1), x0=x0, iterations=5),
    }[solve]
    expected, _ = solve(y, x0)
    assert expected.shape == (1, 6, 7)
    np.testing.assert_array_equal(solve(y.reshape(5, 8), x0[0])[0], expected)


def test_a_start_of_another_shape_is_named(rng):
    A = whorl.Nufft(POINTS, (6, 7))
    with pytest.raises(whorl.ShapeError, match=r"x0 has shape \[1, 7, 6\], expected \[1, 6, 7\]"):
        whorl.least_squares(A, complex_normal(rng, (1, 40)), x0=complex_normal(rng, (1, 7, 6)))


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


def test_a_scan_of_one_coil_needs_no_axis_of_coils(rng):
    spokes = whorl.Trajectory(POINTS, readout_length=8)
    y = complex_normal(rng, (40,))
    for data in (y, y.reshape(5, 8), y.reshape(1, 5, 8), y[None]):
        scan = whorl.Scan(spokes, (6, 7), data, noise=y[:30], weights=np.ones((5, 8)))
        assert scan.coils == 1 and scan.frames[0].weights.shape == (40,)
        np.testing.assert_array_equal(scan.frames[0].data[0], y)
        np.testing.assert_array_equal(scan.noise[0], y[:30])
    # Two coils of 20 samples are no readouts.
    with pytest.raises(whorl.ShapeError, match="data has 20 samples, the trajectory 40"):
        whorl.Scan(POINTS, (6, 7), y.reshape(2, 20))


def test_readouts_in_another_order_are_refused(rng):
    spokes = whorl.Trajectory(POINTS, readout_length=8)
    for wrong in (complex_normal(rng, (3, 8, 5)), complex_normal(rng, (8, 5)), complex_normal(rng, (2, 3, 8, 5))):
        with pytest.raises(whorl.ShapeError, match="readouts of 5 samples, the trajectory has readouts of 8"):
            whorl.Scan(spokes, (6, 7), wrong)
    with pytest.raises(whorl.ShapeError, match="weights has shape .* readouts of 5 samples"):
        whorl.Scan(spokes, (6, 7), weights=np.ones((8, 5)))
    scan = whorl.Scan(spokes, (6, 7), complex_normal(rng, (3, 5, 8)))
    with pytest.raises(whorl.ShapeError, match="readouts of 5 samples"):
        scan.replace(data=complex_normal(rng, (3, 8, 5)))


def test_shifts_of_planes_need_no_z(rng):
    scan = whorl.Scan(POINTS, (6, 7), complex_normal(rng, (2, 40)))
    for shift in (whorl.correct.shift_field_of_view, whorl.correct.shift_k_space):
        for two in ((0.5, -0.25), np.array([0.5, -0.25], "float32"), [0.5, -0.25]):
            for frame, expected in zip(shift(scan, two).frames, shift(scan, (0.5, -0.25, 0)).frames):
                np.testing.assert_array_equal(frame.data, expected.data)
                np.testing.assert_array_equal(frame.trajectory.points, expected.trajectory.points)
        with pytest.raises(whorl.ShapeError, match="has 1 numbers, expected x, y"):
            shift(scan, [0.5])


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
