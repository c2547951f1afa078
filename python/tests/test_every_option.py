"""Every option of `whorl recon` is an argument of whorl.recon, and both make the same results, to the last bit.

Each call is the words of the program. The arguments of Python follow from them: names with _ for -, and the values that the
words are. An option without a call, and an argument without an option, fail.
"""

import inspect
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
import whorl
from conftest import complex_normal

BUILD = os.environ.get("WHORL_BUILD")

# Words for scan.h5, which lies with the other inputs in the folder above.
CALLS = """
--iterations 7 --tolerance 1e-3 --lambda 1e-3 --maps-from all --calibration 12 --save-maps maps.npy --coils 2
--maps espirit --espirit-kernel 5 --espirit-threshold 0.03 --espirit-crop 0.7 --png p.png --window 0,1 --tiles 1
--lambda gcv --lambda-probes 2 --lambda-seed 3 --lambda-curve curve.png --iterations 9
--maps walsh --walsh-block 5 --density pipe-menon --pipe-menon-iterations 4 --mask fov --filter gaussian --iterations 5
--method nlinv --nlinv-sets 2 --nlinv-steps 3 --nlinv-alpha 0.9 --nlinv-reduction 2.5 --nlinv-smoothness 200 --save-sets sets.npy
--method nlinv --nlinv-steps 2 --nlinv-order 30 --nlinv-iterations 9 --nlinv-tolerance 0.2 --nlinv-damping 0.8 --normal ../normal.npz
--method gridding --combine matched --maps-file ../m.npy --no-prewhitening --support ball
--transform nufft --nufft-tolerance 1e-4 --nufft-accuracy guaranteed --oversampling 1.5 --window-function gaussian --certify 60
--iterations 5 --save-normal normal.npz --support ../p.npy --no-noise-check
--iterations 5 --temp-dir . --checkpoint state --checkpoint-every 0.5
--penalty prior --prior ../p.npy --prior-noise 2 --prior-contrast 0.1 --lambda 0.2 --iterations 9
--prior ../p.nii --prior-align --truth-bar bar.npy --truth-bound bound.npy --unseen-radius 1 --replicas 3 --lambda 0.2 --iterations 9
--spokes-per-frame 20 --frame-step 10 --regularize low-rank-sparse:medium --save-parts parts.npy --iterations 4 --movie m.gif --fps 5
--regularize tv:0.5,axes=x --regularize positive --solver pdhg --change 1e-3 --iterations 6
--stddev sd.npy --gfactor g.npy --stddev-method probe --replicas 3 --noise-seed 5 --iterations 9 --lambda 1e-3
--bias b.npy --psf 12,9 --psf-image psf.npy --noise-iterations 20 --noise-tolerance 1e-3 --iterations 9 --lambda 1e-3
--frames-by repetition --readout-interval 20 --gate 2 --gate-by amplitude --gate-band 0.5,2 --gate-signal gate.npy --iterations 4
--soft-gate 0.5 --iterations 4
--gate-weights ../w.npy --iterations 4
--spokes-per-frame 10 --subspace ../basis.npy --subspace-rank 2 --subspace-frames frames.npy --iterations 4
--spokes-per-frame 10 --subspace-from t2 --relaxation 20,400 --save-subspace basis.npy --iterations 4
--spokes-per-frame 10 --subspace-from frames --subspace-resolution 8 --subspace-rank 2 --iterations 4
--field-map ../field.npy --r2star ../r2.npy --dwell 5 --readout-start -100 --signal-tolerance 1e-2 --iterations 4
--concomitant --field-strength 3 --iterations 4
--girf ../girf.npz --girf-flat 50 --girf-ramp 100 --iterations 4
--delays 0.3,-0.2 --iterations 4
--delays auto --iterations 4
--motion ../motion.npy --save-motion motion.npy --iterations 4
--estimate-motion 20 --iterations 4
--k-shift 0.5,-0.25 --shift-fov 1.5,-2 --iterations 4
--k-shift readouts --save-readout-shifts shifts.npy --iterations 4
--readout-shifts ../shifts.npy --iterations 4
--trajectory-from ../points.npy --trajectory-unit cycles/pixel --noise-from ../noise.npy --center middle --fov 220,200 --iterations 4
--kind radial --angle golden --golden-index 2 --group dataset --encoding 0 --keep-flags navigator --drop-flags user1 --iterations 4
--trajectory-columns xy --widen 1.5 --iterations 4
--bids --output image.nii.gz --iterations 4
""".strip().split("\n")

