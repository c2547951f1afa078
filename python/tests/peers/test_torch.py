"""whorl's transforms in PyTorch: gradients against finite differences. Skipped, aloud, without PyTorch."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative

torch = pytest.importorskip("torch")

import whorl.torch  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def tensor(array, device, gradient=True):
    return torch.from_numpy(array).to(device).requires_grad_(gradient)


# Finite differences of gradcheck take steps of 1e-6, so that errors e of the transform enter as 1e6 e: 1e-12 is below its
# tolerances, 1e-5 and 1e-3 relative.
PRECISE = {"tolerance": 1e-12, "oversampling": 2.0, "accuracy": "guaranteed"}


@pytest.mark.parametrize("shape", [(7,), (6, 5), (4, 3, 5)])
def test_gradients(rng, device, shape):
    points = tensor(rng.uniform(-0.45, 0.45, (9, len(shape))), device)
    x = tensor(complex_normal(rng, (2, *shape), "complex128"), device)
    y = tensor(complex_normal(rng, (2, 9), "complex128"), device)
    assert torch.autograd.gradcheck(lambda x, k: whorl.torch.nufft(x, k, shape, **PRECISE), (x, points), fast_mode=True)
    assert torch.autograd.gradcheck(lambda y, k: whorl.torch.nufft_adjoint(y, k, shape, **PRECISE), (y, points), fast_mode=True)


def test_values_and_batches(rng, device):
    shape, points = (8, 11), rng.uniform(-0.5, 0.5, (50, 2))
    x = complex_normal(rng, (2, 3, *shape), "complex128")
    k = tensor(points, device, False)
    found = whorl.torch.nufft(tensor(x, device), k, shape, tolerance=1e-9)
    expected = x.reshape(6, -1) @ exact_dft(points, shape).T
    # 3: a margin for few samples.
    assert found.shape == (2, 3, 50) and relative(found.detach().cpu().reshape(6, 50), expected) < 3e-9
    planned = whorl.Nufft(k, shape, tolerance=1e-9, dtype="complex128")
    again = whorl.torch.nufft(tensor(x, device), k, shape, transform=planned)
    assert relative(again.detach().cpu(), found.detach().cpu()) < 1e-12
    back = whorl.torch.nufft_adjoint(found, k, shape, transform=planned)
    assert back.shape == (2, 3, *shape)
    with pytest.raises(whorl.ShapeError, match="expected \\[..., 8, 11\\]"):
        whorl.torch.nufft(tensor(x[..., :-1].copy(), device), k, shape)


def test_single_precision_and_real_points(rng, device):
    points = rng.uniform(-0.5, 0.5, (60, 2)).astype("float32")
    k = tensor(points, device)
    x = tensor(complex_normal(rng, (1, 8, 9)), device)
    loss = whorl.torch.nufft(x, k, (8, 9)).abs().square().sum()
    loss.backward()
    assert x.grad.dtype == torch.complex64 and k.grad.dtype == torch.float32
    # The gradient of |A x|^2 is 2 A^H A x; typical errors are a few tolerances of 1e-4.
    matrix = exact_dft(points.astype("float64"), (8, 9))
    expected = 2 * matrix.conj().T @ (matrix @ x.detach().cpu().numpy().ravel())
    assert relative(x.grad.cpu().numpy().ravel(), expected) < 1e-3


def test_any_operator(rng, device):
    maps = tensor(complex_normal(rng, (3, 6, 7), "complex128"), device, False)
    k = tensor(rng.uniform(-0.5, 0.5, (20, 2)), device, False)
    E = whorl.SenseNufft(whorl.Nufft(k, (6, 7), 3, dtype="complex128", **PRECISE), maps)
    x = tensor(complex_normal(rng, (6, 7), "complex128"), device)
    y = tensor(complex_normal(rng, (3, 20), "complex128"), device)
    assert torch.autograd.gradcheck(lambda x: whorl.torch.apply(E, x), (x,), fast_mode=True)
    assert torch.autograd.gradcheck(lambda y: whorl.torch.apply(E.H, y), (y,), fast_mode=True)
    assert torch.autograd.gradgradcheck(lambda x: whorl.torch.apply(E, x).abs().square(), (x,), fast_mode=True)


def test_functional_gradients(rng, device):
    # torch.func's gradients are autograd's.
    points = tensor(rng.uniform(-0.45, 0.45, (30, 2)), device)
    x = tensor(complex_normal(rng, (2, 7, 8), "complex128"), device)
    y = tensor(complex_normal(rng, (2, 30), "complex128"), device, False)
    field = tensor(rng.uniform(-50, 50, (7, 8)), device)
    A = whorl.Nufft(points.detach(), (7, 8), 2, tolerance=1e-6, dtype="complex128")
    times = torch.linspace(0, 0.01, 30, dtype=torch.float64)
    for function, inputs in [
        (lambda x, k: whorl.torch.nufft(x, k, (7, 8), **PRECISE), (x, points)),
        (lambda x: whorl.torch.apply(A, x), (x,)),
        (lambda x, f: whorl.torch.evolve(x, A, times, f), (x, field)),
    ]:
        values, pullback = torch.func.vjp(function, *inputs)
        expected = torch.autograd.grad(function(*inputs), inputs, y)
        for found, one in zip(pullback(y), expected):
            torch.testing.assert_close(found, one)


def test_gradients_of_gradients(rng, device):
    points = tensor(rng.uniform(-0.45, 0.45, (9, 2)), device, False)
    x = tensor(complex_normal(rng, (1, 4, 5), "complex128"), device)
    cubed = lambda x: whorl.torch.nufft(x, points, (4, 5), **PRECISE).abs().pow(3)
    assert torch.autograd.gradgradcheck(cubed, (x,), fast_mode=True)
    points.requires_grad_()
    (first,) = torch.autograd.grad(cubed(x).sum(), points, create_graph=True)
    with pytest.raises(whorl.Unsupported, match="gradients to points have no gradients"):
        first.sum().backward()


@pytest.mark.parametrize("coils", [0, 3])
def test_gradients_of_field_and_decay(rng, device, coils):
    """Against derivatives of the exact sums, by PyTorch."""
    shape, n = (6, 7), 40
    points, times = rng.uniform(-0.5, 0.5, (n, 2)), rng.uniform(0, 0.02, n)
    maps = complex_normal(rng, (coils, *shape), "complex128") if coils else np.ones((1, *shape), "complex128")
    A = whorl.Nufft(tensor(points, device, False), shape, max(coils, 1), dtype="complex128", **PRECISE)
    if coils:
        A = whorl.SenseNufft(A, tensor(maps, device, False))
    x = tensor(complex_normal(rng, A.domain, "complex128"), device)
    field = tensor(rng.uniform(-100, 100, shape).astype("float32"), device)
    decay = tensor(rng.uniform(0, 60, shape).astype("float32"), device)
    t = tensor(times, device, False)
    g = tensor(complex_normal(rng, A.range, "complex128"), device, False)
    found = whorl.torch.evolve(x, A, t, field, decay, tolerance=1e-6)
    (found * g.conj()).real.sum().backward()

    matrix = torch.from_numpy(exact_dft(points, shape))
    exact_x, exact_field, exact_decay = (torch.from_numpy(a.detach().cpu().numpy()).requires_grad_() for a in (x, field, decay))
    rates = exact_decay.double().reshape(-1) + 2j * np.pi * exact_field.double().reshape(-1)
    signal = matrix * torch.exp(-rates * torch.from_numpy(times)[:, None])
    images = (torch.from_numpy(maps) * exact_x).reshape(max(coils, 1), -1)
    expected = images @ signal.T
    (expected * g.cpu().conj()).real.sum().backward()
    # The factors have an error of 1e-6 of the norm of all signals; 5: their errors may lie where the data are.
    assert relative(found.detach().cpu(), expected.detach()) < 5e-6
    for one, other in ((x, exact_x), (field, exact_field), (decay, exact_decay)):
        assert relative(one.grad.cpu(), other.grad) < 5e-6
    only = whorl.torch.evolve(x.detach(), A, t, field.detach().requires_grad_())
    assert only.requires_grad


def test_a_trajectory_learns(rng, device):
    """Gradient descent finds the positions that samples were taken at, from a perturbed start."""
    shape = (12, 12)
    # A smooth image: its spectrum changes slowly with k.
    r = np.arange(12) - 6
    image = tensor(np.exp(-(r[:, None] ** 2 + (r - 1) ** 2) / 3.0)[None] + 0j, device, False)
    true = rng.uniform(-0.2, 0.2, (30, 2))
    samples = whorl.torch.nufft(image, tensor(true, device, False), shape, tolerance=1e-6)
    k = tensor(true + rng.normal(size=true.shape) * 0.005, device)
    start = float((k.detach().cpu() - torch.from_numpy(true)).abs().max())
    optimizer = torch.optim.Adam([k], lr=5e-4)
    for _ in range(150):
        optimizer.zero_grad()
        (whorl.torch.nufft(image, k, shape, tolerance=1e-6) - samples).abs().square().sum().backward()
        optimizer.step()
    assert float((k.detach().cpu() - torch.from_numpy(true)).abs().max()) < 0.2 * start


def test_deepinv(rng, device):
    pytest.importorskip("deepinv")
    import whorl.deepinv

    k = tensor(rng.uniform(-0.5, 0.5, (300, 2)), device, False)
    A = whorl.Nufft(k, (9, 12), 3, dtype="complex128", tolerance=1e-10)
    physics = whorl.deepinv.Physics(A)
    x = tensor(complex_normal(rng, (2, *A.domain), "complex128"), device)
    y = physics.A(x)
    assert torch.equal(y[1], A @ x[1].detach())
    assert float(physics.adjointness_test(x.detach())) < 1e-12
    y.abs().square().sum().backward()
    # The gradient of |A x|^2 is 2 A^H A x.
    expected = 2 * (A.H @ (A @ x[0].detach()))
    assert relative(x.grad[0].cpu(), expected.cpu()) < 1e-12


MRPRO_SHAPES = {  # encoding, image and trajectory: z, y, x
    "frames": ((1, 20, 24), (1, 16, 20), (2, 1, 1, 7, 30)),
    "volume": ((6, 20, 24), (6, 20, 24), (1, 1, 2, 9, 30)),
    "line": ((1, 1, 24), (1, 1, 24), (1, 1, 1, 1, 40)),
}


@pytest.mark.parametrize("case", MRPRO_SHAPES)
def test_mrpro(rng, device, case):
    mrpro = pytest.importorskip("mrpro")
    import whorl.mrpro

    encoding, image, sampled = MRPRO_SHAPES[case]
    k = [
        torch.from_numpy(rng.uniform(-0.5, 0.5, sampled) * size if size > 1 else np.zeros((1, 1, 1, 1, 1))).to(device)
        for size in encoding
    ]
    traj = mrpro.data.KTrajectory(*k)
    sizes = mrpro.data.SpatialDimension(*image), mrpro.data.SpatialDimension(*encoding)
    A = whorl.mrpro.FourierOp(*sizes, traj, **PRECISE)
    x = tensor(complex_normal(rng, (sampled[0], 3, *image), "complex128"), device)
    (y,) = A(x)
    assert y.shape == (sampled[0], 3, *sampled[2:])
    # The definition, from MRpro's documentation: orthonormal on a grid, with k over the encoding matrix.
    active = [axis for axis in range(3) if encoding[axis] > 1]
    for frame in range(sampled[0]):
        points = np.stack([k[axis][frame].cpu().numpy().ravel() / encoding[axis] for axis in reversed(active)], 1)
        shape = [image[axis] for axis in active]
        matrix = exact_dft(points, shape) * np.sqrt(np.prod(shape) / np.prod([encoding[axis] for axis in active]))
        expected = x[frame].detach().cpu().numpy().reshape(3, -1) @ matrix.T
        assert relative(y[frame].detach().cpu().reshape(3, -1), expected) < 1e-10
    # The adjoint, gradients by it, and the convolution.
    z = torch.from_numpy(complex_normal(rng, y.shape, "complex128")).to(device)
    back = A.adjoint(z)[0]
    assert abs(torch.vdot(y.detach().ravel(), z.ravel()) - torch.vdot(x.detach().ravel(), back.ravel())) < 1e-9 * y.numel()
    y.abs().square().sum().backward()
    normal = A.adjoint(y.detach())[0]
    assert relative(x.grad.cpu(), 2 * normal.cpu()) < 1e-12
    assert relative(A.gram(x.detach())[0].cpu(), normal.cpu()) < 1e-9
    assert relative((A.H @ A)(x.detach())[0].cpu(), normal.cpu()) < 1e-12


def test_mrpro_is_as_its_own(rng, device):
    mrpro = pytest.importorskip("mrpro")
    import whorl.mrpro

    # A stack of stars: MRpro takes kz, which lies on the grid, by FFT, with a permutation of its own.
    angle = torch.arange(11) * 2.4
    radius = torch.arange(-16, 16) + 0.25
    kx, ky = (radius * f(angle)[None, None, None, :, None] for f in (torch.cos, torch.sin))
    traj = mrpro.data.KTrajectory(torch.arange(-3, 3)[None, None, :, None, None] + 0.0, ky, kx)
    sizes = mrpro.data.SpatialDimension(6, 28, 32), mrpro.data.SpatialDimension(6, 32, 32)
    A, B = whorl.mrpro.FourierOp(*sizes, traj, tolerance=1e-6), mrpro.operators.FourierOp(*sizes, traj)
    x = torch.from_numpy(complex_normal(rng, (2, 4, 6, 28, 32)))
    (y,), (expected,) = A(x), B(x)
    assert y.dtype == expected.dtype and y.shape == expected.shape
    # FINUFFT in single precision is good to about 1e-6, times what rounding adds.
    assert relative(y, expected) < 1e-4
    assert relative(A.adjoint(y)[0], B.adjoint(y)[0]) < 1e-4
    assert relative(A.gram(x)[0], B.gram(x)[0]) < 1e-4
    with pytest.raises(whorl.ShapeError, match="before the coils"):
        whorl.mrpro.FourierOp(*sizes, mrpro.data.KTrajectory(*(torch.rand(3, 1, 1, 5, 9) for _ in range(3))))(x)
    with pytest.raises(whorl.ValueError, match="axis before the coils"):
        flat = mrpro.data.KTrajectory(torch.zeros(1, 1, 1, 1, 1), ky, kx)
        whorl.mrpro.FourierOp(*sizes, flat)
