"""Arrays of CuPy and PyTorch on a GPU. Skipped, aloud, where there is no GPU or neither package."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


def has_gpu():
    try:
        whorl.devices.describe_device("cuda")
    except whorl.Error:
        return False
    return True


if not has_gpu():
    pytest.skip("whorl finds no GPU", allow_module_level=True)


def cupy_arrays():
    cupy = pytest.importorskip("cupy")
    return cupy.asarray, cupy.asnumpy, cupy.ndarray


def torch_arrays():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU")
    return lambda a: torch.from_numpy(a).cuda(), lambda t: t.cpu().numpy(), torch.Tensor


FRAMEWORKS = [cupy_arrays, torch_arrays]


@pytest.fixture(params=FRAMEWORKS, ids=["cupy", "torch"])
def arrays(request):
    return request.param()


def test_operators(arrays, rng):
    to_gpu, to_host, kind = arrays
    points, x = rng.uniform(-0.5, 0.5, (500, 2)), complex_normal(rng, (3, 20, 22))
    A = whorl.Nufft(to_gpu(points), (20, 22), 3, tolerance=1e-5)
    assert A.context.device == "cuda:0"
    exact = whorl.operators.Dft(points, (20, 22), 3)
    y = A @ to_gpu(x)
    assert isinstance(y, kind)
    # Tolerance 1e-5, and a margin of three for few samples.
    assert relative(to_host(y), exact @ x) < 3e-5
    assert relative(to_host(A.H @ y), exact.H @ to_host(y)) < 3e-5
    out = to_gpu(np.zeros_like(x))
    assert A.adjoint(y, out) is out
    np.testing.assert_array_equal(to_host(out), to_host(A.H @ y))


def test_results_wait_for_the_callers_work_and_the_other_way_round(arrays, rng):
    to_gpu, to_host, _ = arrays
    A = whorl.Nufft(whorl.trajectory.random_trajectory(4000), (128, 128), 8, context="cuda")
    x = complex_normal(rng, (8, 128, 128))
    expected = to_host(A @ to_gpu(x))
    for _ in range(20):
        # Work that is queued before and after the call, without waiting, in memory that is used again.
        scaled = to_gpu(x) * 2
        y = (A @ scaled) * 0.5
        np.testing.assert_allclose(to_host(y), expected, rtol=1e-5, atol=1e-5 * abs(expected).max())
        del scaled, y


def test_streams_of_the_caller(rng):
    torch = pytest.importorskip("torch")
    x = complex_normal(rng, (8, 128, 128))
    points = whorl.trajectory.random_trajectory(4000)
    expected = (whorl.Nufft(points, (128, 128), 8, context="cuda") @ torch.from_numpy(x).cuda()).cpu().numpy()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        context = whorl.Context("cuda", stream=stream.cuda_stream)
        assert context.stream == stream.cuda_stream
        A = whorl.Nufft(points, (128, 128), 8, context=context)
        for _ in range(20):
            y = (A @ (torch.from_numpy(x).cuda() * 2)) * 0.5
            np.testing.assert_allclose(y.cpu().numpy(), expected, rtol=1e-5, atol=1e-5 * abs(expected).max())
    # From another stream the call waits for that, and for its own work.
    y = (A @ (torch.from_numpy(x).cuda() * 2)) * 0.5
    np.testing.assert_allclose(y.cpu().numpy(), expected, rtol=1e-5, atol=1e-5 * abs(expected).max())


def test_streams_of_cupy(rng):
    cupy = pytest.importorskip("cupy")
    x = complex_normal(rng, (8, 128, 128))
    points = whorl.trajectory.random_trajectory(4000)
    expected = (whorl.Nufft(points, (128, 128), 8, context="cuda") @ cupy.asarray(x)).get()
    stream = cupy.cuda.Stream(non_blocking=True)
    A = whorl.Nufft(points, (128, 128), 8, context=whorl.Context("cuda", stream=stream.ptr))
    with stream:
        for _ in range(20):
            y = (A @ (cupy.asarray(x) * 2)) * 0.5
            np.testing.assert_allclose(y.get(), expected, rtol=1e-5, atol=1e-5 * abs(expected).max())
    # From another stream the call waits for that, and for its own work.
    y = (A @ (cupy.asarray(x) * 2)) * 0.5
    np.testing.assert_allclose(y.get(), expected, rtol=1e-5, atol=1e-5 * abs(expected).max())
    del stream  # before what was made with it: nothing is left to be done


def test_arrays_of_cupy_are_read_as_they_lie(rng):
    cupy = pytest.importorskip("cupy")
    A = whorl.Nufft(whorl.trajectory.random_trajectory(300), (16, 18), 2, context="cuda")
    x = complex_normal(rng, (2, 16, 18))
    expected = (A @ cupy.asarray(x)).get()
    wide = cupy.zeros((2, 16, 40), "complex64")
    wide[:, :, 3:39:2] = cupy.asarray(x)
    turned = cupy.asarray(np.ascontiguousarray(x.transpose(2, 1, 0))).transpose(2, 1, 0)
    for same in (wide[:, :, 3:39:2], turned, cupy.asarray(np.asfortranarray(x))):
        np.testing.assert_array_equal((A @ same).get(), expected)
    real = rng.integers(-9, 9, (2, 16, 18))
    as_complex = (A @ cupy.asarray(real, dtype="complex64")).get()
    for dtype in ("float32", "float16", "int8"):
        np.testing.assert_array_equal((A @ cupy.asarray(real, dtype=dtype)).get(), as_complex)
    with pytest.raises(TypeError, match="complex128"):
        A @ cupy.asarray(x, dtype="complex128")
    with pytest.raises(whorl.ShapeError):
        A @ cupy.asarray(x[:, :, 1:])
    with pytest.raises(whorl.ValueError, match="C order"):
        A.adjoint(cupy.asarray(expected), out=wide[:, :, 3:39:2])


def test_threads_take_turns(arrays, rng):
    import threading

    to_gpu, to_host, _ = arrays
    A = whorl.Nufft(whorl.trajectory.random_trajectory(2000), (64, 64), 2, context="cuda")
    images = [complex_normal(rng, (2, 64, 64)) for _ in range(6)]
    expected = [to_host(A @ to_gpu(image)) for image in images]
    found = [None] * len(images)

    def work(i):
        for _ in range(10):
            found[i] = to_host(A @ to_gpu(images[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(images))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, found):
        np.testing.assert_array_equal(one, other)


def test_memory_is_shared(arrays, rng):
    to_gpu, to_host, _ = arrays
    maps = to_gpu(complex_normal(rng, (3, 20, 22)))
    S = whorl.operators.Sense(maps)
    before = S @ to_gpu(np.ones((20, 22), "complex64"))
    maps *= 2
    np.testing.assert_allclose(to_host(S @ to_gpu(np.ones((20, 22), "complex64"))), 2 * to_host(before))


def test_a_host_array_is_refused(arrays):
    to_gpu, _, _ = arrays
    A = whorl.Nufft(to_gpu(np.zeros((5, 2))), (8, 8))
    with pytest.raises(whorl.DeviceError):
        A @ np.zeros((1, 8, 8), "complex64")


def test_solvers_and_filters(arrays, rng):
    to_gpu, to_host, kind = arrays
    A = whorl.Nufft(whorl.trajectory.random_trajectory(2000), (16, 18), context="cuda")
    d = to_gpu(complex_normal(rng, (1, 2000)))
    x, report = whorl.conjugate_gradient(A.normal, A.H @ d, iterations=5)
    assert isinstance(x, kind) and report.iterations == 5
    image = rng.normal(size=(20, 24)).astype("float32")
    found = whorl.filters.gaussian(to_gpu(image), 1.4)
    assert isinstance(found, kind)
    # Filters of all devices agree to 1e-6 of the largest value.
    np.testing.assert_allclose(to_host(found), whorl.filters.gaussian(image, 1.4), atol=2e-6 * abs(image).max())
    images = to_gpu(complex_normal(rng, (4, 16, 18)))
    assert isinstance(whorl.coils.root_sum_of_squares(images), kind)


def test_finufft_takes_the_place_of_cufinufft(arrays, rng):
    import whorl.finufft as cufinufft

    to_gpu, to_host, kind = arrays
    x, y = rng.uniform(-np.pi, np.pi, (2, 300))
    c = complex_normal(rng, (300,), "complex128")
    for modeord in (0, 1):
        found = cufinufft.nufft2d1(to_gpu(x), to_gpu(y), to_gpu(c), (20, 22), eps=1e-9, modeord=modeord)
        assert isinstance(found, kind)
        assert relative(to_host(found), cufinufft.nufft2d1(x, y, c, (20, 22), eps=1e-9, modeord=modeord)) < 3e-9


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_all_types_of_finufft(arrays, rng, dim):
    import whorl.finufft as cufinufft

    to_gpu, to_host, kind = arrays
    modes = (41, 12, 9)[:dim]
    x, s = rng.uniform(-np.pi, np.pi, (dim, 300)), rng.uniform(-9, 4, (dim, 200))
    c, f = complex_normal(rng, (2, 300), "complex128"), complex_normal(rng, (2, *modes), "complex128")
    type1, type2, type3 = (getattr(cufinufft, f"nufft{dim}d{number}") for number in (1, 2, 3))
    gpu_x, gpu_s = [to_gpu(a) for a in x], [to_gpu(a) for a in s]
    # Both sides have an error of 1e-9; 3: a margin for few samples.
    for found, expected in (
        (type1(*gpu_x, to_gpu(c), modes, eps=1e-9), type1(*x, c, modes, eps=1e-9)),
        (type2(*gpu_x, to_gpu(f), eps=1e-9), type2(*x, f, eps=1e-9)),
        (type3(*gpu_x, to_gpu(c), *gpu_s, eps=1e-9), type3(*x, c, *s, eps=1e-9)),
    ):
        assert isinstance(found, kind) and relative(to_host(found), expected) < 6e-9


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_spreading_alone(arrays, rng, dim):
    import whorl.finufft as cufinufft

    to_gpu, to_host, kind = arrays
    n = (41, 26, 19)[:dim]
    x = rng.uniform(-np.pi, np.pi, (dim, 300))
    gpu_x = [to_gpu(a) for a in x]
    c, f = complex_normal(rng, (2, 300)), complex_normal(rng, (2, *n))
    type1, type2 = (getattr(cufinufft, f"nufft{dim}d{number}") for number in (1, 2))
    # Both sum alike, with windows that are right to 1e-6 of their peak; twice that and rounding.
    for found, expected in (
        (type1(*gpu_x, to_gpu(c), n, eps=1e-4, gpu_spreadinterponly=1), type1(*x, c, n, eps=1e-4, spreadinterponly=1)),
        (type2(*gpu_x, to_gpu(f), eps=1e-4, gpu_spreadinterponly=1), type2(*x, f, eps=1e-4, spreadinterponly=1)),
    ):
        assert isinstance(found, kind) and relative(to_host(found), expected) < 1e-5


def test_one_dimension_where_samples_crowd(arrays, rng):
    to_gpu, to_host, _ = arrays
    points = np.concatenate([np.full(50000, 0.1), rng.uniform(-0.5, 0.5, 5000)])[:, None]
    A = whorl.Nufft(to_gpu(points), (3000,), 5, tolerance=1e-4)
    B = whorl.Nufft(points, (3000,), 5, tolerance=1e-4)
    y = complex_normal(rng, A.range)
    first = A.H @ to_gpu(y)
    # Each is right to 1e-4 of the norm of data of random phases.
    assert relative(to_host(first), B.H @ y) < 4e-4
    np.testing.assert_array_equal(to_host(first), to_host(A.H @ to_gpu(y)))  # the same bits


def test_gradient_to_the_trajectory(arrays, rng):
    to_gpu, to_host, kind = arrays
    points = rng.uniform(-0.4, 0.4, (300, 2))
    options = dict(tolerance=1e-8, dtype="complex128", accuracy="guaranteed")
    A, B = whorl.Nufft(to_gpu(points), (20, 22), 3, **options), whorl.Nufft(points, (20, 22), 3, **options)
    x, g = complex_normal(rng, A.domain, "complex128"), complex_normal(rng, A.range, "complex128")
    found = whorl.operators.trajectory_gradient(A, to_gpu(x), to_gpu(g))
    # Both have an error of 1e-8 of the matrix's norm, for each of three coils.
    assert isinstance(found, kind) and relative(to_host(found), whorl.operators.trajectory_gradient(B, x, g)) < 1e-6


def test_proximal_solvers(arrays, rng):
    to_gpu, to_host, kind = arrays
    points = whorl.trajectory.random_trajectory(600)
    d = complex_normal(rng, (1, 600), "complex128")
    found = []
    for put, context in ((lambda a: a, "cpu"), (to_gpu, "cuda")):
        A = whorl.Nufft(points, (16, 18), context=context, dtype="complex128", tolerance=1e-9)
        D = whorl.prox.Differences((16, 18), context=context, dtype="complex128")
        term = (whorl.prox.L1(D.range, joint=True, dtype="complex128"), 0.1, D)
        x, _ = whorl.admm(A.normal, A.H @ put(d), [term], iterations=200, tolerance=1e-7)
        found.append(x)
    # Both stop at residuals of 1e-7; the conditioning of 600 samples of 288 pixels is about 10.
    assert isinstance(found[1], kind) and relative(to_host(found[1]), found[0]) < 1e-4


def test_reconstruction_on_the_gpu():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(60, 64), (32, 32))
    scan = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=4, noise=1e-3)
    on_gpu = whorl.recon(scan, context="cuda", normal_method="pair", oversampling=2.0)
    # Both iterate 30 times with transforms of a tolerance of 1e-3.
    assert relative(on_gpu.images, whorl.recon(scan, normal_method="pair", oversampling=2.0).images) < 1e-2


@pytest.mark.parametrize("sense", [False, True])
@pytest.mark.parametrize("maps_on_gpu", [False, True])
def test_mrinufft_takes_arrays_of_both(arrays, rng, sense, maps_on_gpu):
    mrinufft = pytest.importorskip("mrinufft")
    pytest.importorskip("cupy")  # mri-nufft turns PyTorch's arrays on a GPU into CuPy's
    import whorl.mrinufft

    to_gpu, to_host, kind = arrays
    shape, coils, batches = (14, 20), 3, 2
    samples, density = rng.uniform(-np.pi, np.pi, (300, 2)), rng.uniform(0.5, 1, 300)
    maps = complex_normal(rng, (coils, *shape), "complex128") if sense else None
    put = cupy_arrays()[0] if maps_on_gpu else np.asarray
    A = mrinufft.get_operator("whorl")(
        samples, shape, n_coils=coils, n_batchs=batches, smaps=put(maps) if sense else None, density=put(density), eps=1e-9,
        squeeze_dims=False,
    )
    x = complex_normal(rng, (batches, 1 if sense else coils, *shape), "complex128")
    y = complex_normal(rng, (batches, coils, 300), "complex128")
    # Both have an error of 1e-9; 3: a margin for few samples.
    for function, arguments in ((A.op, (x,)), (A.adj_op, (y,)), (A.data_consistency, (x, y))):
        found = function(*(to_gpu(argument) for argument in arguments))
        assert isinstance(found, kind) and relative(to_host(found), function(*arguments)) < 6e-9
    before = A.op(to_gpu(x))
    with A.grad_traj_plan():
        assert relative(to_host(A.op(to_gpu(x))), A.op(x)) < 6e-9
    np.testing.assert_array_equal(to_host(A.op(to_gpu(x))), to_host(before))
