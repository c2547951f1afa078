"""Operators against matrices that NumPy makes of their definitions, and the algebra of operators."""

import copy
import pickle

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative

# (image shape, samples)
CASES = [((7, 10), 120), ((4, 5, 6), 150)]


def matrix_of(A):
    """An operator as a matrix, column by column."""
    size = int(np.prod(A.domain))
    columns = [np.ravel(A @ unit.reshape(A.domain)) for unit in np.eye(size).astype(A.dtype)]
    return np.stack(columns, 1)


@pytest.mark.parametrize("shape, samples", CASES)
def test_nufft_is_the_exact_transform_to_its_tolerance(rng, shape, samples):
    points = rng.uniform(-0.5, 0.5, (samples, len(shape)))
    matrix = exact_dft(points, shape)
    x = complex_normal(rng, (2, *shape), "complex128")
    y = complex_normal(rng, (2, samples), "complex128")
    # The tolerance bounds the error of each row; images of random phases keep to it on the mean. 3: a margin for few samples.
    for dtype, tolerance in (("complex64", 1e-4), ("complex128", 1e-9)):
        A = whorl.Nufft(points, shape, 2, dtype=dtype, tolerance=tolerance)
        assert A.domain == (2, *shape) and A.range == (2, samples)
        assert relative(A @ x.astype(dtype), x.reshape(2, -1) @ matrix.T) < 3 * tolerance
        assert relative((A.H @ y.astype(dtype)).reshape(2, -1), y @ matrix.conj()) < 3 * tolerance
    D = whorl.operators.Dft(points, shape, 2, dtype="complex128")
    # Sums in double of a few hundred terms.
    assert relative(D @ x, x.reshape(2, -1) @ matrix.T) < 1e-13
    many = A.with_coils(5)
    assert many.domain == (5, *shape)


def test_options_are_those_of_the_table():
    points = whorl.trajectory.random_trajectory(50)
    wide = whorl.Nufft(points, (16, 16), tolerance=1e-4, oversampling=1.25)
    narrow = whorl.Nufft(points, (16, 16), tolerance=1e-2, oversampling=2)
    assert wide.window_width > narrow.window_width
    assert narrow.grid == (32, 32)
    with pytest.raises(ValueError, match="nufft: tolerance is 2, expected a number, above 0, below 1"):
        whorl.Nufft(points, (16, 16), tolerance=2)
    with pytest.raises(ValueError, match="window is 'hann'"):
        whorl.Nufft(points, (16, 16), window="hann")
    with pytest.raises(TypeError, match="tolerence.*tolerance, accuracy"):
        whorl.Nufft(points, (16, 16), tolerence=0.1)
    assert whorl.Nufft(points, (16, 16), oversampling="automatic", tolerance=None).domain == (1, 16, 16)


def test_sense_and_sense_nufft(rng):
    shape, points = (6, 9), rng.uniform(-0.5, 0.5, (80, 2))
    maps = complex_normal(rng, (3, *shape))
    F = whorl.Nufft(points, shape, 3, tolerance=1e-5)
    A = F @ whorl.operators.Sense(maps)
    B = whorl.SenseNufft(F, maps)
    expected = np.concatenate([exact_dft(points, shape) * m.ravel() for m in maps])
    for op in (A, B):
        assert op.domain == shape and op.range == (3, 80)
        # Entries of a matrix have errors up to several times the root mean square that the tolerance bounds.
        assert relative(matrix_of(op), expected) < 1e-4
        assert relative(matrix_of(op.H), expected.conj().T) < 1e-4


def test_position_dft(rng):
    k, r = rng.uniform(-1, 1, (30, 3)), rng.uniform(-5, 5, (20, 3))
    x = complex_normal(rng, (2, 20), "complex128")
    y = whorl.operators.PositionDft(k, r, 2, dtype="complex128") @ x
    assert relative(y, x @ np.exp(-2j * np.pi * (r @ k.T))) < 1e-12


