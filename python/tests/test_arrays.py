"""Arrays in and out: what is shared, what is copied, what is refused."""

import array
import gc
import weakref

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


@pytest.fixture
def operator():
    return whorl.Nufft(whorl.trajectory.random_trajectory(40), (6, 7))


def test_a_scan_shares_the_callers_data(rng):
    data = complex_normal(rng, (2, 3, 40))
    scan = whorl.Scan(whorl.trajectory.random_trajectory(40), (6, 7), data)
    assert [np.shares_memory(frame.data, data) for frame in scan.frames] == [True, True]
    for i, frame in enumerate(scan.frames):
        np.testing.assert_array_equal(frame.data, data[i])
    # Views keep the scan alive, and the scan the array.
    view = scan.frames[1].data
    expected = data[1].copy()
    del scan, frame, data
    gc.collect()
    np.testing.assert_array_equal(view, expected)


def test_an_operator_keeps_its_maps_alive(rng):
    maps = complex_normal(rng, (3, 6, 7))
    expected = maps.copy()
    S = whorl.operators.Sense(maps)
    alive = weakref.ref(maps)
    del maps
    gc.collect()
    assert alive() is not None
    np.testing.assert_allclose(S @ np.ones((6, 7), "complex64"), expected)
    del S
    gc.collect()
    assert alive() is None


def test_a_trajectory_shares_doubles_and_converts_floats():
    points = np.zeros((5, 2))
    trajectory = whorl.Trajectory(points)
    assert np.shares_memory(trajectory.points, points)
    assert not trajectory.points.flags.writeable
    assert whorl.Trajectory(points.astype("float32")).points.dtype == np.float64
    assert whorl.Trajectory([[0.1, 0.2], [0.3, -0.4]]).points.tolist() == [[0.1, 0.2], [0.3, -0.4]]


def test_results_can_be_written_into_an_array(operator, rng):
    x = complex_normal(rng, (1, 6, 7))
    out = np.empty((1, 40), "complex64")
    assert operator.forward(x, out) is out
    np.testing.assert_array_equal(out, operator @ x)
    with pytest.raises(whorl.ShapeError, match=r"out has shape \[1, 39\], expected \[1, 40\]"):
        operator.forward(x, np.empty((1, 39), "complex64"))
    with pytest.raises(TypeError, match="complex128"):
        operator.forward(x, np.empty((1, 40), "complex128"))
    with pytest.raises(ValueError, match="C order"):
        operator.forward(x, np.empty((1, 80), "complex64")[:, ::2])
    frozen = np.empty((1, 40), "complex64")
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="written"):
        operator.forward(x, frozen)


@pytest.mark.parametrize("change", [np.asfortranarray, lambda a: a[..., ::-1][..., ::-1], lambda a: np.repeat(a, 2, 1)[:, ::2]])
def test_any_memory_order_is_read(operator, rng, change):
    x = complex_normal(rng, (1, 6, 7))
    np.testing.assert_array_equal(operator @ change(x), operator @ x)


def test_any_type_of_number_is_taken(operator, rng):
    image = rng.integers(0, 100, (1, 6, 7))
    expected = operator @ image.astype("complex64")
    for dtype in ("uint8", "int16", "float16", "float32", "int64", "bool"):
        wanted = expected if dtype != "bool" else operator @ image.astype("bool").astype("complex64")
        np.testing.assert_array_equal(operator @ image.astype(dtype), wanted)
    for dtype in ("float64", "complex128"):
        with pytest.warns(whorl.PrecisionWarning, match=dtype):
            np.testing.assert_array_equal(operator @ image.astype(dtype), expected)
    double = whorl.Nufft(whorl.trajectory.random_trajectory(40), (6, 7), dtype="complex128")
    assert (double @ image.astype("complex64")).dtype == np.complex128
    assert whorl.Nufft(whorl.trajectory.random_trajectory(40), (6, 7), dtype=np.complex128).dtype == np.complex128
    with pytest.raises(ValueError, match="int32"):
        whorl.Nufft(whorl.trajectory.random_trajectory(40), (6, 7), dtype="int32")


def test_what_is_no_array_is_refused(operator):
    with pytest.raises(TypeError, match="x"):
        operator @ object()
    with pytest.raises(TypeError, match="x"):
        operator @ "image"


def test_buffers_are_arrays(rng):
    values = rng.normal(size=(121,)).astype("float32")
    image = memoryview(array.array("f", values)).cast("B").cast("f", (11, 11))
    assert whorl.measure.error_measures(image, values.reshape(11, 11)).mse == 0


def test_dlpack_objects_are_arrays(operator, rng):
    x = complex_normal(rng, (1, 6, 7))

    class Foreign:
        def __dlpack__(self, **options):
            return x.__dlpack__(**options)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    np.testing.assert_array_equal(operator @ Foreign(), operator @ x)


def test_read_only_arrays_are_read(operator, rng):
    x = complex_normal(rng, (1, 6, 7))
    expected = operator @ x
    x.flags.writeable = False
    np.testing.assert_array_equal(operator @ x, expected)


def test_arrays_without_elements():
    A = whorl.operators.PositionDft(np.zeros((0, 2)), np.ones((3, 2)))
    assert (A @ np.ones((1, 3), "complex64")).shape == (1, 0)
    np.testing.assert_array_equal(A.H @ np.ones((1, 0), "complex64"), np.zeros((1, 3)))


def test_jax_arrays_give_jax_arrays(operator, rng):
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(complex_normal(rng, (1, 6, 7)))
    y = operator @ x
    assert isinstance(y, jax.Array)
    assert relative(y, operator @ np.asarray(x)) == 0


def test_memory_of_other_frameworks_is_shared(rng):
    trajectory, data = whorl.trajectory.random_trajectory(40), complex_normal(rng, (3, 40))
    where = lambda scan: scan.frames[0].data.ctypes.data
    buffer = bytearray(data.tobytes())
    values = np.frombuffer(buffer, "complex64").reshape(3, 40)
    assert where(whorl.Scan(trajectory, (6, 7), memoryview(values))) == values.ctypes.data
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(data.copy())
    scan = whorl.Scan(trajectory, (6, 7), tensor)
    assert where(scan) == tensor.data_ptr()
    tensor *= 2
    np.testing.assert_array_equal(scan.frames[0].data, 2 * data)
    jax = pytest.importorskip("jax")
    array = jax.numpy.asarray(data.copy())
    assert where(whorl.Scan(trajectory, (6, 7), array)) == array.unsafe_buffer_pointer()


def test_torch_tensors_give_torch_tensors(operator, rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(complex_normal(rng, (1, 6, 7)))
    y = operator @ x
    assert isinstance(y, torch.Tensor)
    assert relative(y, operator @ x.numpy()) == 0
    # The result is a tensor's own memory: it outlives all else.
    y += 1


def test_extents_are_whole_numbers():
    for wrong in ((16.5, 16), (16.0, 16), "16"):
        with pytest.raises(TypeError, match="image_shape is .* whole numbers"):
            whorl.Nufft(whorl.trajectory.random_trajectory(9), wrong)
    assert whorl.Nufft(whorl.trajectory.random_trajectory(9), np.array([6, 7])).domain == (1, 6, 7)


def test_gradients_are_not_lost(operator, rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(complex_normal(rng, (1, 6, 7))).requires_grad_()
    with pytest.raises(TypeError, match="whorl.torch"):
        operator @ x
    with torch.no_grad():
        np.testing.assert_array_equal(operator @ x, operator @ x.detach())
