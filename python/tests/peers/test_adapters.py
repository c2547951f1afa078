"""whorl under other packages. Each test is skipped, aloud, where its package is not installed."""

import pickle

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative


def test_sigpy(rng):
    sigpy = pytest.importorskip("sigpy")
    import whorl.sigpy

    for shape, batch in [((14, 20), (3,)), ((6, 7, 8), ()), ((14, 20), (2, 3))]:
        coord = rng.uniform(-0.5, 0.5, (10, 30, len(shape))) * np.array(shape)
        A = whorl.sigpy.NUFFT((*batch, *shape), coord, tolerance=1e-6, dtype=np.complex128)
        # SigPy's own transform, as accurate as it gets: wide windows.
        B = sigpy.linop.NUFFT((*batch, *shape), coord, oversamp=2, width=10)
        assert A.ishape == list(B.ishape) and A.oshape == list(B.oshape)
        x = complex_normal(rng, (*batch, *shape), "complex128")
        y = complex_normal(rng, A.oshape, "complex128")
        assert relative(A * x, B * x) < 1e-4
        assert relative(A.H * y, B.H * y) < 1e-4
        assert A.H.H.oshape == A.oshape
        assert relative(A.H * (A * x), A.N * x) < 1e-12
    # Without dtype each input has its own precision, and coordinates are periodic.
    C = whorl.sigpy.NUFFT((2, 3, *shape), coord + np.array(shape), 2, 4, toeplitz=True, tolerance=1e-5)
    assert (C * x).dtype == "complex128" and (C * x.astype("complex64")).dtype == "complex64"
    # 3: a margin for few samples.
    assert relative(C * x, A * x) < 3e-5 and relative(C.N * x, A.N * x) < 3e-5
    again = pickle.loads(pickle.dumps(C.H))
    assert relative(again * y, C.H * y) < 1e-14
    with pytest.raises(TypeError, match="tolerence"):
        whorl.sigpy.NUFFT((2, 3, *shape), coord, tolerence=1e-5)
    # The operator works with SigPy's algorithms and operators.
    S = sigpy.linop.Multiply(shape, complex_normal(rng, (3, *shape)))
    E = whorl.sigpy.NUFFT((3, *shape), coord) * S
    truth = complex_normal(rng, shape)
    found = sigpy.app.LinearLeastSquares(E, E * truth, max_iter=100, show_pbar=False).run()
    assert relative(found, truth) < 0.05


def test_pylops(rng):
    pylops = pytest.importorskip("pylops")
    import whorl.pylops

    points = rng.uniform(-0.5, 0.5, (400, 2))
    A = whorl.SenseNufft(
        whorl.Nufft(points, (9, 12), 3, tolerance=1e-10, dtype="complex128"), complex_normal(rng, (3, 9, 12), "complex128")
    )
    B = whorl.pylops.LinearOperator(A)
    assert B.shape == (1200, 108)
    assert pylops.utils.dottest(B, complexflag=3, rtol=1e-9)
    truth = complex_normal(rng, (9, 12), "complex128")
    # 1200 samples of 108 pixels: well conditioned, so 60 iterations reach the transform's own error and more.
    found = pylops.optimization.basic.cgls(B, B @ truth.ravel(), niter=60, tol=0)[0]
    assert relative(found.ravel(), truth.ravel()) < 1e-6
    assert relative((B.H * B) @ truth.ravel(), (A.normal @ truth).ravel()) < 1e-9


@pytest.fixture
def mrinufft():
    module = pytest.importorskip("mrinufft")
    import whorl.mrinufft

    return module


