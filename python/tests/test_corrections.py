"""Motion, frames, shifts, gradient responses and the examination of scans, against their definitions."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


def geometry(x, y, z=5.0):
    where = whorl.Geometry()
    where.field_of_view_mm = (x, y, z)
    return where


@pytest.fixture
def scan(rng):
    trajectory = whorl.Trajectory(rng.uniform(-0.3, 0.3, (6 * 10, 2)), readout_length=10)
    data = complex_normal(rng, (3, 60))
    return whorl.Scan(trajectory, (24, 20), data, geometry=geometry(100, 96))


def test_motion_is_undone_as_defined(scan):
    poses = [whorl.correct.ObjectPose(shift_mm=(5, -2, 0), rotation_degrees=(0, 0, 20)), whorl.correct.ObjectPose((0, 4, 0))]
    still = whorl.correct.undo_motion(scan, poses)
    points, data = scan.frames[0].trajectory.points, scan.frames[0].data
    pixel = np.array([100 / 20, 96 / 24])
    for part, pose in ((slice(0, 30), poses[0]), (slice(30, 60), poses[1])):
        angle = np.radians(pose.rotation_degrees[2])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        # In cycles per mm: R^T k, and exp(2 pi i k.shift).
        k = points[part] / pixel
        assert np.allclose(still.frames[0].trajectory.points[part], (k @ turn) * pixel, atol=1e-12)
        phase = np.exp(2j * np.pi * (k @ np.array(pose.shift_mm[:2])))
        assert relative(still.frames[0].data[:, part], data[:, part] * phase) < 1e-6  # rounding of float
    rows = whorl.correct.undo_motion(scan, [[5, -2, 20], [0, 4, 0]])
    assert relative(rows.frames[0].data, still.frames[0].data) == 0
    with pytest.raises(whorl.ValueError):
        whorl.correct.undo_motion(scan, poses * 2)


def test_motion_is_found():
    trajectory = whorl.trajectory.radial_trajectory(120, 64, "golden")
    plan = whorl.Scan(trajectory, (32, 32), geometry=geometry(128, 128))
    measured = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=0)
    shifts = np.array([[3, 0], [-2, 1], [0, -2], [-1, 1]], "float64")  # mm, mean 0
    data = measured.frames[0].data
    for group, shift in enumerate(shifts):
        part = slice(group * 30 * 64, (group + 1) * 30 * 64)
        data[:, part] *= np.exp(-2j * np.pi * (trajectory.points[part] / 4) @ shift).astype("complex64")
    found = whorl.correct.estimate_motion(measured, 30)
    assert len(found.poses) == 4
    # No noise: what is left is the rounds' end (0.0005 pixels of 4 mm, five times that is left then) and the details of the
    # object beyond the images' resolution, which is some mm.
    for pose, shift in zip(found.poses, shifts):
        assert np.allclose(pose.shift_mm[:2], shift, atol=0.05 * found.resolution_mm)
        assert abs(pose.rotation_degrees[2]) < 0.5
    assert found.standard_error_mm < 0.1


def test_frames_are_cut(scan):
    cut = whorl.make_frames(scan, spokes_per_frame=2, frame_step=1).scan
    assert len(cut.frames) == 5 and len(scan.frames) == 1
    for i, frame in enumerate(cut.frames):
        part = slice(10 * i, 10 * i + 20)
        assert np.array_equal(frame.data, scan.frames[0].data[:, part])
        assert np.array_equal(frame.trajectory.points, scan.frames[0].trajectory.points[part])
    with pytest.raises(whorl.ValueError):
        whorl.make_frames(scan, frame_step=1)


def test_frames_are_gated():
    trajectory = whorl.trajectory.radial_trajectory(400, 64, "golden")
    measured = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), whorl.Scan(trajectory, (32, 32)), coils=3)
    # A heart of 1.25 Hz, in 400 readouts of 10 ms: five cycles in 4 s.
    phase = 2 * np.pi * 1.25 * 0.01 * np.arange(400)
    measured.frames[0].data[:] *= np.repeat(1 + 0.2 * np.cos(phase), 64).astype("float32")
    gated = whorl.make_frames(measured, gate=4, readout_interval=10)
    assert len(gated.scan.frames) == 4
    (signal,) = gated.signals
    assert signal.frequency_hz == pytest.approx(1.25) and signal.part > 0.9
    # Mean 0, mean square 1, and the sign is not known.
    assert abs(np.corrcoef(signal.values, np.cos(phase))[0, 1]) > 0.95
    counts = np.bincount(gated.bins[0])
    assert [frame.data.shape[1] for frame in gated.scan.frames] == list(64 * counts) and counts.sum() == 400


def test_shift_of_k_space(scan):
    moved = whorl.correct.shift_k_space(scan, (2, -1, 0))
    expected = scan.frames[0].trajectory.points - np.array([2 / 20, -1 / 24])
    assert np.allclose(moved.frames[0].trajectory.points, np.clip(expected, -0.5, 0.5), atol=1e-12)
    with pytest.raises(whorl.ValueError):
        whorl.correct.shift_k_space(scan, (0, 0, 1))


def test_center_of_k_space_is_found():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(61, 64), (32, 32))
    measured = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=0)
    before = np.array(whorl.correct.k_space_center(measured))
    # A phase over the object moves the center: cycles per field of view.
    moved = whorl.correct.shift_k_space(measured, (3, -2, 0))
    after = np.array(whorl.correct.k_space_center(moved))
    # The fit is of a neighborhood of a cycle or so, and the samples lie half a cycle apart.
    assert np.allclose(after - before, [-3, 2, 0], atol=0.2)


def test_each_readout_is_moved(scan, rng):
    shifts = rng.uniform(-1, 1, (6, 2))
    points = scan.frames[0].trajectory.points
    expected = np.clip(points - np.repeat(shifts, 10, axis=0) / np.array([20, 24]), -0.5, 0.5)
    assert np.allclose(whorl.correct.shift_readouts(scan, shifts).frames[0].trajectory.points, expected, atol=1e-12)
    in_space = np.column_stack([shifts, np.zeros(6)])
    moved = whorl.trajectory.shifted_readouts(scan.frames[0].trajectory, (24, 20), in_space.tolist())
    assert np.allclose(moved.points, expected, atol=1e-12) and moved.readout_length == 10
    with pytest.raises(whorl.ValueError, match="one for each"):
        whorl.trajectory.shifted_readouts(scan.frames[0].trajectory, (24, 20), shifts[:5])
    with pytest.raises(whorl.ValueError, match="readout 0"):
        whorl.correct.shift_readouts(scan, in_space + [0, 0, 1])
    with pytest.raises(whorl.ShapeError, match="2 or 3"):
        whorl.correct.shift_readouts(scan, np.zeros((6, 4)))
    with pytest.raises(whorl.ShapeError, match="expected as many"):
        whorl.trajectory.shifted_readouts(scan.frames[0].trajectory, (4, 24, 20), shifts)


def test_shifts_of_readouts_are_found(rng):
    # A phantom with analytic k-space, measured where each interleaf has a center of its own.
    nominal = whorl.trajectory.spiral_trajectory(8, 1000, 5)
    shifts = rng.uniform(-0.3, 0.3, (8, 2))
    shifts -= shifts.mean(axis=0)
    points = nominal.points - np.repeat(shifts, 1000, axis=0) / np.array([72, 64])
    moved = whorl.Trajectory(np.clip(points, -0.5, 0.5), readout_length=1000)
    measured = whorl.phantom.phantom_scan(
        whorl.phantom.brain_phantom(), whorl.Scan(moved, (72, 64)), coils=4, noise=0.035
    )
    found = whorl.correct.estimate_readout_shifts(nominal, measured.frames[0].data, (64, 72))
    assert found.is_significant and found.shifts.shape == (8, 2)
    # One of 16 normal numbers is beyond 5 standard deviations in 1 of 100,000 cases.
    assert abs(found.shifts - shifts).max() < 5 * found.standard_error
    assert found.largest == pytest.approx(np.linalg.norm(found.shifts, axis=1).max())
    assert found.after < 0.5 * found.before and found.samples > 0
    with pytest.raises(whorl.ValueError, match="2 to 1000 readouts"):
        whorl.correct.estimate_readout_shifts(nominal.points, measured.frames[0].data, (64, 72))


def test_shift_of_the_field_of_view(scan):
    moved = whorl.correct.shift_field_of_view(scan, (1.5, -3, 0))
    phase = np.exp(2j * np.pi * scan.frames[0].trajectory.points @ np.array([1.5, -3]))
    assert relative(moved.frames[0].data, scan.frames[0].data * phase) < 1e-6  # rounding of float
    assert moved.frames[0].geometry.position_mm != scan.frames[0].geometry.position_mm


def test_shift_to_the_position_of_the_header(scan):
    # The geometry that moved along is a header's; the data of the first scan are about the isocenter.
    start = whorl.correct.shift_to_header(scan)
    placed = whorl.correct.shift_to_header(whorl.correct.shift_field_of_view(scan, (1.5, -3, 0)))
    phase = np.exp(2j * np.pi * scan.frames[0].trajectory.points @ (2 * np.array([1.5, -3])))
    assert relative(placed.frames[0].data, start.frames[0].data * phase) < 1e-6  # rounding of float


def response(matrix, field=None):
    frequencies = np.array([0.0, 1e5, 2e5])
    gradient = np.broadcast_to(np.asarray(matrix, "complex128"), (3, 3, 3)).copy()
    return whorl.correct.GradientResponse(frequencies, gradient, None if field is None else np.broadcast_to(field, (3, 3)).copy())


def test_gradients_are_played_through_a_response(tmp_path):
    # From the center of k-space on, so that nothing is played before; at 4 us frequencies end at 125 kHz.
    nominal = whorl.trajectory.spiral_trajectory(6, 200, 4)
    mixing = np.array([[0.9, 0.05, 0], [0, 0.8, 0], [0, 0, 1]])
    played = whorl.trajectory.played(nominal, response(mixing), dwell_us=4)
    assert np.allclose(played.trajectory.points, nominal.points @ mixing[:2, :2].T, atol=1e-9)
    assert played.turns is None and played.energy_beyond == 0
    assert np.isclose(played.largest_shift, abs(played.trajectory.points - nominal.points).max(), atol=1e-9)

    np.savez(tmp_path / "girf.npz", frequency_hz=[0.0, 1e5, 2e5], response=np.tile(np.diag(mixing), (3, 1)))
    read = whorl.io.read_gradient_response(tmp_path / "girf.npz")
    assert np.array_equal(read.gradient, response(np.diag(np.diag(mixing))).gradient) and read.field is None
    assert read.frequencies_hz == [0, 1e5, 2e5]
    with pytest.raises(whorl.ShapeError):
        whorl.correct.GradientResponse([0, 1], np.zeros((3, 3, 3)))


def test_field_of_a_response_turns_the_signal(scan):
    nominal = whorl.trajectory.spiral_trajectory(6, 200, 4)
    # A field b.G: the moment of G in cycles per mm is k / pixel, gamma cancels, and b in T per T/m is a length in m.
    played = whorl.trajectory.played(nominal, response(np.eye(3), [2e-3, 0, 0]), dwell_us=4, pixel_mm=(4, 4, 4))
    assert np.allclose(played.turns, nominal.points[:, 0] / 4 * 2, atol=1e-9)


def test_scan_is_played(scan):
    nominal = whorl.trajectory.spiral_trajectory(6, 200, 4)
    plan = whorl.Scan(nominal, (20, 20), geometry=geometry(100, 100), dwell_us=4)
    played = whorl.correct.play_gradients(plan, response(0.9 * np.eye(3)))
    assert np.allclose(played.frames[0].trajectory.points, 0.9 * nominal.points, atol=1e-9)
    assert any("moved" in note or "samples" in note for note in played.notes)


def test_examination():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(61, 64), (32, 32), geometry=geometry(200, 200), dwell_us=4)
    measured = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=4, noise=0.05)
    assert not whorl.examine(measured).has_fault
    data = measured.frames[0].data
    largest = abs(data).max()
    data[1, 7] = 30 * largest
    diagnosis = whorl.examine(measured)
    (fault,) = [finding for finding in diagnosis.findings if finding.is_fault]
    assert fault.check == "spikes" and diagnosis.has_fault and diagnosis.is_changed and fault.mend
    assert 0 < fault.confidence <= 1 and "spikes" in repr(fault)
    assert abs(diagnosis.mended.frames[0].data).max() <= largest and abs(data).max() > largest
