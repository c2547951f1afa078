"""No option is silent: each argument of whorl.recon, given once with another value than its default, changes what one sees.

The calls are those of test_every_option.py, and the ones below. Each is made with and without the argument.
"""

import inspect
import shutil

import numpy as np
import pytest
import whorl
from test_every_option import CALLS, arguments, files  # noqa: F401


class Stop(Exception):
    pass


class StopAfter:
    """Progress that ends the work after some steps."""

    def __init__(self, steps):
        self.steps = steps

    def __call__(self, stage, done, total, detail):
        self.steps -= 1
        if self.steps < 0:
            raise Stop


def other_scan():
    scan = whorl.read_scan("../scan.h5")
    return scan.replace(data=2 * scan.frames[0].data)


def moved_scan():
    scan = whorl.read_scan("../scan.h5")
    points = np.asarray(scan.frames[0].trajectory.points)
    return scan.replace(data=scan.frames[0].data * np.exp(2j * np.pi * points @ np.array([3, 1])).astype(np.complex64))


def scan_of_loud_noise():
    scan = whorl.read_scan("../scan.h5")
    data = scan.frames[0].data
    noise = np.random.default_rng(3).standard_normal((2, data.shape[0], 400)) * np.abs(data).max()
    return scan.replace(noise=(noise[0] + 1j * noise[1]).astype(np.complex64))


# Where the call of the other test has a value that is the default's or changes nothing of its scan, or there is none.
SEEN_BY = {
    "scan": lambda: dict(scan=other_scan()),
    "context": lambda: dict(context=whorl.Context(max_memory=1000)),
    "progress": lambda: dict(progress=StopAfter(2)),
    "dry_run": lambda: dict(dry_run=True),
    "joint": lambda: dict(scan=["../scan.h5", "../scan.h5"], joint=True),
    "joint_align": lambda: dict(scan=["../scan.h5", moved_scan()], joint=True, joint_align=True),
    "noise_check": lambda: dict(scan=scan_of_loud_noise(), noise_check=False),
    "complex": lambda: dict(output="i.npy", complex=True),
    "sample_weights": lambda: dict(sample_weights=np.linspace(0.1, 1, 40)),
    "noise": lambda: dict(prewhitening=False, noise=0.05),
    "normal_method": lambda: dict(normal_method="pair"),
    "nlinv_period": lambda: dict(method="nlinv", nlinv_period=2),
    "pipe_menon_tolerance": lambda: dict(method="gridding", density="pipe-menon", pipe_menon_tolerance=0.5),
    "cell": lambda: dict(method="gridding", density="cells", cell=3),
    "boundary": lambda: dict(method="gridding", density="voronoi", boundary="hull"),
    "batch": lambda: dict(stddev=True, replicas=6, batch=1, iterations=3),
    "lambda_noise_energy": lambda: dict(lambda_="discrepancy", lambda_noise_energy=3),
    "lambda_lowest": lambda: dict(lambda_="gcv", lambda_lowest=1e-2),
    "lambda_highest": lambda: dict(lambda_="gcv", lambda_highest=1e-4),
    "lambda_per_decade": lambda: dict(lambda_="gcv", lambda_per_decade=1),
    "lambda_iterations": lambda: dict(lambda_="gcv", lambda_iterations=1),
    "lambda_probe_iterations": lambda: dict(lambda_="gcv", lambda_probe_iterations=1),
    "tiles": lambda: dict(png="p.png", spokes_per_frame=10, tiles=2),
    "temp_dir": lambda: dict(temp_dir="none/there", context=whorl.Context(max_memory=1_000_000)),
    "checkpoint_every": lambda: dict(checkpoint="state", checkpoint_every=-1),
    "tolerance": lambda: dict(tolerance=0.3),
    "maps": lambda: dict(maps="walsh"),
    "nlinv_iterations": lambda: dict(method="nlinv", nlinv_iterations=1),
    "nlinv_tolerance": lambda: dict(method="nlinv", nlinv_tolerance=0.9),
    "nlinv_damping": lambda: dict(method="nlinv", nlinv_damping=0.3, spokes_per_frame=20),
    "transform": lambda: dict(transform="exact"),
    "penalty": lambda: dict(penalty="smoothness", lambda_=0.1),
    "prior_noise": lambda: dict(prior="../p.nii", lambda_=0.2, prior_noise=50),
    "change": lambda: dict(regularize="tv:0.5", change=0.5),
    "maps_from": lambda: dict(spokes_per_frame=20, maps_from="first"),
    "frames_by": lambda: dict(scan=whorl.make_frames(whorl.read_scan("../scan.h5"), spokes_per_frame=10).scan, frames_by="none"),
    "gate_band": lambda: dict(gate=2, gate_band=(4, 12), gate_signal="gate.npy"),
    "readout_interval": lambda: dict(gate=2, gate_signal="gate.npy", readout_interval=10),
    "trajectory_unit": lambda: dict(trajectory_from="../points.npy", trajectory_unit="rad/pixel"),
    "trajectory_columns": lambda: dict(trajectory_from="../points.npy", trajectory_columns="yx"),
    "fov": lambda: dict(fov=(110, 100)),
    "angle": lambda: dict(kind="radial", angle=30),
    "encoding": lambda: dict(encoding=1),
    "group": lambda: dict(group="other"),
    "keep_flags": lambda: dict(scan="../flagged.h5", keep_flags="navigator"),
    "drop_flags": lambda: dict(scan="../flagged.h5", drop_flags="user1"),
}


