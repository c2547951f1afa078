"""Fits of voxels: against the models' own formulas and the least squares of SciPy."""

import numpy as np
import pytest
import whorl

SHAPE = (3, 4)


def fields(rng, low, high):
    return rng.uniform(low, high, SHAPE)


def scipy_fit(model, x, series, start):
    """Parameters and their standard deviations of each voxel for noise of standard deviation 1, by SciPy."""
    optimize = pytest.importorskip("scipy.optimize")
    found, errors = [], []
    for values, first in zip(series.reshape(len(x), -1).T.astype("float64"), start.reshape(len(start), -1).T):
        best, covariance = optimize.curve_fit(model, x, values, p0=first, sigma=np.ones(len(x)), absolute_sigma=True)
        found.append(best)
        errors.append(np.sqrt(np.diag(covariance)))
    return np.array(found).T.reshape(-1, *SHAPE), np.array(errors).T.reshape(-1, *SHAPE)


def close(a, b, digits=1e-4):
    # Maps are floats (6e-8), and both searches end when a step changes parameters by about 1e-8 of their standard deviation or
    # of themselves; SciPy's covariance is of differences of 1e-8, whose errors are of 1e-6 or so, and noise multiplies them.
    return np.allclose(a, b, rtol=digits, atol=0)


def test_decay_and_its_errors_are_those_of_scipy(rng):
    times = np.array([10.0, 20, 35, 60, 90])
    t2, amplitude = fields(rng, 30, 80), fields(rng, 500, 900)
    series = amplitude * np.exp(-times[:, None, None] / t2) + rng.normal(size=(5, *SHAPE))
    series = series.astype("float32")
    maps = whorl.fit.fit_relaxation(series, times, "decay", noise=1)
    best, errors = scipy_fit(lambda t, a, tau: a * np.exp(-t / tau), times, series, np.stack([amplitude, t2]))
    assert maps.fitted == 12 and maps.failed == 0 and maps.inversion is None
    assert close(maps.amplitude, best[0]) and close(maps.time, best[1])
    # T = 1/R to first order: the deviation of R times T^2 is that of T.
    assert close(maps.amplitude_error, errors[0], 1e-3) and close(maps.time_error, errors[1], 1e-3)


def test_errors_of_the_series_are_weights(rng):
    times = np.array([10.0, 20, 35, 60])
    series = (fields(rng, 500, 900) * np.exp(-times[:, None, None] / fields(rng, 30, 80))).astype("float32")
    same = np.full(SHAPE, 2, "float32")
    assert close(
        whorl.fit.fit_relaxation(series, times, errors=same).time_error,
        whorl.fit.fit_relaxation(series, times, noise=2).time_error,
    )
    with pytest.raises(whorl.ValueError, match="expected one of them"):
        whorl.fit.fit_relaxation(series, times, errors=same, noise=2)


def test_recovery_of_magnitudes(rng):
    times = np.array([50.0, 150, 400, 800, 1500, 3000])
    t1, amplitude, b = fields(rng, 300, 1200), fields(rng, 500, 900), fields(rng, 1.8, 2)
    exact = amplitude * (1 - b * np.exp(-times[:, None, None] / t1))
    maps = whorl.fit.fit_relaxation(abs(exact), times, "recovery")
    # The series is rounded to float, 6e-8 of A; T1 is less well determined than A by a factor below 100.
    assert close(maps.time, t1) and close(maps.inversion, b)
    assert maps.time.dtype == np.float32 and maps.time.shape == SHAPE


def test_diffusion(rng):
    b = np.array([0.0, 200, 500, 1000])
    d, amplitude = fields(rng, 0.5e-3, 2e-3), fields(rng, 500, 900)
    series = (amplitude * np.exp(-b[:, None, None] * d) + rng.normal(size=(4, *SHAPE))).astype("float32")
    maps = whorl.fit.fit_diffusion(series, b, noise=1)
    # SciPy's steps are relative to its parameters: D in 1e-3 mm^2/s.
    best, errors = scipy_fit(lambda x, s, c: s * np.exp(-1e-3 * x * c), b, series, np.stack([amplitude, 1e3 * d]))
    assert close(maps.diffusivity, 1e-3 * best[1]) and close(maps.diffusivity_error, 1e-3 * errors[1], 1e-3)
    assert close(maps.amplitude, best[0]) and close(maps.amplitude_error, errors[0], 1e-3)


