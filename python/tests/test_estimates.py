"""Field maps, NLINV and gradient delays, from data that are made by formulas."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative


def test_field_map():
    y, x = np.mgrid[-1:1:20j, -1:1:24j]
    field = 90 * x * y - 30 * y + 25
    times = np.array([2e-3, 3e-3, 5.5e-3])
    coils = np.stack([1 + 0.5 * x, (1 - 0.4 * y) * np.exp(1j * x)])
    decay = np.exp(-40 * times)[:, None, None, None]
    echoes = 50 * decay * coils * np.exp(-2j * np.pi * field * times[:, None, None, None])
    found = whorl.fit.estimate_field_map(echoes.astype("complex64"), times, smoothness=0, noise=0.1)
    assert found.mask.all() and found.regions == 1 and found.agreement > 1 - 1e-6
    # Phases are rounded to 1e-7: 1e-7 / (2 pi 1 ms) is 2e-5 Hz. The quadratic steps end at a hundred times as much.
    assert np.allclose(found.hertz, field, atol=2e-3)
    # The bound of Cramer and Rao, from its formula.
    energy = (abs(echoes) ** 2).sum(1)
    mean = (energy * times[:, None, None]).sum(0) / energy.sum(0)
    spread = (energy * (times[:, None, None] - mean) ** 2).sum(0)
    assert np.allclose(found.error, 0.1 / (2 * np.pi * np.sqrt(spread)), rtol=1e-4)
    assert whorl.fit.estimate_field_map(echoes.astype("complex64"), times).error is None


def test_field_from_a_readout(rng):
    """Spirals of 12 ms in a field of a blob, by sums over the pixels: each turns by its own field times the sample's time."""
    ny, nx, coils = 26, 30, 6
    trajectory = whorl.trajectory.spiral_trajectory(6, 200, 3)
    y, x = np.mgrid[:ny, :nx]
    truth = 100 * np.exp(-((x - 19) ** 2 + (y - 16) ** 2) / 70) - 30
    # A smooth object: beyond |k| = 1/2, where spirals do not sample, there is next to nothing.
    image = np.exp(-(((x - 15) / 8) ** 4) - ((y - 13) / 7) ** 4) * (1 + 0.5 * np.cos(0.5 * x) * np.cos(0.4 * y))
    maps = whorl.phantom.make_phantom_coils((ny, nx), coils).maps()
    maps /= np.sqrt((abs(maps) ** 2).sum(0))
    times = 60e-6 * (np.arange(len(trajectory.points)) % 200)
    matrix = exact_dft(trajectory.points, (ny, nx)) * np.exp(-2j * np.pi * np.outer(times, truth.ravel()))
    data = (maps * image).reshape(coils, -1) @ matrix.T + 0.01 * complex_normal(rng, (coils, len(times)))
    where = whorl.Geometry()
    where.field_of_view_mm = (nx, ny, 1)
    scan = whorl.Scan(trajectory, (ny, nx), data.astype("complex64"), coil_maps=maps, geometry=where, dwell_us=60)
    found = whorl.fit.readout_field(scan, maps="file", prewhitening=False, readout_start=0)
    inside = image > 0.1 * image.max()
    # A fifth: as in the test of the library, whose object has edges.
    assert np.linalg.norm((found.hertz - truth)[inside]) < 0.2 * np.linalg.norm(truth[inside])
    assert found.error_after < found.error_before and found.significance > 5 and 0 < found.steps <= 10
    corrected = whorl.recon(scan, maps="file", prewhitening=False, readout_start=0,
                            field_map=whorl.io.ReferenceImage(found.hertz)).images[0, 0]  # fmt: skip
    plain = whorl.recon(scan, maps="file", prewhitening=False).images[0, 0]
    assert relative(abs(corrected), image) < 0.5 * relative(abs(plain), image)
    still = exact_dft(trajectory.points, (ny, nx))
    data = (maps * image).reshape(coils, -1) @ still.T + 0.01 * complex_normal(rng, (coils, len(times)))
    at_rest = whorl.Scan(trajectory, (ny, nx), data.astype("complex64"), coil_maps=maps, geometry=where, dwell_us=60)
    with pytest.raises(whorl.ValueError, match="field from readout"):
        whorl.fit.readout_field(at_rest, maps="file", prewhitening=False, readout_start=0)
    with pytest.raises(TypeError, match="larmor"):
        whorl.fit.readout_field(scan, larmor_mhz=64)


