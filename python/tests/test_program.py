"""The program and the package make the same images, to the last bit."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
import whorl

BUILD = os.environ.get("WHORL_BUILD")

# Words of the program, and the arguments of recon.
CALLS = {
    "": {},
    "--method gridding": dict(method="gridding"),
    "--method gridding --density pipe-menon": dict(method="gridding", density="pipe-menon"),
    "--lambda 1e-3 --iterations 7": dict(lambda_=1e-3, iterations=7),
    "--lambda auto": dict(lambda_="auto"),
    "--no-prewhitening": dict(prewhitening=False),
    "--regularize tv:medium --iterations 9": dict(regularize="tv:medium", iterations=9),
    "--regularize tv:0.5,axes=x --regularize positive --iterations 9": dict(
        regularize=[whorl.TV(0.5, axes="x"), whorl.Positive()], iterations=9
    ),
    "--penalty smoothness": dict(penalty="smoothness"),
    "--maps walsh --walsh-block 5": dict(maps="walsh", walsh_block=5),
    "--method nlinv --nlinv-steps 3": dict(method="nlinv", nlinv_steps=3),
    "--coils 2 --mask fov": dict(coils=2, mask="fov"),
    "--gate-weights w.npy": dict(sample_weights=np.linspace(0.1, 1, 40)),
    "--maps-file m.npy": dict(maps=whorl.phantom.make_phantom_coils((24, 20), 3).maps()),
    "--filter gaussian": dict(filter="gaussian"),
    "--prior p.npy": dict(prior=np.eye(24, 20)),
    "--shift-fov 1.5,-2": lambda scan: whorl.recon(whorl.correct.shift_field_of_view(scan, (1.5, -2, 0))),
    "--delays auto": lambda scan: whorl.recon(whorl.correct.undo_delays(scan, "auto")),
    "--k-shift 0.5,-0.25": lambda scan: whorl.recon(whorl.correct.shift_k_space(scan, (0.5, -0.25, 0))),
    "--spokes-per-frame 20 --maps-from all": lambda scan: whorl.recon(
        whorl.make_frames(scan, spokes_per_frame=20).scan, maps_from="all"
    ),
    "--soft-gate 0.5": lambda scan: whorl.recon(whorl.make_frames(scan, soft_gate=0.5).scan),
}


@pytest.fixture(scope="module")
def program():
    path = pathlib.Path(BUILD or "none") / "bin/whorl"
    if not path.exists():
        pytest.skip("this build has no program whorl")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(40, 48), (24, 20), dwell_us=4)
    plan.readout_interval_ms = 20
    scan = whorl.phantom.dynamic_phantom_scan(lambda t: whorl.phantom.beating_phantom(t, rate_hz=1.0), plan, coils=3, noise=2e-3)
    whorl.write_scan(scan, folder / "scan.h5")
    np.save(folder / "w.npy", CALLS["--gate-weights w.npy"]["sample_weights"])
    np.save(folder / "m.npy", CALLS["--maps-file m.npy"]["maps"])
    np.save(folder / "p.npy", CALLS["--prior p.npy"]["prior"])
    return folder


@pytest.mark.parametrize("words", CALLS, ids=lambda words: words or "defaults")
def test_both_ways_have_the_same_bits(program, files, words):
    command = [program, "recon", "scan.h5", "-o", "image.npy", "--complex", "--threads", "1", *words.split()]
    run = subprocess.run(command, cwd=files, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    call = CALLS[words]
    scan = whorl.read_scan(files / "scan.h5")
    made = call(scan) if callable(call) else whorl.recon(scan, context=whorl.Context(threads=1), **call)
    image = np.load(files / "image.npy")
    np.testing.assert_array_equal(image.reshape(made.images.shape), made.images)
