"""What is given has an effect, or is refused."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


@pytest.fixture(scope="module")
def scan():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(60, 32), (16, 16))
    plan.readout_interval_ms = 10
    beating = lambda t: whorl.phantom.beating_phantom(t, rate_hz=1.0)
    return whorl.phantom.dynamic_phantom_scan(beating, plan, coils=4, noise=1e-3)


@pytest.mark.parametrize(
    "options",
    [
        {"regularize": {"tv": 0.1}},
        {"regularize": {"tv:1"}},
        {"regularize": b"tv:1"},
        {"regularize": [("tv", 0.5)]},
        {"regularize": [3]},
        {"save_maps": [0]},
        {"save_maps": 1},
        {"iterations": True},
        {"iterations": 3.0},
        {"nufft_tolerance": False},
        {"method": b"gridding"},
        {"method": 3},
        {"maps": "walsh", "calibration": 12},
        {"maps": "walsh", "method": "gridding"},
        {"lambda_probes": 2},
        {"joint": True},
        {"readout_interval": 5},
    ],
)
def test_what_has_no_meaning_is_refused(scan, options):
    with pytest.raises((TypeError, ValueError)):
        whorl.recon(scan, **{"iterations": 2, **options})


def test_terms_are_texts_and_objects(scan):
    text = whorl.recon(scan, iterations=4, regularize="tv:0.5,axes=xy").images
    for same in (["tv:0.5,axes=xy"], whorl.TV(0.5, axes="xy"), [whorl.TV(0.5, axes="xy")]):
        np.testing.assert_array_equal(whorl.recon(scan, iterations=4, regularize=same).images, text)
    assert relative(whorl.recon(scan, iterations=4).images, text) > 1e-3
    two = whorl.recon(scan, iterations=4, regularize="tv:0.5,axes=xy wavelet:1,taps=4").images
    both = [whorl.TV(0.5, axes="xy"), "wavelet:1,taps=4"]
    np.testing.assert_array_equal(whorl.recon(scan, iterations=4, regularize=both).images, two)
    assert repr(both[0]) == "TV(0.5, axes='xy')" and str(whorl.Positive()) == "positive"
    for wrong in ({"tv": 0.1}, [("tv", 0.1)], whorl.TV, 0.1):
        with pytest.raises(ValueError, match=r"expected a text \('tv:0.1'\), a term \(whorl.TV\(0.1\)\), a function"):
            whorl.recon(scan, regularize=wrong)
    with pytest.raises(whorl.ShapeError, match="list of lists of numbers"):
        whorl.Scan([[0.1, 0.2], [0.3, 0.1]], (8, 8))
    with pytest.raises(ValueError, match="taps has an effect with wavelet alone"):
        whorl.recon(scan, regularize=[whorl.Positive(), "tv:1,taps=4"])


def test_soft_gating_has_its_weights(scan):
    framed = whorl.make_frames(scan, soft_gate=0.5, gate_band=(0.5, 2)).scan
    signal = whorl.correct.gating_signal(scan, gate_band=(0.5, 2))
    np.testing.assert_array_equal(framed.sample_weights, whorl.correct.gating_weights(signal, 0.5))
    soft = whorl.recon(framed, iterations=5).images
    np.testing.assert_array_equal(whorl.recon(scan, iterations=5, sample_weights=framed.sample_weights).images, soft)
    assert relative(whorl.recon(scan, iterations=5).images, soft) > 1e-3


def test_samples_of_no_weight_do_not_count(scan):
    # Spokes of weight 0 with data of another object: the image is that without them.
    weights = np.repeat([1.0, 0.0], 30)
    data = scan.frames[0].data.copy()
    data[:, 30 * 32 :] = 7
    options = dict(iterations=4, maps=whorl.estimate_coil_maps(scan), prewhitening=False, tolerance=0.0, lambda_=1e-3)
    spoiled = whorl.recon(scan.replace(data=data), sample_weights=weights, **options).images
    np.testing.assert_allclose(spoiled, whorl.recon(scan, sample_weights=np.repeat(weights, 32), **options).images)
    for wrong in (np.ones(7), -weights, weights * np.nan):
        with pytest.raises(ValueError, match="sample weights"):
            whorl.recon(scan, sample_weights=wrong)
        with pytest.raises(ValueError, match="sample weights"):
            scan.sample_weights = wrong
    weighted = scan.replace(sample_weights=weights)
    np.testing.assert_array_equal(weighted.sample_weights, weights)
    assert scan.sample_weights is None
    np.testing.assert_array_equal(whorl.correct.shift_k_space(weighted, (0.5, 0, 0)).sample_weights, weights)
    with pytest.raises(ValueError, match="sample weights"):
        whorl.make_frames(weighted, spokes_per_frame=10)
    with pytest.raises(ValueError, match="sample_weights"):
        whorl.write_scan(weighted, "never.h5")


def test_new_parts_keep_the_rest(scan, rng):
    geometry = whorl.Geometry()
    geometry.field_of_view_mm = (220, 240, 5)
    placed = scan.replace(geometry=geometry, noise=complex_normal(rng, (4, 100)))
    delayed = whorl.correct.undo_delays(placed, whorl.correct.GradientDelays(x=0.5))
    moved = placed.replace(trajectory=whorl.trajectory.delayed(placed.frames[0].trajectory, whorl.correct.GradientDelays(x=0.5)))
    for one in (delayed, moved):
        assert one.frames[0].geometry.field_of_view_mm == [220, 240, 5] or one.frames[0].geometry.field_of_view_mm == (220, 240, 5)
        assert one.readout_interval_ms == 10
        np.testing.assert_array_equal(one.noise, placed.noise)
        np.testing.assert_array_equal(one.frames[0].data, placed.frames[0].data)
        np.testing.assert_array_equal(one.frames[0].trajectory.points, moved.frames[0].trajectory.points)
    assert relative(moved.frames[0].trajectory.points, placed.frames[0].trajectory.points) > 1e-4
    with pytest.raises(ValueError, match="auto"):
        whorl.correct.undo_delays(scan, "always")
    with pytest.raises(whorl.ShapeError):
        scan.replace(data=complex_normal(rng, (4, 7)))


def test_delays_are_numbers_or_what_was_found(scan):
    found = whorl.correct.GradientDelays(x=0.3, y=-0.2, xy=0.1)
    numbers = (0.3, -0.2, 0.1)
    images = [whorl.recon(scan, iterations=3, delays=delays).images for delays in (found, numbers, np.array(numbers))]
    undone = [whorl.recon(whorl.correct.undo_delays(scan, delays), iterations=3).images for delays in (found, numbers)]
    for same in (*images[1:], *undone):
        np.testing.assert_array_equal(same, images[0])
    for wrong in ((0.3,), (0.3, 0.2, 0.1, 0.0), whorl.correct.GradientDelays(x=0.3, z=0.1)):
        with pytest.raises(ValueError, match="expected X,Y|expected 2 to 6 numbers"):
            whorl.recon(scan, delays=wrong)


def test_options_of_another_method_or_format_are_refused(tmp_path):
    spokes = whorl.trajectory.radial_trajectory(20, 32)
    for options in (dict(cell=2), dict(boundary="hull"), dict(pipe_menon_iterations=3), dict(from_file=np.ones(640))):
        (name,) = options
        with pytest.raises(whorl.ValueError, match=f"density_weights: {name} has an effect only with method"):
            whorl.trajectory.density_weights(spokes, (16, 16), "radial", **options)
    assert whorl.trajectory.density_weights(spokes, (16, 16), "cells", cell=2).any()
    with pytest.raises(whorl.ValueError, match="bids_sidecar has an effect only with NIfTI"):
        whorl.write_image(tmp_path / "a.png", np.ones((16, 16), "float32"), bids_sidecar=True)
    assert not list(tmp_path.iterdir())
    with pytest.raises(whorl.ValueError, match="frame_step has an effect only with spokes_per_frame"):
        whorl.make_frames(whorl.Scan(spokes, (16, 16), np.ones((1, 640), "complex64")), frame_step=2)
