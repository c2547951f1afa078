"""Objects that change, soft gating, and series within a subspace, against their definitions."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative


def test_phantoms_over_time():
    curve = [whorl.phantom.contrast_curve(t, arrival_s=1, peak_s=2, enhancement=0.5) for t in (0.5, 3, 5)]
    # u exp(1 - u) of u = -1/4, 1 and 2.
    assert np.allclose(curve, [0, 0.5, 0.5 * 2 * np.exp(-1)], rtol=1e-12)
    assert whorl.phantom.beating_phantom(0.3).dim == 2
    # A whole beat later, before the agent, it is the same; half a beat later it is not.
    at = [whorl.phantom.rasterize(whorl.phantom.beating_phantom(t, rate_hz=2, arrival_s=9), (40, 40)) for t in (0.1, 0.6, 0.35)]
    assert np.allclose(at[0], at[1], atol=1e-6) and relative(at[2], at[0]) > 0.01
    times = whorl.phantom.t2_phantom_map((40, 48))
    assert times.shape == (40, 48) and set(np.unique(times).round(3)) == set(np.float32([0, 0.03, 0.05, 0.06, 0.08, 0.12, 0.2]))
    before, after = (whorl.phantom.rasterize(whorl.phantom.t2_phantom(t), (40, 48)) for t in (0, 0.05))
    there = times > 0
    assert np.allclose(after[there], before[there] * np.exp(-0.05 / times[there]), rtol=1e-5)
    with pytest.raises(whorl.ValueError):
        whorl.phantom.beating_phantom(0, stroke=1)
    with pytest.raises(whorl.ValueError):
        whorl.phantom.t2_phantom(-1)


def test_scan_of_an_object_that_changes():
    trajectory = whorl.trajectory.radial_trajectory(8, 32, "golden")
    plan = whorl.Scan(trajectory, (16, 16))
    assert plan.readout_interval_ms == 0
    with pytest.raises(whorl.ValueError, match="readout-interval"):
        whorl.phantom.dynamic_phantom_scan(whorl.phantom.beating_phantom, plan)
    plan.readout_interval_ms = 50
    with pytest.raises(whorl.ValueError, match="readout_interval_ms"):
        plan.readout_interval_ms = float("nan")
    times = []

    def phantom(time):
        times.append(time)
        return whorl.phantom.beating_phantom(time)

    scan = whorl.phantom.dynamic_phantom_scan(phantom, plan, coils=3)
    assert np.allclose(sorted(set(times)), 0.05 * np.arange(8))
    coils = whorl.phantom.make_phantom_coils((16, 16), 3)
    data = scan.frames[0].data
    for n in range(8):
        part = slice(32 * n, 32 * n + 32)
        exact = whorl.phantom.phantom_samples(whorl.phantom.beating_phantom(0.05 * n), (16, 16), trajectory.points[part], coils)
        assert relative(data[:, part], exact) < 1e-6  # rounding of float
    with pytest.raises(TypeError, match="Phantom"):
        whorl.phantom.dynamic_phantom_scan(lambda time: time, plan)
    with pytest.raises(ZeroDivisionError):
        whorl.phantom.dynamic_phantom_scan(lambda time: whorl.phantom.beating_phantom(1 / time), plan)


def test_weights_of_soft_gating(rng):
    values = np.concatenate([rng.normal(2, 0.3, 60), rng.uniform(-3, 5, 40)])
    rng.shuffle(values)
    found = whorl.correct.gating_weights(values, 0.4)
    # All intervals between two values that have 40 of the 100 in them.
    low, high = min(
        ((a, b) for a in values for b in values if ((values >= a) & (values <= b)).sum() == 40), key=lambda pair: pair[1] - pair[0]
    )
    beyond = np.maximum(np.maximum(low - values, values - high), 0)
    assert np.allclose(found, np.exp(-((beyond / ((high - low) / 2)) ** 2) / 2), rtol=1e-12)
    for wrong in (-0.1, 1.5):
        with pytest.raises(whorl.ValueError):
            whorl.correct.gating_weights(values, wrong)
    with pytest.raises(whorl.ValueError, match="not finite"):
        whorl.correct.gating_weights([0, np.nan], 0.5)


def test_signal_of_a_frame():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(400, 64, "golden"), (32, 32))
    plan.readout_interval_ms = 10
    measured = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=3)
    # Five beats of 1.25 Hz.
    phase = 2 * np.pi * 1.25 * 0.01 * np.arange(400)
    measured.frames[0].data[:] *= np.repeat(1 + 0.2 * np.cos(phase), 64).astype("float32")
    signal = whorl.correct.gating_signal(measured, gate_band=(0.7, 2))
    assert signal.frequency_hz == pytest.approx(1.25)
    assert abs(np.corrcoef(signal.values, np.cos(phase))[0, 1]) > 0.95
    assert np.array_equal(whorl.correct.gating_weights(signal, 0.3), whorl.correct.gating_weights(signal.values, 0.3))
    with pytest.raises(whorl.ValueError, match="frame 1, expected 0 to 0"):
        whorl.correct.gating_signal(measured, 1)


def test_bases(rng):
    vectors = complex_normal(rng, (7, 3), "complex128")
    basis = whorl.fit.basis_of_vectors(vectors, 2)
    assert (basis.frames, basis.components, basis.part) == (7, 2, 1)
    q = np.linalg.qr(vectors[:, :2])[0]
    # The projections onto the same space.
    assert np.allclose(basis.vectors @ basis.vectors.conj().T, q @ q.conj().T, atol=1e-12)

    times = 8.0 * np.arange(1, 13)
    signals = whorl.fit.decay_signals("t2", (10, 500), times)
    relaxation = np.geomspace(10, 500, 256)
    assert np.allclose(signals, np.exp(-times / relaxation[:, None]), atol=1e-12)
    recovery = whorl.fit.decay_signals("t1", (10, 500), times)
    assert np.allclose(recovery, 1 - 2 * np.exp(-times / relaxation[:, None]), atol=1e-12)
    basis = whorl.fit.basis_of_signals(signals, 3)
    _, s, vh = np.linalg.svd(signals)
    assert np.allclose(basis.vectors @ basis.vectors.conj().T, vh[:3].T @ vh[:3].conj(), atol=1e-9)
    assert basis.part == pytest.approx((s[:3] ** 2).sum() / (s**2).sum(), abs=1e-12)
    with pytest.raises(whorl.ValueError):
        whorl.fit.basis_of_signals(signals, 13)
    with pytest.raises(whorl.ValueError, match="t1 or t2"):
        whorl.fit.decay_signals("t3", (10, 500), times)


def test_series_within_a_subspace(rng):
    ny, nx, coils, frames, rank = 10, 12, 4, 6, 2
    points = [rng.uniform(-0.5, 0.5, (90, 2)) for _ in range(frames)]
    maps = complex_normal(rng, (coils, ny, nx))
    maps /= np.sqrt((abs(maps) ** 2).sum(0))
    basis = whorl.fit.basis_of_vectors(complex_normal(rng, (frames, rank), "complex128"), rank)
    truth = complex_normal(rng, (rank, ny, nx))
    images = np.einsum("tk,kyx->tyx", basis.vectors, truth)
    data = [(maps * images[t]).reshape(coils, -1) @ exact_dft(points[t], (ny, nx)).T for t in range(frames)]
    scan = whorl.Scan(points, (ny, nx), np.array(data, "complex64"), coil_maps=maps)
    options = dict(maps="file", prewhitening=False, nufft_tolerance=1e-6)
    found = whorl.recon(scan, subspace=basis, lambda_=0, iterations=200, tolerance=1e-7, **options)
    assert found.images.shape == (rank, 1, ny, nx)
    # 2160 equations for 240 numbers, without noise: of the NUFFT's 1e-6 and float's rounding, times the condition.
    assert relative(found.images[:, 0], truth) < 1e-3
    series = whorl.fit.subspace_frames(found.images, basis)
    assert relative(series[:, 0], images) < 1e-3
    assert whorl.recon(scan, subspace=basis, dry_run=True, **options).bytes > 8 * 90 * coils
    with pytest.raises(whorl.Error, match="g-factor|error bars"):
        whorl.recon(scan, subspace=basis, gfactor=True, **options)
    with pytest.raises(whorl.ValueError, match="frames"):
        whorl.recon(scan, subspace=whorl.fit.basis_of_vectors(complex_normal(rng, (5, 2)), 2), **options)


def test_basis_at_low_resolution():
    trajectory = whorl.trajectory.radial_trajectory(5 * 21, 64, "golden")
    plan = whorl.Scan(trajectory, (32, 32))
    plan.readout_interval_ms = 5
    scan = whorl.make_frames(whorl.phantom.dynamic_phantom_scan(whorl.phantom.beating_phantom, plan, coils=3), spokes_per_frame=21).scan
    basis = whorl.fit.low_resolution_basis(scan, 3)
    assert (basis.frames, basis.components) == (5, 3) and 0.9 < basis.part <= 1
    assert np.allclose(basis.vectors.conj().T @ basis.vectors, np.eye(3), atol=1e-12)
    with pytest.raises(whorl.ValueError):
        whorl.fit.low_resolution_basis(scan, 6)