# The program alone, and what has their place here. test_what_the_program_alone_has holds each.
OF_THE_PROGRAM = {
    "help": "the docstring of whorl.recon has each option",
    "quiet": "whorl.recon prints nothing",
    "verbose": "notes and stage_seconds of the result, and progress=",
    "threads": "Context(threads=)",
    "device": "Context(device)",
    "max-memory": "Context(max_memory=)",
    "report": "`whorl report` makes the page of what recon(output=) wrote",
}
# Tested below.
APART = {"dry-run", "output-dir", "output-type", "complex", "joint", "joint-align"}
# Python alone: who works and who hears of it, another name, and options that are for programs.
OF_PYTHON = {"scan", "context", "progress", "sample_weights"}
FOR_PROGRAMS = {
    "noise", "normal_method", "nlinv_period", "pipe_menon_tolerance", "cell", "boundary", "batch", "lambda_noise_energy",
    "lambda_lowest", "lambda_highest", "lambda_per_decade", "lambda_iterations", "lambda_probe_iterations",
}  # fmt: skip


def value(word):
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    numbers = word.split(",")
    return tuple(map(float, numbers)) if len(numbers) > 1 and re.fullmatch(r"[-\d.,e]+", word) else word


def arguments(words):
    """The words of the program as arguments of whorl.recon."""
    given = {}
    for option in re.findall(r"--\S+(?: [^-]\S*| -\d\S*)?", words):
        name, _, word = option[2:].partition(" ")
        if name.startswith("no-"):
            given[name[3:].replace("-", "_")] = False
        elif name == "psf":
            given["psf"] = [tuple(map(int, word.split(",")))]
        elif name == "regularize":
            given.setdefault("regularize", []).append(word)
        else:
            given["lambda_" if name == "lambda" else name.replace("-", "_")] = value(word) if word else True
    return given


@pytest.fixture(scope="module")
def program():
    path = pathlib.Path(BUILD or "none") / "bin/whorl"
    if not path.exists():
        pytest.skip("this build has no program whorl")
    return path


