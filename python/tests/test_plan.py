"""What images will be like before the scan: against `whorl plan`, and against what a full grid loses."""

import json
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest
import whorl


def spokes():
    where = whorl.Geometry()
    where.field_of_view_mm = (48, 36, 5)
    return whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (12, 16), geometry=where, dwell_us=5)


def test_figures_are_those_of_the_program(tmp_path):
    if "WHORL_BUILD" not in os.environ:
        pytest.skip("WHORL_BUILD, the folder of a build, is not set")
    program = pathlib.Path(os.environ["WHORL_BUILD"]) / "bin/whorl"
    whorl.write_scan(spokes(), tmp_path / "t.npz")
    maps = whorl.phantom.make_phantom_coils((12, 16), 3).maps()
    covariance = np.diag([0.01, 0.02, 0.03]).astype("complex128")
    np.save(tmp_path / "maps.npy", maps)
    np.save(tmp_path / "psi.npy", covariance)
    for words, options in (
        ("--noise 0.05 --coils 4 --replicas 4 --repetition-time 5 --scan-time 0.3", dict(noise=0.05, coils=4, replicas=4, repetition_time=5, scan_time=0.3)),
        ("--maps maps.npy --noise-covariance psi.npy --replicas 4 --lambda 1e-3", dict(maps=maps, noise_covariance=covariance, replicas=4, lambda_=1e-3)),
    ):  # fmt: skip
        said = subprocess.run([program, "plan", "t.npz", *words.split(), "--json", "-"], cwd=tmp_path, capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        expected = json.loads(said.stdout)
        found = whorl.plan(tmp_path / "t.npz", **options).figures
        # The time is measured, each time anew.
        assert expected.pop("reconstruction_seconds") > 0 and found.pop("reconstruction_seconds") > 0
        assert expected.pop("trajectory") == "t.npz" and found == expected
        in_memory = whorl.plan(whorl.read_scan(tmp_path / "t.npz"), **options).figures
        in_memory.pop("reconstruction_seconds")
        assert in_memory == expected


def test_a_full_grid_loses_nothing():
    """The transform is unitary: a voxel has the noise of a sample, and g is 1. 200 replicas know the median to 0.4 %, as in the library's test."""
    grid = whorl.Scan(whorl.trajectory.cartesian_trajectory((11, 15)), (11, 15), weights=np.ones(165, "float32"))
    outlook = whorl.plan(grid, noise=0.05, signal=2, coils=0, lambda_=1e-8, replicas=200)
    figures = outlook.figures
    assert figures["least_squares"]["snr"]["median"] == pytest.approx(40, rel=0.02)
    assert figures["g_factor"]["median"] == pytest.approx(1, rel=0.02)
    assert figures["gridding"]["standard_deviation"]["median"] == pytest.approx(0.05, rel=2e-3)
    assert outlook.least_squares.snr.shape == outlook.gfactor.shape == outlook.psf.shape == (1, 11, 15)
    assert 1.19 < outlook.least_squares.widths[0] < 1.22  # Dirichlet's kernel, 1.207 on long axes
    copy = pickle.loads(pickle.dumps(outlook))
    assert copy.figures == figures and (copy.gridding.stddev == outlook.gridding.stddev).all()
    assert repr(outlook).startswith("<whorl.ScanOutlook: ") and "coils=1" in repr(outlook)


def test_time_and_memory_are_those_of_the_reconstruction():
    outlook = whorl.plan(spokes(), noise=0.05, coils=4, replicas=2, repetition_time=5)
    assert outlook.readouts == 20 and outlook.scan_seconds == pytest.approx(0.1) and outlook.readout_ms == pytest.approx(0.16)
    assert outlook.bytes > 4 * 640 * 8 and outlook.iterations > 0 and outlook.seconds > 0


def test_what_is_refused():
    for options, says in (
        ({}, "noise"),
        (dict(noise=1, noise_covariance=np.eye(8)), "not both"),
        (dict(noise=1, coils=2, maps=np.ones((2, 12, 16), "complex64")), "maps and coils"),
        (dict(noise=1, scan_time=1e-6), "scan time"),
    ):
        with pytest.raises(whorl.ValueError, match=says):
            whorl.plan(spokes(), **options)
    with pytest.raises(whorl.ShapeError, match="coil maps"):
        whorl.plan(spokes(), noise=1, maps=np.ones((2, 16, 12), "complex64"))
    with pytest.raises(TypeError, match="whorl.Scan or the path"):
        whorl.plan(3, noise=1)
    with pytest.raises(TypeError, match="did you mean noise"):
        whorl.plan(spokes(), nois=1)