def options_of(keyword):
    """A call that has the argument, with a value that has an effect."""
    if keyword in SEEN_BY:
        return SEEN_BY[keyword]()
    given = next((given for given in map(arguments, CALLS) if keyword in given), None)
    if given is None:
        pytest.fail(f"no call has {keyword}; it needs a line in SEEN_BY or CALLS")
    return given


@pytest.fixture(scope="module")
def folder(files):  # noqa: F811
    """A folder of its own in that of the scan; flagged.h5 has readouts with flags that the scan lacks."""
    h5py = pytest.importorskip("h5py")
    shutil.copy(files / "scan.h5", files / "flagged.h5")
    with h5py.File(files / "flagged.h5", "r+") as file:
        readouts = file["dataset/data"][:]
        readouts["head"]["flags"][3] |= 1 << 22  # ISMRMRD_ACQ_IS_NAVIGATION_DATA
        readouts["head"]["flags"][5] |= 1 << 56  # ISMRMRD_ACQ_USER1
        file["dataset/data"][:] = readouts
    return files / "seen"


def seen(folder, options):
    """What one sees of a reconstruction: its error, or arrays, numbers, sentences and files."""
    try:
        made = whorl.recon(**{"scan": "../scan.h5", "context": whorl.Context(threads=1), **options})
    except (whorl.Error, TypeError, Stop) as error:
        made = repr(error)
    if isinstance(made, str):
        things = {"error": made}
    elif isinstance(made, whorl.reconstruction.ReconPlan):
        things = {"bytes": made.bytes}
    else:
        names = [name for name in dir(type(made)) if not name.startswith("_") and name not in ("record", "stage_seconds", "write")]
        things = {name: getattr(made, name) for name in names}
    files_made = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    things |= {name: None if name.endswith(".json") else path.read_bytes() for name, path in files_made.items()}
    return {name: thing.tobytes() if isinstance(thing, np.ndarray) else repr(thing) for name, thing in things.items()}


@pytest.mark.parametrize("keyword", inspect.signature(whorl.recon).parameters)
def test_what_is_given_is_seen(keyword, folder, monkeypatch):
    found = []
    for leave in (True, False):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        monkeypatch.chdir(folder)
        options = options_of(keyword)
        assert keyword in options
        found.append(seen(folder, options if leave else {name: value for name, value in options.items() if name != keyword}))
    assert [name for name in found[0].keys() | found[1].keys() if found[0].get(name) != found[1].get(name)], found[0].keys()