@pytest.mark.parametrize("shape", [(14, 20), (6, 7, 8)])
@pytest.mark.parametrize("coils, batches, sense", [(1, 1, False), (3, 1, False), (3, 2, False), (3, 1, True), (3, 2, True)])
def test_mrinufft_is_its_definition(mrinufft, rng, shape, coils, batches, sense):
    radians = rng.uniform(-np.pi, np.pi, (2, 300, len(shape)))
    maps = complex_normal(rng, (coils, *shape)) if sense else None
    density = rng.uniform(0.5, 1, 300)
    A = mrinufft.get_operator("whorl")(
        radians[0], shape, n_coils=coils, n_batchs=batches, smaps=maps, density=density, squeeze_dims=False, eps=1e-7
    )
    x = complex_normal(rng, (batches, 1 if sense else coils, *shape), "complex128")
    y = complex_normal(rng, (batches, coils, 300), "complex128")
    for given in radians:
        A.update_samples(given)
        A.density = density
        # mri-nufft's factor is 1 / sqrt(2^dim voxels), and its columns are those of the image's axes.
        matrix = exact_dft(given[:, ::-1] / (2 * np.pi), shape) / np.sqrt(2 ** len(shape))
        images = x * maps if sense else x
        assert relative(A.op(x), images.reshape(batches, coils, -1) @ matrix.T) < 3e-7
        adjoint = ((y * density) @ matrix.conj()).reshape(batches, coils, *shape)
        if sense:
            adjoint = (maps.conj() * adjoint).sum(1, keepdims=True)
        assert relative(A.adj_op(y), adjoint) < 3e-7
    assert relative(A.data_consistency(x, y), A.adj_op(A.op(x) - y)) < 1e-12
    before = A.op(x)
    with A.grad_traj_plan():  # the complex conjugate of the whole operator, maps too
        turned = x * maps.conj() if sense else x
        assert relative(A.op(x), turned.reshape(batches, coils, -1) @ matrix.conj().T) < 3e-7
    np.testing.assert_array_equal(A.op(x), before)


def test_mrinufft_plans_where_arrays_are(mrinufft, monkeypatch, rng):
    planned = []
    make = whorl.mrinufft._core.Nufft
    monkeypatch.setattr(whorl.mrinufft._core, "Nufft", lambda points, *how, **options: planned.append(len(points)) or make(points, *how, **options))
    radians = rng.uniform(-np.pi, np.pi, (2, 300, 2))
    A = mrinufft.get_operator("whorl")(radians[0], (14, 20))
    assert planned == [4]  # the outermost positions: nobody knows yet on which device arrays will be
    assert A.op(np.ones((14, 20), "complex64")).shape == (300,)
    A.adj_op(np.ones((1, 1, 300), "complex64"))
    assert planned == [4, 300]
    A.update_samples(radians[1])
    A.op(np.ones((14, 20), "complex64"))
    assert planned == [4, 300, 300]
    for wrong in ({"oversampling": 7}, {"eps": 1e-30}):
        with pytest.raises(whorl.ValueError):
            mrinufft.get_operator("whorl")(radians[0], (14, 20), **wrong)


def test_mrinufft_drops_axes_as_its_own(mrinufft, rng):
    pytest.importorskip("finufft")
    radians = rng.uniform(-np.pi, np.pi, (30, 2))
    for batches, coils, sense in ((1, 1, False), (1, 3, False), (2, 1, False), (2, 3, True), (1, 3, True)):
        maps = complex_normal(rng, (coils, 6, 7), "complex128") if sense else None
        options = dict(n_coils=coils, n_batchs=batches, smaps=maps)
        ours, theirs = (mrinufft.get_operator(name)(radians, (6, 7), **options) for name in ("whorl", "finufft"))
        x, y = np.ones(ours.img_full_shape, "complex128"), np.ones(ours.ksp_full_shape, "complex128")
        assert ours.op(x).shape == theirs.op(x).shape and ours.adj_op(y).shape == theirs.adj_op(y).shape
        assert ours.data_consistency(x, y).shape == theirs.data_consistency(x, y).shape


def test_mrinufft_density(mrinufft):
    points = whorl.trajectory.radial_trajectory(60, 64).points.astype("float32")
    A = mrinufft.get_operator("whorl")(points, (32, 32), density=True)
    assert A.density.shape == (3840,)
    image = A.adj_op(A.op(np.ones((32, 32), "complex64")))
    assert abs(abs(image).mean() - 1) < 1e-3
