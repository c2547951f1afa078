"""From phantoms to images."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


@pytest.fixture(scope="module")
def scan():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(60, 64), (32, 32))
    return whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=4, noise=1e-3)


def test_phantom_scan(scan):
    assert scan.coils == 4 and scan.image_shape == (32, 32)
    assert scan.frames[0].data.shape == (4, 3840) and scan.noise.shape == (4, 4096)
    coils = whorl.phantom.make_phantom_coils((32, 32), 4)
    exact = whorl.phantom.phantom_samples(whorl.phantom.brain_phantom(), (32, 32), scan.frames[0].trajectory, coils)
    noise = np.abs(scan.frames[0].data - exact)
    # Root mean square of 15360 values of standard deviation 1e-3: to 2 %.
    assert abs(np.sqrt((noise**2).mean()) / 1e-3 - 1) < 0.05
    assert coils.maps().shape == (4, 32, 32)


def cartesian_image(samples):
    """Image of full Cartesian k-space in the order of cartesian_trajectory, by NumPy."""
    k = samples.reshape(*samples.shape[:-1], 32, 32)
    return np.fft.fftshift(np.fft.ifft2(np.fft.ifftshift(k, axes=(-2, -1)), norm="ortho"), axes=(-2, -1))


def test_reconstruction_of_cartesian_data_is_their_fft():
    plan = whorl.Scan(whorl.trajectory.cartesian_trajectory((32, 32)), (32, 32))
    scan = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=3)
    expected = np.sqrt((abs(cartesian_image(scan.frames[0].data)) ** 2).sum(0))
    result = whorl.recon(scan, method="gridding", prewhitening=False, density="none", nufft_tolerance=1e-4, mask="none")
    # The scale of gridding is its own; tolerance 1e-4 of the transform, and that of the scale.
    assert whorl.scaled_error(abs(result.images[0, 0]), expected).nrmse < 1e-3


@pytest.mark.parametrize("method", ["cg-sense", "gridding"])
def test_reconstruction_shows_the_phantom(scan, method):
    # Without the default lambda, which takes noise and details together.
    result = whorl.recon(scan, method=method, **({"lambda_": 1e-4} if method == "cg-sense" else {}))
    assert result.images.shape == (1, 1, 32, 32) and result.images.dtype == np.complex64
    exact = whorl.phantom.phantom_samples(whorl.phantom.brain_phantom(), (32, 32), whorl.trajectory.cartesian_trajectory((32, 32)))
    maps = whorl.phantom.make_phantom_coils((32, 32), 4).maps()
    truth = abs(cartesian_image(exact)) * np.sqrt((abs(maps) ** 2).sum(0))
    # Spokes leave out the corners of k-space, a fifth of its area: the details along the diagonals.
    assert whorl.scaled_error(abs(result.images[0, 0]), truth.astype("float32")).nrmse < 0.15
    assert len(result.frames) == 1 and result.notes and result.stage_seconds


def test_reconstruct_is_least_squares(scan):
    # Parts give the same image: whitened data, maps, transform, solver.
    white = whorl.prewhiten(scan)
    maps = whorl.estimate_coil_maps(scan)
    result = whorl.recon(scan, iterations=40, tolerance=1e-4, lambda_=1e-3, nufft_tolerance=1e-4, normal_method="pair", mask="none")
    A = whorl.SenseNufft(whorl.Nufft(scan.frames[0].trajectory, (32, 32), 4, tolerance=1e-4), maps[0, :, 0])
    x, _ = whorl.least_squares(A, white.frames[0].data, lambda_=1e-3, iterations=40)
    # Both stop at a residual of 1e-4; the eigenvalues agree to 1e-3 of lambda's share.
    assert relative(x, result.images[0, 0]) < 5e-3


def test_options_of_a_reconstruction(scan):
    chosen = whorl.recon(scan, lambda_="gcv", lambda_per_decade=2, lambda_highest=10.0)
    (slice_, choice), = chosen.lambdas
    assert slice_ == 0 and choice.method == "gcv" and 1e-5 <= choice.value <= 10 and choice.reason
    bars = whorl.recon(scan, stddev=True, replicas=4, gfactor=True, psf=[(16, 16, 0)], iterations=5)
    assert bars.stddev.shape == (1, 1, 32, 32) and bars.gfactor.shape == (1, 1, 32, 32)
    assert bars.psf.shape == (1, 1, 32, 32) and bars.bias is None
    assert bars.psf_widths[0][0] > 0.5
    with pytest.raises(ValueError, match="lambda_probes has an effect only with cg-sense with lambda_ gcv"):
        whorl.recon(scan, lambda_probes=2)
    with pytest.raises(ValueError, match="iterations has an effect only with cg-sense"):
        whorl.recon(scan, method="gridding", iterations=3)
    with pytest.raises(TypeError, match="methode"):
        whorl.recon(scan, methode="gridding")
    assert whorl.recon(scan, dry_run=True).bytes > 32 * 32 * 8


def test_maps_sets_and_certificates_come_back(scan):
    plain = whorl.recon(scan, iterations=5)
    assert plain.coil_maps is None and plain.set_images is None and plain.certificates == []
    kept = whorl.recon(scan, iterations=5, save_maps=True, certify=100, nufft_tolerance=1e-3)
    assert kept.coil_maps.shape == (1, 1, 4, 1, 32, 32)
    assert relative(kept.coil_maps[:, 0], whorl.estimate_coil_maps(scan)) < 1e-6  # the same steps: rounding
    (certificate,) = kept.certificates
    # The tolerance is of the root mean square; 3: the image is smooth, and its samples are few.
    assert certificate.slice == 0 and certificate.samples >= 100
    assert 0 < certificate.relative_error < 3e-3 and certificate.relative_error <= certificate.bound
    sets = whorl.recon(scan, method="nlinv", nlinv_sets=2, nlinv_steps=4)
    assert sets.set_images.shape == (1, 2, 1, 32, 32)
    with pytest.raises(TypeError, match="save_maps"):
        whorl.estimate_coil_maps(scan, save_maps=True)


def test_filters_of_the_images(scan):
    plain = whorl.recon(scan, iterations=5)
    smooth = whorl.recon(scan, iterations=5, filter="gaussian 1.5")
    expected = whorl.filters.gaussian(plain.images[0, 0], 1.5)
    # Floats of two programs of the same sums: rounding.
    assert relative(smooth.images[0, 0], expected) < 1e-5
    with pytest.raises(ValueError, match="gausian"):
        whorl.recon(scan, filter="gausian 1.5")


def test_prior(scan):
    reference = whorl.io.ReferenceImage(whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (32, 32), 4))
    result = whorl.recon(scan, prior=reference, lambda_=0.5)
    assert relative(result.images, whorl.recon(scan, lambda_=0.5, penalty="smoothness").images) > 1e-3
    with pytest.raises(ValueError, match="reference"):
        whorl.recon(scan, penalty="prior")


def test_support(scan):
    inside = np.zeros((32, 32))
    inside[6:26, 4:30] = 1
    held = whorl.recon(scan, support=inside).images[0, 0]
    assert np.all(held[inside == 0] == 0)
    assert np.any(whorl.recon(scan, support="none", maps="walsh").images[0, 0][inside == 0] != 0)
    # The first row has one pixel of the inscribed circle, the middle one all.
    ball = whorl.recon(scan, support="ball", maps="walsh").images[0, 0]
    assert np.all(np.delete(ball[0], 16) == 0) and np.all(ball[16] != 0)
    with pytest.raises(ValueError, match="support"):
        whorl.recon(scan, support=np.zeros((32, 32)))


def test_maps_may_be_arrays(rng):
    plan = whorl.Scan(whorl.trajectory.spiral_trajectory(8, 200, 4), (32, 32), dwell_us=10)
    scan = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=4, noise=1e-3)
    field = rng.uniform(-20, 20, (32, 32))
    by_array = whorl.recon(scan, field_map=field, iterations=3)
    by_image = whorl.recon(scan, field_map=whorl.io.ReferenceImage(field), iterations=3)
    np.testing.assert_array_equal(by_array.images, by_image.images)
    assert relative(by_array.images, whorl.recon(scan, iterations=3).images) > 1e-3
    assert repr(by_array) == "<whorl.Reconstruction of images [1, 1, 32, 32]>"
    with pytest.raises(TypeError, match="field_map"):
        whorl.recon(scan, field_map=object())


def test_the_scan_stays_as_it_is(scan):
    before = scan.frames[0].data.copy()
    whorl.recon(scan, iterations=1)
    np.testing.assert_array_equal(scan.frames[0].data, before)


def test_scans_of_arrays(rng):
    trajectories = [whorl.trajectory.radial_trajectory(10, 16), whorl.trajectory.radial_trajectory(10, 16, "uniform")]
    data = complex_normal(rng, (2, 3, 160))
    scan = whorl.Scan(trajectories, (16, 16), data, weights=np.ones(160), dwell_us=4.0, trajectory_kind="radial")
    assert [frame.index.repetition for frame in scan.frames] == [0, 1]
    np.testing.assert_array_equal(scan.frames[1].trajectory.points, trajectories[1].points)
    np.testing.assert_array_equal(scan.frames[0].weights, np.ones(160))
    for wrong, match in [
        (dict(data=data[:, :, :50]), "50 samples"),
        (dict(data=data[0, 0, :50]), "expected"),
        (dict(data=data[0, 0]), "2 trajectories for 1 frames"),
        (dict(data=data, weights=np.ones(5)), "weights"),
        (dict(data=data, noise=np.ones((2, 50), "complex64")), "noise has shape .* 3 coils"),
        (dict(data=data, coil_maps=np.ones((2, 16, 16), "complex64")), "coil_maps"),
    ]:
        with pytest.raises(whorl.ShapeError, match=match):
            whorl.Scan(trajectories, (16, 16), **wrong)
    with pytest.raises(whorl.ShapeError, match="columns"):
        whorl.Scan(trajectories[0], (16, 16, 4))
    with pytest.raises(whorl.ValueError, match="no data"):
        whorl.Scan(trajectories[0], (16, 16), coil_maps=np.ones((3, 16, 16), "complex64"))
    # Maps can come later.
    assert scan.coil_maps is None
    maps = complex_normal(rng, (3, 16, 16))
    scan.coil_maps = maps
    np.testing.assert_array_equal(scan.coil_maps, maps[:, None])
    with pytest.raises(whorl.ShapeError, match=r"\[2, 16, 16\], expected \[3, 16, 16\]"):
        scan.coil_maps = maps[:2]
    scan.coil_maps = None
    assert scan.coil_maps is None


def test_parts_of_calibration(rng):
    noise = complex_normal(rng, (3, 500), "complex128")
    mix = complex_normal(rng, (3, 3), "complex128")
    covariance = whorl.coils.noise_covariance(mix @ noise)
    np.testing.assert_allclose(covariance, (mix @ noise) @ (mix @ noise).conj().T / 500, rtol=1e-10)
    white = whorl.coils.apply_channel_matrix(whorl.coils.prewhitening_matrix(covariance), mix @ noise)
    np.testing.assert_allclose(white @ white.conj().T / 500, np.eye(3), atol=1e-10)
    images = complex_normal(rng, (4, 12, 13))
    np.testing.assert_allclose(whorl.coils.root_sum_of_squares(images), np.sqrt((abs(images) ** 2).sum(0)), rtol=1e-5)
    maps = complex_normal(rng, (4, 12, 13))
    expected = (maps.conj() * images).sum(0) / (abs(maps) ** 2).sum(0)
    assert relative(whorl.coils.matched_combination(images, maps), expected) < 1e-5
    np.testing.assert_allclose((abs(whorl.coils.unit_maps(maps)) ** 2).sum(0), 1, rtol=1e-5)
    matrix, energies = whorl.coils.coil_compression(complex_normal(rng, (4, 200)), coils=2)
    assert matrix.shape == (2, 4) and abs(sum(energies) - 1) < 1e-6
    found, eigenvalues = whorl.coils.espirit(complex_normal(rng, (3, 20, 20)), (24, 26), kernel=5)
    assert found.shape == (3, 24, 26) and eigenvalues.shape == (24, 26)
    assert whorl.coils.walsh(images, block=5).shape == (4, 12, 13)


def test_density_weights():
    trajectory = whorl.trajectory.radial_trajectory(80, 64, "uniform")
    for method in ("auto", "radial", "pipe-menon", "voronoi", "cells", "none"):
        weights = whorl.trajectory.density_weights(trajectory, (32, 32), method)
        assert weights.dtype == np.float32 and abs(weights.sum() / trajectory.samples - 1) < 1e-4
    quality = whorl.trajectory.density_quality(trajectory, whorl.trajectory.density_weights(trajectory, (32, 32)), (32, 32))
    assert quality["side_lobe"] < 0.2 and 0.5 < quality["width"] < 2
    np.testing.assert_allclose(whorl.trajectory.normalize_weights(np.array([1.0, 3.0])), [0.5, 1.5])
    with pytest.raises(ValueError, match="expected one of auto"):
        whorl.trajectory.density_weights(trajectory, (32, 32), "best")


def test_joint_scans_are_one_image():
    def scan_of(spokes, coils, noise):
        plan = whorl.Scan(whorl.trajectory.radial_trajectory(spokes, 64), (32, 32))
        return whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=coils, noise=noise)

    first, second = scan_of(40, 4, 1e-3), scan_of(30, 3, 3e-3)
    alone = whorl.recon(first, lambda_=1e-4)
    assert np.array_equal(whorl.recon([first], joint=True, lambda_=1e-4).images, alone.images)
    both = whorl.recon([first, second], joint=True, lambda_=1e-4)
    assert both.images.shape == alone.images.shape
    assert any("Joint scans: 2 of one object, 7 coils in all." in note for note in both.notes)
    # Without joint a list has an image of each.
    assert len(whorl.recon([first, second], lambda_=1e-4)) == 2
    with pytest.raises(ValueError, match="joint scans: are not for gridding"):
        whorl.recon([first, second], joint=True, method="gridding")
    with pytest.raises(ValueError, match="expected a list"):
        whorl.recon([], joint=True)
