"""What the tests share. A test that needs a package or a GPU that is not there says so and is skipped (-rs lists these)."""

import numpy as np
import pytest
import whorl


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def complex_normal(rng, shape, dtype="complex64"):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


def exact_dft(points, shape):
    """The matrix of the transform, from its definition: [sample, pixel]."""
    axes = [np.arange(n) - n // 2 for n in shape]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(shape))
    # Columns of the points are x, y, z, axes of the image z, y, x.
    phase = points @ grid[:, ::-1].T
    return np.exp(-2j * np.pi * phase) / np.sqrt(np.prod(shape))


def relative(a, b):
    return np.linalg.norm(np.asarray(a) - np.asarray(b)) / np.linalg.norm(np.asarray(b))


def public_things():
    """(name with its group, function or class) of all that is public."""
    for group, module in whorl._GROUPS.items():
        for name in module.__all__:
            yield f"whorl.{group}.{name}", getattr(module, name)
