"""A denoiser of one's own, in solvers and in reconstructions."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


def soft(x, step):
    """prox of step |x|_1."""
    magnitude = np.abs(x)
    return x * (np.maximum(magnitude - step, 0) / np.maximum(magnitude, 1e-30)).astype(x.real.dtype)


def l1(x):
    return np.abs(x).sum(dtype="float64")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("solver", [whorl.fista, whorl.admm, whorl.solvers.primal_dual])
def test_a_function_solves_as_the_librarys_own(rng, solver, dtype):
    A = whorl.Nufft(rng.uniform(-0.5, 0.5, (60, 2)), (6, 7), dtype=dtype)
    b = A.H @ (A @ complex_normal(rng, (1, 6, 7), dtype))
    mine = whorl.function_proximal((1, 6, 7), soft, l1, dtype=dtype, name="mine")
    theirs = whorl.prox.L1((1, 6, 7), dtype=dtype)
    x, report = solver(A.normal, b, (mine, 0.1), iterations=15)
    expected, other = solver(A.normal, b, (theirs, 0.1), iterations=15)
    # Both add in different orders: rounding, which 15 iterations carry along.
    assert relative(x, expected) < (1e-4 if dtype == "complex64" else 1e-10)
    np.testing.assert_allclose(report.costs, other.costs, rtol=1e-4)
    assert mine.name == "mine" and isinstance(mine, whorl.prox.ProximalFunction) and mine.domain == (1, 6, 7)
    np.testing.assert_allclose(mine.prox(np.full((1, 6, 7), 3j, dtype), 1), 2j, rtol=1e-6)
    assert abs(mine.value(np.full((1, 6, 7), 3j, dtype)) - 126) < 1e-4


def test_what_functions_do_wrong_is_said(rng):
    x = complex_normal(rng, (4, 5))
    with pytest.raises(whorl.ShapeError, match=r"function: prox returned shape \[5, 4\], expected \[4, 5\]"):
        whorl.function_proximal((4, 5), lambda x, step: x.T.copy()).prox(x)
    with pytest.raises(TypeError):
        whorl.function_proximal((4, 5), lambda x, step: None).prox(x)
    with pytest.raises(ZeroDivisionError):
        whorl.function_proximal((4, 5), lambda x, step: 1 / 0).prox(x)
    with pytest.raises(TypeError, match="prox is 3"):
        whorl.function_proximal((4, 5), 3)
    assert whorl.function_proximal((4, 5), soft).value(x) == 0


@pytest.fixture(scope="module")
def scan():
    plan = whorl.Scan([whorl.trajectory.radial_trajectory(20, 32), whorl.trajectory.radial_trajectory(20, 32, "uniform")], (16, 16))
    return whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=3, noise=1e-3)


@pytest.mark.parametrize("solver", ["fista", "admm", "pdhg"])
def test_a_reconstruction_with_ones_own_term(scan, solver):
    # l1 of x / u, times u^2, is the library's own term of weight w in the unit of the largest value u.
    options = dict(iterations=12, solver=solver, lambda_=0)
    expected = whorl.recon(scan, regularize="l1:0.05,unit=largest", **options)
    mine = whorl.function_proximal((16, 16), soft, l1, name="mine")
    made = whorl.recon(scan, regularize=[(mine, 0.05)], **options)
    assert relative(made.images, expected.images) < 1e-4  # rounding, carried along by 12 iterations
    assert any("mine:0.05" in note for note in made.notes)
    seen = []
    series = whorl.function_proximal((2, 1, 16, 16), lambda x, step: (seen.append(x), soft(x, step))[1], l1)
    # Frames that are solved together have their steps in common: another way to the same image.
    assert relative(whorl.recon(scan, regularize=(series, 0.05), **options).images, expected.images) < 5e-3
    # Magnitudes are around 1, whatever the gain of the data is.
    assert 0.3 < max(np.abs(x).max() for x in seen) < 3


def test_terms_of_ones_own_beside_texts(scan):
    mine = whorl.function_proximal((16, 16), soft, l1)
    options = dict(iterations=6, lambda_=0)
    both = whorl.recon(scan, regularize=["tv:0.5", (mine, 0.05)], **options).images
    expected = whorl.recon(scan, regularize=["tv:0.5", "l1:0.05,unit=largest"], **options).images
    assert relative(both, expected) < 1e-4
    with pytest.raises(ValueError, match="regularize has the weight -1"):
        whorl.recon(scan, regularize=[(mine, -1)])
    with pytest.raises(whorl.ShapeError, match=r"a function of arrays \[15, 16\]"):
        whorl.recon(scan, regularize=[(whorl.function_proximal((15, 16), soft), 1)])
    with pytest.raises(ValueError, match="cg-sense"):
        whorl.recon(scan, method="gridding", regularize=[mine])
    with pytest.raises(ValueError, match="complex128"):
        whorl.recon(scan, regularize=[whorl.function_proximal((16, 16), soft, dtype="complex128")])


def test_a_module_of_torch(rng):
    torch = pytest.importorskip("torch")

    class Half(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = torch.nn.Parameter(torch.tensor(0.5))

        def forward(self, x):
            return self.factor * x

    x = complex_normal(rng, (4, 5))
    np.testing.assert_array_equal(whorl.function_proximal((4, 5), Half()).prox(x, 3.0), x / 2)