def test_gridding_is_its_window(rng):
    # At a sample on a grid point the window is 1 there.
    A = whorl.operators.Gridding(np.array([[2 / 8, -3 / 10]]), (10, 8), 4, 2.0, dtype="complex128")
    x = np.zeros((1, 10, 8), "complex128")
    x[0, 7, 2] = 1
    np.testing.assert_allclose(A @ x, 1, rtol=1e-12)


def test_weighted_differences(rng):
    x = complex_normal(rng, (5, 7))
    y = whorl.operators.WeightedDifferences((5, 7)) @ x
    expected = np.zeros((2, 5, 7), "complex64")
    expected[0, :-1] = np.diff(x, axis=0) / (2 * np.sqrt(2))
    expected[1, :, :-1] = np.diff(x, axis=1) / (2 * np.sqrt(2))
    np.testing.assert_allclose(y, expected, atol=1e-6)
    weights = rng.uniform(0, 1, (2, 5, 7)).astype("float32")
    np.testing.assert_allclose(whorl.operators.WeightedDifferences((5, 7), weights) @ x, expected * weights, atol=1e-6)
    with pytest.raises(ValueError):
        whorl.operators.WeightedDifferences((5, 7), 2 * weights + 1)


def test_signal_evolution_is_the_sum_of_its_definition(rng):
    shape, samples = (6, 8), 90
    points = rng.uniform(-0.5, 0.5, (samples, 2))
    times = np.linspace(0, 0.02, samples)
    r2, field = rng.uniform(0, 30, shape), rng.uniform(-40, 40, shape)
    E = whorl.operators.SignalEvolution(
        whorl.operators.Dft(points, shape, dtype="complex128"), times, r2_star=r2, field_hz=field, tolerance=1e-6
    )
    matrix = exact_dft(points, shape) * np.exp(-np.outer(times, (r2 + 2j * np.pi * field).ravel()))
    # Maps are in float: 2 pi f t has an error of 1e-7 of 5 radians.
    assert relative(matrix_of(E), matrix) < 1e-5


def test_algebra(rng):
    points = rng.uniform(-0.5, 0.5, (60, 2))
    A = whorl.operators.Dft(points, (5, 6), dtype="complex128")
    B = whorl.operators.Dft(rng.uniform(-0.5, 0.5, (60, 2)), (5, 6), dtype="complex128")
    a, b = matrix_of(A), matrix_of(B)
    z = 2 - 3j
    for op, matrix in [
        (A + B, a + b),
        (A - B, a - b),
        (-A, -a),
        (z * A, z * a),
        (A * z, z * a),
        (np.float32(2) * A, 2 * a),
        (A / z, a / z),
        (A.H, a.conj().T),
        (A.H.H, a),
        (A.normal, a.conj().T @ a),
        (A.H @ B, a.conj().T @ b),
        (whorl.operators.stack(A, B, A), np.concatenate([a, b, a])),
        (whorl.operators.block_diagonal(A, 2), np.kron(np.eye(2), a)),
    ]:
        assert relative(matrix_of(op), matrix) < 1e-12
    x = complex_normal(rng, (1, 5, 6), "complex128")
    assert relative(A.apply_normal(x), (a.conj().T @ a @ x.ravel()).reshape(x.shape)) < 1e-12
    np.testing.assert_array_equal(A(x), A.forward(x))


def test_what_does_not_fit_is_refused():
    A = whorl.Nufft(whorl.trajectory.random_trajectory(20), (4, 5))
    with pytest.raises(whorl.ShapeError, match=r"x has shape \[5, 4\], expected \[1, 4, 5\]"):
        A @ np.zeros((5, 4), "complex64")
    with pytest.raises(whorl.ShapeError):
        A @ A
    with pytest.raises(whorl.ValueError, match="precision"):
        A + whorl.Nufft(whorl.trajectory.random_trajectory(20), (4, 5), dtype="complex128")
    with pytest.raises(whorl.ShapeError):
        whorl.operators.stack()
    with pytest.raises(whorl.ValueError, match="0.5"):
        whorl.Nufft([[0.7, 0.0]], (4, 5))


