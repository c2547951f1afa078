"""Pulseq sequences, against pypulseq."""

import os
import pathlib
import warnings

import numpy as np
import pytest
import whorl

pypulseq = pytest.importorskip("pypulseq")

# pypulseq rounds times to 0.1 ns; gradients below move k by at most 2e6 / m / s in that time.
ROUNDING = 1e-10 * 2e6


def system(**limits):
    return pypulseq.Opts(max_grad=40, grad_unit="mT/m", max_slew=150, slew_unit="T/m/s", **limits)


def expected(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sequence = pypulseq.Sequence(system())
        # Events that are alike up to six digits stay apart.
        sequence.read(str(path), remove_duplicates=False, **options)
        k, _, excitations, _, times = sequence.calculate_kspace()
    return k.T, times, np.asarray(excitations)


def check(path, least=1.0, **options):
    found = whorl.io.read_pulseq_readouts(path)
    k, times, excitations = expected(path, **options)
    assert found.positions_per_m.shape == k.shape and np.abs(k).max() > least
    np.testing.assert_allclose(found.positions_per_m, k, atol=ROUNDING)
    np.testing.assert_allclose(found.seconds, times, atol=1e-9)
    last = excitations[np.searchsorted(excitations, times, side="right") - 1]
    np.testing.assert_allclose(found.seconds_after_excitation, times - last, atol=1e-9)
    return found


def write(sequence, path):
    sequence.write(str(path))
    return path


def pulse(flip=np.pi / 12, use="excitation"):
    return pypulseq.make_sinc_pulse(
        flip,
        duration=1e-3,
        slice_thickness=5e-3,
        apodization=0.5,
        time_bw_product=4,
        system=system(),
        return_gz=True,
        use=use,
    )


def gradient_echo(path):
    """Slice selection, rephasing, Cartesian lines with labels, spoilers."""
    sequence = pypulseq.Sequence(system())
    rf, gz, gz_back = pulse()
    gx = pypulseq.make_trapezoid("x", flat_area=64 / 0.2, flat_time=1.28e-3, system=system())
    adc = pypulseq.make_adc(64, duration=gx.flat_time, delay=gx.rise_time, system=system())
    before = pypulseq.make_trapezoid("x", area=-gx.area / 2, duration=1e-3, system=system())
    spoiler = pypulseq.make_trapezoid("z", area=4 / 5e-3, system=system())
    for repetition in range(2):
        for line in range(-6, 6):
            sequence.add_block(rf, gz)
            gy = pypulseq.make_trapezoid("y", area=line / 0.2, duration=1e-3, system=system())
            sequence.add_block(before, gy, gz_back)
            sequence.add_block(
                gx, adc, pypulseq.make_label("REP", "SET", repetition), pypulseq.make_label("LIN", "SET", line + 6)
            )
            sequence.add_block(spoiler, pypulseq.make_delay(2e-3))
    sequence.set_definition("FOV", [0.2, 0.2, 5e-3])
    return write(sequence, path)


def test_gradient_echo(tmp_path):
    path = gradient_echo(tmp_path / "a.seq")
    found = check(path)
    assert [readout.samples for readout in found.readouts] == [64] * 24
    scan = whorl.read_scan(path)
    assert len(scan.frames) == 2 and scan.frames[1].index.repetition == 1
    # 64 samples from -31.5 to 31.5 cycles, and 12 lines from -6 to 5.
    assert scan.image_shape == (12, 64)
    lines = scan.frames[0].trajectory.points.reshape(12, 64, 2)
    # Numbers of the file have six digits.
    np.testing.assert_allclose(lines[:, :, 0] * 64, np.tile(np.arange(-32, 32) + 0.5, (12, 1)), atol=64 * 1e-5)
    np.testing.assert_allclose(lines[:, :, 1] * 12, np.tile(np.arange(-6, 6)[:, None], (1, 64)), atol=12 * 1e-5)
    assert scan.dwell_us == pytest.approx(20)
    wide = whorl.io.read_pulseq(path, (64, 128), field_of_view_mm=(400, 200, 5))
    np.testing.assert_allclose(
        wide.frames[0].trajectory.points[:, 0], scan.frames[0].trajectory.points[:, 0], atol=1e-12
    )


def test_spiral_of_arbitrary_gradients(tmp_path):
    sequence = pypulseq.Sequence(system())
    rf, gz, gz_back = pulse()
    time = (np.arange(600) + 0.5) * 1e-5
    radius = 60 * (time / time[-1]) ** 2
    g = np.gradient(radius * np.exp(2j * np.pi * 3 * (time / time[-1]) ** 2), time)
    for arm in range(3):
        turned = g * np.exp(2j * np.pi * arm / 3)
        sequence.add_block(rf, gz)
        sequence.add_block(gz_back)
        gx, gy = (
            pypulseq.make_arbitrary_grad(channel, part, first=0, delay=4e-5, system=system())
            for channel, part in (("x", turned.real), ("y", turned.imag))
        )
        sequence.add_block(gx, gy, pypulseq.make_adc(1000, dwell=5e-6, delay=4e-5, system=system()))
        down = [
            pypulseq.make_extended_trapezoid(channel, amplitudes=[part, 0], times=[0, 6e-4], system=system())
            for channel, part in (("x", gx.last), ("y", gy.last))
        ]
        sequence.add_block(*down)
    check(write(sequence, tmp_path / "a.seq"))


def test_spin_echo(tmp_path):
    sequence = pypulseq.Sequence(system())
    rf, gz, gz_back = pulse(np.pi / 2)
    refocus = pypulseq.make_block_pulse(np.pi, duration=1e-3, system=system(), use="refocusing")
    gx = pypulseq.make_trapezoid("x", area=500, duration=4e-3, system=system())
    adc = pypulseq.make_adc(100, duration=3e-3, delay=5e-4, system=system())
    gy = pypulseq.make_extended_trapezoid(
        "y", amplitudes=[0, 3e5, -2e5, 0], times=[0, 2e-4, 9e-4, 1.2e-3], system=system()
    )
    for _ in range(2):
        sequence.add_block(rf, gz)
        sequence.add_block(gz_back)
        sequence.add_block(pypulseq.make_trapezoid("x", area=250, duration=2e-3, system=system()), gy)
        sequence.add_block(refocus)
        sequence.add_block(gx, adc)
        sequence.add_block(refocus)
        sequence.add_block(gx, gy, adc)
    check(write(sequence, tmp_path / "a.seq"))


def test_versions_before_it_said_what_pulses_are_for(tmp_path):
    """The columns of version 1.4: without the ends of gradients, the centers of pulses and their use."""
    path = gradient_echo(tmp_path / "a.seq")
    section, lines = "", []
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("["):
            section = words[0]
        elif words and words[0][0].isdigit():
            if section == "[RF]":
                words = words[:5] + words[6:7] + words[9:11]
            elif section == "[ADC]":
                words = words[:4] + words[6:8]
        lines.append(" ".join(words).replace("minor 5", "minor 4") if words else "")
    old = tmp_path / "old.seq"
    old.write_text("\n".join(lines[: lines.index("[SIGNATURE]")]) + "\n")
    check(old, detect_rf_use=True)
    np.testing.assert_allclose(
        whorl.io.read_pulseq_readouts(old).positions_per_m, whorl.io.read_pulseq_readouts(path).positions_per_m, atol=1e-9
    )


def test_measured_sequence():
    folder = os.environ.get("WHORL_TEST_DATA")
    if not folder:
        pytest.skip("WHORL_TEST_DATA is not set")
    path = pathlib.Path(folder) / "mri" / "bart_workshop_2025_pulseq.seq"
    check(path)
    scan = whorl.read_scan(path)
    assert scan.image_shape == (256, 256)
    spokes = scan.frames[0].trajectory.points.reshape(377, 512, 2)
    # Straight spokes through the center, in 377 different directions.
    directions = spokes[:, -1] / np.linalg.norm(spokes[:, -1], axis=1, keepdims=True)
    across = spokes @ np.array([[0, 1], [-1, 0]]) @ directions[:, :, None]
    assert np.abs(across).max() < 1e-6
    assert len(np.unique(np.round(np.arctan2(*directions.T) % np.pi, 6))) == 377


@pytest.mark.parametrize("nucleus", [42.577, 11.262])
def test_written_sequences_are_read_back(tmp_path, nucleus):
    limits = dict(pixel=2.0, max_gradient=35, max_slew=140, nucleus=nucleus)
    golden = np.pi * (3 - np.sqrt(5))
    z, angle = 1 - (np.arange(8) + 0.5) / 4, golden * np.arange(8)
    directions = np.stack([np.sqrt(1 - z**2) * np.cos(angle), np.sqrt(1 - z**2) * np.sin(angle), z], 1)
    for designed in (
        whorl.trajectory.designed_spiral(6, 8.0, rewind=True, **limits),
        whorl.trajectory.designed_cones(cones=5, interleaves=2, matrix=32.0, **limits),
        whorl.trajectory.density_adapted_radial(directions, 0.5, **{**limits, "max_gradient": 8}),
    ):
        path = tmp_path / "a.seq"
        whorl.io.write_pulseq(designed, path, field_of_view_mm=(128, 128, 128), flip_angle=20.0, repetition_time=30.0)
        found = check(path)
        points = np.zeros((designed.trajectory.points.shape[0], 3))
        points[:, : designed.trajectory.points.shape[1]] = designed.trajectory.points
        # Nine digits of the gradients, whose path is below ten cycles per pixel of 2 mm.
        assert np.abs(found.positions_per_m * 2e-3 - points).max() < 1e-8
        starts = [found.seconds[readout.first] for readout in found.readouts]
        np.testing.assert_allclose(np.diff(starts), 0.03, atol=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sequence = pypulseq.Sequence(system())
            sequence.read(str(path))
            fine, report = sequence.check_timing()
        assert fine, report
        # The gradients keep the limits, as pypulseq has them: in Hz/m, linear between the points.
        for times, values in sequence.waveforms():
            if len(times):
                assert np.abs(values).max() <= 35e-3 * nucleus * 1e6 * (1 + 1e-6)
                assert np.abs(np.diff(values) / np.diff(times)).max() <= 140 * nucleus * 1e6 * (1 + 1e-3)


def test_what_pulseq_does_not_hold_is_refused(tmp_path):
    designed = whorl.trajectory.designed_spiral(4, 8.0, pixel=2.0, dwell=2.5)
    with pytest.raises(whorl.ValueError, match="even number of microseconds"):
        whorl.io.write_pulseq(designed, tmp_path / "a.seq")
    designed = whorl.trajectory.designed_spiral(4, 8.0, pixel=2.0)
    with pytest.raises(whorl.ValueError, match="a shot takes"):
        whorl.io.write_pulseq(designed, tmp_path / "a.seq", repetition_time=1.0)
    assert not list(tmp_path.iterdir())
