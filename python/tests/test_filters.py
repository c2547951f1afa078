"""Filters, made from their descriptors."""

import inspect

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


def test_gaussian_is_its_sum(rng):
    image = rng.normal(size=(20, 24)).astype("float32")
    taps = np.exp(-0.5 * (np.arange(-4, 5) / 1.4) ** 2)
    taps /= taps.sum()
    padded = np.pad(image.astype(float), 4, mode="reflect")
    expected = sum(
        taps[i] * taps[j] * padded[i : i + 20, j : j + 24] for i in range(9) for j in range(9)
    )
    for found in (
        whorl.filters.gaussian(image, 1.4, 4),
        whorl.filters.gaussian(image, sigma=1.4, radius=4),
        whorl.filter(image, "gaussian sigma=1.4 radius=4"),
    ):
        # Accuracy of the filter: 1e-6 of the largest value.
        np.testing.assert_allclose(found, expected, atol=1e-6 * abs(image).max() * 2)


def test_types_and_axes(rng):
    volume = rng.integers(0, 65536, (3, 8, 9)).astype("uint16")
    found = whorl.filters.median(volume)
    assert found.shape == volume.shape and found.dtype == np.uint16
    series = np.stack([volume, volume])
    np.testing.assert_array_equal(whorl.filters.median(series), np.stack([found, found]))
    rgb = rng.integers(0, 256, (8, 9, 3)).astype("uint8")
    gray = whorl.filters.gray(rgb, channels="rgb")
    assert gray.shape == (8, 9) and gray.dtype == np.uint8
    image = complex_normal(rng, (16, 18))
    smooth = whorl.filters.gaussian(image, 1)
    parts = [whorl.filters.gaussian(np.ascontiguousarray(part), 1) for part in (image.real, image.imag)]
    assert relative(smooth, parts[0] + 1j * parts[1]) < 1e-6
    with pytest.raises(TypeError, match="int64"):
        whorl.filters.median(np.zeros((8, 9), "int64"))
    with pytest.raises(whorl.ShapeError, match=r"\[9\]"):
        whorl.filters.median(np.zeros(9, "float32"))
    with pytest.raises(whorl.ShapeError, match="rgb has 3"):
        whorl.filters.median(np.zeros((8, 9, 4), "uint8"), channels="rgb")


def test_pipelines(rng):
    image = rng.integers(0, 256, (16, 18)).astype("uint8")
    found = whorl.filter(image, "median | invert | resize width=32 height=36")
    steps = whorl.filters.resize(whorl.filters.invert(whorl.filters.median(image)), width=32, height=36)
    np.testing.assert_array_equal(found, steps)


def test_errors_are_those_of_the_descriptor(rng):
    image = np.zeros((8, 9), "float32")
    with pytest.raises(ValueError, match="gaussian.*sigma.*0.1 to 100"):
        whorl.filters.gaussian(image, sigma=1000)
    with pytest.raises(ValueError, match="gaussian.*sigmar"):
        whorl.filters.gaussian(image, sigmar=1)
    with pytest.raises(ValueError, match="gausian"):
        whorl.filter(image, "gausian 2")


def test_every_filter_is_documented():
    assert len(whorl.filters.__all__) > 25
    for name in whorl.filters.__all__:
        function = getattr(whorl.filters, name)
        assert next(iter(inspect.signature(function).parameters)) == "image" and "Shapes" in function.__doc__