def test_operators_of_functions(rng):
    matrix = complex_normal(rng, (6, 4), "complex128")
    calls = []

    def forward(x):
        calls.append(x)
        return matrix @ x

    A = whorl.function_operator((4,), (6,), forward, lambda y: matrix.conj().T @ y, dtype="complex128", name="mine")
    x = complex_normal(rng, (4,), "complex128")
    np.testing.assert_allclose(A @ x, matrix @ x)
    np.testing.assert_allclose(A.normal @ x, matrix.conj().T @ (matrix @ x))
    assert "mine" in repr(A)
    # The function may keep what it gets.
    np.testing.assert_array_equal(calls[0], x)
    wrong = whorl.function_operator((4,), (6,), lambda x: x, lambda y: y, dtype="complex128")
    with pytest.raises(whorl.ShapeError, match=r"\[4\], expected \[6\]"):
        wrong @ x

    def fail(x):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        whorl.function_operator((4,), (4,), fail, fail) @ x.astype("complex64")


def test_copies_of_what_does_not_change_are_itself(rng):
    A = whorl.Nufft(rng.uniform(-0.5, 0.5, (20, 2)), (5, 6))
    others = [whorl.trajectory.radial_trajectory(4, 8), whorl.Context(), whorl.devices.CancelToken(), whorl.prox.L1((5, 6))]
    for one in [A, A.normal, 2 * A, *others, whorl.phantom.brain_phantom()]:
        assert copy.copy(one) is one and copy.deepcopy([one])[0] is one


def test_copies_of_a_scan_have_their_own_samples(rng):
    data = complex_normal(rng, (2, 32), "complex64")
    maps = complex_normal(rng, (2, 8, 8), "complex64")
    scan = whorl.Scan(whorl.trajectory.radial_trajectory(4, 8), (8, 8), data, noise=data, coil_maps=maps)
    for made in [copy.copy(scan), copy.deepcopy([scan])[0]]:
        before = made.frames[0].data.copy()
        scan.frames[0].data[:] += 1
        scan.coil_maps = None
        np.testing.assert_array_equal(made.frames[0].data, before)
        np.testing.assert_array_equal(made.frames[0].trajectory.points, scan.frames[0].trajectory.points)
        assert made.noise.shape == (2, 32) and made.coil_maps.shape == (2, 1, 8, 8)


def test_pickles(rng):
    trajectory = whorl.trajectory.radial_trajectory(4, 8)
    again = pickle.loads(pickle.dumps(trajectory))
    np.testing.assert_array_equal(again.points, trajectory.points)
    assert again.readout_length == trajectory.readout_length == 8
    A = whorl.Nufft(trajectory, (5, 6))
    for one in [A, A.H, whorl.Context(), whorl.prox.L1((5, 6))]:
        with pytest.raises(TypeError, match=rf"^a whorl\.{type(one).__name__} cannot be pickled; [^\n]+$"):
            pickle.dumps(one)


def test_wrong_calls_are_one_line(rng):
    points = rng.uniform(-0.5, 0.5, (20, 2))
    A = whorl.Nufft(points, (5, 6))
    x = np.zeros((1, 5, 6), "complex64")
    for call, kind, text in [
        (lambda: A @ None, TypeError, "x is a <class 'NoneType'>"),
        (lambda: A @ x.astype(">c8"), TypeError, "of >c8, expected .* this machine's byte order"),
        (lambda: A * x, TypeError, "operand 'Nufft'"),
        (lambda: A + 1, TypeError, "unsupported operand"),
        (lambda: whorl.operators.stack(A, 1), TypeError, "expected operators"),
        (lambda: whorl.recon("scan.h5"), OSError, "scan.h5"),
        (lambda: whorl.recon(3), TypeError, "scan has to be a whorl.Scan or the path"),
        # 1e12 pixels, at least 1.25^2 points of the grid for each.
        (lambda: whorl.Nufft(points, (10**6, 10**6)), whorl.Error, r"needs a grid of 1.25e\+04 GB"),
    ]:
        with pytest.raises(kind, match=text) as raised:
            call()
        assert "\n" not in str(raised.value)