def test_diffusion_tensor(rng):
    directions = rng.normal(size=(13, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    b = np.where(np.arange(13) == 0, 0, 1000.0)
    turn = np.linalg.qr(rng.normal(size=(12, 3, 3)))[0]
    values = np.sort(rng.uniform(0.2e-3, 2e-3, (12, 3)))[:, ::-1]
    tensors = np.einsum("vij,vj,vkj->vik", turn, values, turn)
    signal = 700 * np.exp(-b[:, None] * np.einsum("ni,vij,nj->nv", directions, tensors, directions))
    maps = whorl.fit.fit_diffusion_tensor(signal.reshape(13, *SHAPE), b, directions)
    mean = values.mean(1)
    anisotropy = np.sqrt(1.5 * ((values - mean[:, None]) ** 2).sum(1) / (values**2).sum(1))
    # Rounding of the series, 6e-8, over b D of 0.2 or more, times the condition of the directions, some tens.
    assert close(maps.mean.diffusivity, mean.reshape(SHAPE)) and close(maps.anisotropy, anisotropy.reshape(SHAPE))
    assert close(maps.eigenvalues, values.T.reshape(3, *SHAPE))
    first = np.einsum("ayx,yxa->yx", maps.eigenvectors[0], turn[:, :, 0].reshape(*SHAPE, 3))
    assert np.allclose(abs(first), 1, atol=1e-4)
    assert close(maps.tensor[0], tensors[:, 0, 0].reshape(SHAPE))


def test_water_and_fat(rng):
    assert abs(sum(amplitude for _, amplitude in whorl.fit.liver_fat()) - 1) < 1e-2
    times = 1e-3 * np.array([1.2, 2.4, 3.6, 4.8, 6.0, 7.2])
    y, x = np.mgrid[-1:1:12j, -1:1:14j]
    water, fat = 60 + 30 * x, 45 - 25 * x
    field, r2_star = 40 * x * y + 20, 30 + 10 * y
    hertz = np.array([42.577478518 * 1.5 * ppm for ppm, _ in whorl.fit.liver_fat()])
    amplitudes = np.array([amplitude for _, amplitude in whorl.fit.liver_fat()])
    t = times[:, None, None]
    spectrum = (amplitudes * np.exp(-2j * np.pi * hertz * times[:, None])).sum(1)[:, None, None]
    phase = np.exp(0.4j)
    echoes = phase * (water + fat * spectrum) * np.exp(-(r2_star + 2j * np.pi * field) * t)
    maps = whorl.fit.fit_water_fat(echoes.astype("complex64"), times, field_strength=1.5)
    assert maps.fitted == 12 * 14
    # Rounding to float, 6e-8 of the signal, times the condition of water and fat, which six echoes keep below 100.
    assert close(maps.water, water) and close(maps.fat, fat) and close(maps.r2_star, r2_star, 1e-3)
    assert np.allclose(maps.field, field, atol=1e-3)
    # Magnitude discrimination: where water dominates 1 - |W| / |W + F| is F / (W + F).
    assert np.allclose(maps.fraction, fat / (water + fat), atol=1e-4)
    # Without the phases of the sum of water and fat, what is left is the field's.
    left = whorl.fit.without_fat(echoes.astype("complex64"), times, maps, field_strength=1.5)
    assert left.dtype == "complex64"
    plain = abs(water + fat * spectrum) * np.exp(-(r2_star + 2j * np.pi * field) * t)
    # A field that is 1e-3 Hz off turns W and F by 5e-5 within the echoes.
    assert np.allclose(left, plain, rtol=0, atol=2e-4 * abs(plain).max())
    with pytest.raises(whorl.ShapeError):
        whorl.fit.without_fat(echoes[:3].astype("complex64"), times, maps, field_strength=1.5)


def test_refusals():
    series = np.ones((3, *SHAPE), "float32")
    with pytest.raises(whorl.ValueError, match="decay or recovery"):
        whorl.fit.fit_relaxation(series, [1, 2, 3], "rise")
    with pytest.raises(whorl.ShapeError):
        whorl.fit.fit_relaxation(series, [1, 2])
    with pytest.raises(whorl.ShapeError, match="one axis"):
        whorl.fit.fit_diffusion(series, [[0, 1, 2]])
    with pytest.raises(whorl.ShapeError, match="directions"):
        whorl.fit.fit_diffusion_tensor(series, [0, 1, 2], np.ones((3, 2)))
    with pytest.raises(TypeError, match="no argument tolerance"):
        whorl.fit.fit_relaxation(series, [1, 2, 3], tolerance=1)