def shown_options(program):
    text = subprocess.run([program, "recon", "--help", "all"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  (?:-\w,)?--([\w-]+)", text, re.M))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    rng = np.random.default_rng(5)
    geometry = whorl.Geometry()
    geometry.field_of_view_mm = (220, 200, 5)
    trajectory = whorl.trajectory.radial_trajectory(40, 48)
    plan = whorl.Scan(trajectory, (24, 20), dwell_us=4, geometry=geometry)
    plan.readout_interval_ms = 20
    scan = whorl.phantom.dynamic_phantom_scan(lambda t: whorl.phantom.beating_phantom(t, rate_hz=1.0), plan, coils=3, noise=2e-3)
    whorl.write_scan(scan, folder / "scan.h5")
    np.save(folder / "m.npy", whorl.phantom.make_phantom_coils((24, 20), 3).maps())
    np.save(folder / "p.npy", np.pad(np.ones((18, 14)), 3))
    whorl.recon(folder / "scan.h5", iterations=3, output=folder / "p.nii")
    np.save(folder / "w.npy", np.linspace(0.1, 1, 40))
    np.save(folder / "basis.npy", rng.standard_normal((4, 2)))
    np.save(folder / "field.npy", rng.uniform(-20, 20, (24, 20)))
    np.save(folder / "r2.npy", rng.uniform(0, 20, (24, 20)))
    np.save(folder / "motion.npy", rng.uniform(-3, 3, (4, 3)))
    np.save(folder / "shifts.npy", rng.uniform(-0.3, 0.3, (40, 2)))
    np.save(folder / "noise.npy", complex_normal(rng, (3, 500)))
    np.save(folder / "points.npy", trajectory.points)
    frequencies = np.linspace(-3e4, 3e4, 61)
    response = np.eye(3) * np.exp(-np.abs(frequencies) / 2e4 - 2e-6j * np.pi * frequencies)[:, None, None]
    np.savez(folder / "girf.npz", frequency_hz=frequencies, response=response)
    whorl.recon(folder / "scan.h5", iterations=1, save_normal=folder / "normal.npz")
    for name in ("program", "package"):
        (folder / name).mkdir()
    return folder


def test_every_option_is_called(program):
    called = set(re.findall(r"--([a-z][\w-]*)", " ".join(CALLS)))
    shown = shown_options(program)
    assert shown - called == OF_THE_PROGRAM.keys() | APART
    keywords = set(inspect.signature(whorl.recon).parameters)
    wanted = {name.removeprefix("no-").replace("-", "_") for name in shown - OF_THE_PROGRAM.keys() - {"output-dir", "output-type"}}
    wanted = {"lambda_" if name == "lambda" else name for name in wanted}
    assert wanted <= keywords
    assert keywords - wanted == OF_PYTHON | FOR_PROGRAMS


def test_what_the_program_alone_has(program, files, monkeypatch, capfd):
    monkeypatch.chdir(files / "package")
    assert {"device", "threads", "max_memory"} <= set(inspect.signature(whorl.Context).parameters)
    text = inspect.getdoc(whorl.recon)
    assert not [name for name in inspect.signature(whorl.recon).parameters if not re.search(rf"\b{name}\b", text)]
    steps = []
    made = whorl.recon("../scan.h5", iterations=3, output="r.npy", progress=lambda *step: steps.append(step))
    assert capfd.readouterr() == ("", "")
    assert made.notes and made.stage_seconds and steps
    run = subprocess.run([program, "report", "r.npy.json", "-o", "r.html"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert pathlib.Path("r.html").stat().st_size > 1000


@pytest.mark.parametrize("words", CALLS)
def test_both_ways_have_the_same_bits(program, files, words, monkeypatch):
    ours = "" if "--output" in words else " --output image.npy --complex"
    command = [program, "recon", "../scan.h5", "--threads", "1", *(words + ours).split()]
    run = subprocess.run(command, cwd=files / "program", capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    monkeypatch.chdir(files / "package")
    made = whorl.recon("../scan.h5", context=whorl.Context(threads=1), **arguments(words + ours))
    written = made.record["outputs"]
    assert written
    for name in written:
        theirs = files / "program" / name
        if name.endswith(".npy"):
            np.testing.assert_array_equal(np.load(theirs), np.load(name))
        elif name.endswith((".png", ".gif")):
            assert theirs.read_bytes() == pathlib.Path(name).read_bytes()
        theirs.unlink()


# What is in memory is corrected and read as files are.
IN_MEMORY = {
    "--delays auto": {},
    "--girf ../girf.npz": dict(girf=lambda f: whorl.io.read_gradient_response(f / "girf.npz")),
    "--motion ../motion.npy": dict(motion=lambda f: np.load(f / "motion.npy")),
    "--readout-shifts ../shifts.npy": dict(readout_shifts=lambda f: np.load(f / "shifts.npy")),
    "--shift-fov 1.5,-2": {},
    "--spokes-per-frame 20": {},
    "--spokes-per-frame 10 --subspace ../basis.npy --subspace-rank 2": dict(subspace=lambda f: np.load(f / "basis.npy")),
    "--gate-weights ../w.npy": dict(gate_weights=lambda f: np.load(f / "w.npy")),
    "--maps-file ../m.npy": dict(maps_file=lambda f: np.load(f / "m.npy")),
    "--prior ../p.npy": dict(prior=lambda f: np.load(f / "p.npy")),
    "--support ../p.npy": dict(support=lambda f: np.load(f / "p.npy")),
    "--field-map ../field.npy --r2star ../r2.npy": dict(
        field_map=lambda f: np.load(f / "field.npy"), r2star=lambda f: whorl.io.ReferenceImage(np.load(f / "r2.npy"))
    ),
    "--normal ../normal.npz": dict(normal=lambda f: whorl.recon(f / "scan.h5", iterations=1, save_normal=True).normal),
}


@pytest.mark.parametrize("words", IN_MEMORY)
def test_memory_is_as_files(files, words, monkeypatch):
    monkeypatch.chdir(files / "package")
    options = dict(iterations=4, context=whorl.Context(threads=1))
    by_files = whorl.recon(files / "scan.h5", **arguments(words), **options)
    given = {**arguments(words), **{name: make(files) for name, make in IN_MEMORY[words].items()}}
    by_memory = whorl.recon(whorl.read_scan(files / "scan.h5"), **given, **options)
    np.testing.assert_array_equal(by_files.images, by_memory.images)


def test_frames_that_are_made_before(files):
    scan = whorl.read_scan(files / "scan.h5")
    options = dict(iterations=4, context=whorl.Context(threads=1))
    at_once = whorl.recon(scan, spokes_per_frame=20, **options).images
    made = whorl.make_frames(scan, spokes_per_frame=20)
    np.testing.assert_array_equal(whorl.recon(made, **options).images, at_once)
    np.testing.assert_array_equal(whorl.recon(made.scan, maps_from="all", **options).images, at_once)
    assert (whorl.recon(made, maps_from="first", **options).images == whorl.recon(made.scan, **options).images).all()


def test_a_plan_and_many_scans(program, files, monkeypatch):
    monkeypatch.chdir(files / "package")
    plan = whorl.recon("../scan.h5", dry_run=True, iterations=3)
    assert plan.bytes > 0 and plan.frames == 1 and plan.iterations == 3
    said = subprocess.run([program, "recon", "../scan.h5", "-o", "i.npy", "--dry-run"], cwd=files / "program", capture_output=True, text=True)
    assert said.returncode == 0 and "memory on cpu" in said.stdout
    one, two = whorl.recon(["../scan.h5", files / "scan.h5"], iterations=3, output="{}.npy")
    np.testing.assert_array_equal(one.images, two.images)
    assert pathlib.Path("scan.npy").exists()
    with pytest.raises(ValueError, match="output is one name for several scans"):
        whorl.recon(["../scan.h5", "../scan.h5"], output="image.npy")
    command = [program, "recon", "../scan.h5", "--output-dir", "all", "--output-type", ".npy", "--complex", "--iterations", "3", "--threads", "1"]
    assert subprocess.run(command, cwd=files / "program", capture_output=True).returncode == 0
    alone = whorl.recon(["../scan.h5"], iterations=3, context=whorl.Context(threads=1))[0].images
    np.testing.assert_array_equal(np.load(files / "program/all/scan.npy").reshape(alone.shape), alone)


def test_defaults_are_the_programs(program, files):
    # lambda, the number of iterations, what they start from: the record says which.
    for words in ("", "--regularize tv:medium", "--penalty smoothness", "--prior ../p.npy", "--spokes-per-frame 20", "--lambda auto"):
        options = {name: "program/" + given if name == "prior" else given for name, given in arguments(words).items()}
        command = [program, "recon", "../scan.h5", "-o", "d.npy", "--threads", "1", *words.split()]
        assert subprocess.run(command, cwd=files / "program", capture_output=True).returncode == 0
        if "prior" in options:
            options["prior"] = files / "p.npy"
        record = whorl.recon(files / "scan.h5", context=whorl.Context(threads=1), **options).record
        import json

        theirs = json.loads((files / "program/d.npy.json").read_text())
        assert record["parameters"] == {**theirs["parameters"], "memory_predicted_bytes": record["parameters"]["memory_predicted_bytes"]}


def test_one_message_for_both(files):
    for options, says in [
        (dict(noise_from="noise.npy"), "noise_from has an effect only with a scan from a file"),
        (dict(save_parts=True), "save_parts has an effect only with regularize"),
        (dict(prior=np.ones((24, 20)), lambda_=0), "prior applies only with cg-sense and a lambda above 0"),
        (dict(psf=[(3, 3)], regularize="tv:1"), "psf applies only with cg-sense without regularize"),
        (dict(png=True), "png is True, expected the name of a file"),
        (dict(gate_weights=np.ones(40), soft_gate=0.5), "gate_weights"),
        (dict(maps="walsh", maps_file=np.ones((3, 24, 20))), "exclude each other"),
        (dict(concomitant=True), "field_strength"),
        (dict(method="gridding", delays=(1, 2, 3, 4)), "delays"),
    ]:
        with pytest.raises(ValueError, match=says) as caught:
            whorl.recon(whorl.read_scan(files / "scan.h5"), **options)
        assert "--" not in str(caught.value)
    with pytest.raises(TypeError, match="did you mean estimate_motion"):
        whorl.recon(files / "scan.h5", estimate_motions=3)