def test_nlinv():
    trajectory = whorl.trajectory.radial_trajectory(61, 96)
    coils = whorl.phantom.make_phantom_coils((48, 48), 4)
    data = whorl.phantom.phantom_samples(whorl.phantom.brain_phantom(), (48, 48), trajectory, coils).astype("complex64")
    A = whorl.Nufft(trajectory, (48, 48), coils=4, normal="toeplitz")
    nlinv = whorl.coils.Nlinv((48, 48), 4, reduction=2)
    report = nlinv.solve(A, data)
    # Halved from step to step, and no less than the noise's weight.
    weights = [step.alpha for step in report.steps]
    assert weights[:3] == [1, 0.5, 0.25] and weights == sorted(weights, reverse=True) and len(weights) <= 7
    image, maps = nlinv.image(), nlinv.maps()
    assert image.shape == (48, 48) and maps.shape == (1, 4, 48, 48) and nlinv.set_images().shape == (1, 48, 48)
    # Where maps are not 0 their root of the sum of squares is 1.
    assert np.allclose((abs(maps[0]) ** 2).sum(0), 1, atol=1e-5)
    # The misfit is that of image and maps together, by the exact transform; the NUFFT differs by 1e-4.
    rest = (maps[0] * image).reshape(4, -1) @ exact_dft(trajectory.points, (48, 48)).T - data
    assert abs(np.linalg.norm(rest) / np.linalg.norm(data) - report.misfit) < 1e-3
    # Less penalty, less misfit; the first step starts from maps of 0.
    misfits = [step.misfit for step in report.steps] + [report.misfit]
    assert misfits[0] == 1 and misfits == sorted(misfits, reverse=True)
    with pytest.raises(whorl.ValueError, match="precisions"):
        whorl.coils.Nlinv((48, 48), 4, dtype="complex128").solve(A, data)
    # The next frame starts where this one ended.
    assert nlinv.solve(A, data).steps[0].misfit < report.steps[1].misfit


def test_nlinv_of_several_sets(rng):
    trajectory = whorl.trajectory.radial_trajectory(31, 48)
    A = whorl.Nufft(trajectory, (24, 24), coils=2)
    nlinv = whorl.coils.Nlinv((24, 24), 2, sets=2, steps=3, iterations=10)
    nlinv.solve(A, complex_normal(rng, (2, len(trajectory))))
    assert nlinv.maps().shape == (2, 2, 24, 24) and nlinv.set_images().shape == (2, 24, 24)


def spokes_moved(trajectory, delays):
    """The places of the samples, from the definition: along a spoke of direction n by D n steps."""
    points = trajectory.points.reshape(-1, trajectory.readout_length, 2)
    step = points[:, 1] - points[:, 0]
    length = np.linalg.norm(step, axis=1, keepdims=True)
    matrix = np.array([[delays.x, delays.xy], [delays.xy, delays.y]])
    moved = points + (length * ((step / length) @ matrix))[:, None]
    return moved.reshape(-1, 2)


def test_delays_are_found_and_applied():
    trajectory = whorl.trajectory.radial_trajectory(31, 96)
    delays = whorl.correct.GradientDelays(x=0.4, y=-0.3, xy=0.1)
    points = np.clip(spokes_moved(trajectory, delays), -0.5, 0.5)
    assert np.allclose(whorl.trajectory.delayed(trajectory, delays).points, points, atol=1e-12)
    coils = whorl.phantom.make_phantom_coils((48, 48), 4)
    data = whorl.phantom.phantom_samples(whorl.phantom.shepp_logan(), (48, 48), points, coils).astype("complex64")
    found = whorl.correct.estimate_delays(trajectory, data, (48, 48))
    # 0.01 samples is what the estimate states for an SNR of 20 (correct/estimate_delays.hpp); these data have no noise.
    for name in ("x", "y", "xy"):
        assert abs(getattr(found.delays, name) - getattr(delays, name)) < 0.01
    assert found.standard_error < 0.01 and found.samples > 0
    with pytest.raises(whorl.ShapeError):
        whorl.correct.estimate_delays(trajectory, data[:, 1:], (48, 48))
