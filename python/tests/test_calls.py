"""Calls with wrong arguments, and what interpreters ask of functions and results."""

import collections
import inspect
import pickle
import re
import struct
import types
import zlib

import numpy as np
import pytest
import whorl
from conftest import public_things


@pytest.fixture(scope="module")
def scan():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    return whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=2, noise=1e-3)


WRONG = [
    ("recon(scan, lambd=1)", "recon: no argument lambd; did you mean lambda_"),
    ("recon(scan, regularise='tv:1')", "did you mean regularize"),
    ("recon(scan, contxt='cpu')", "did you mean context"),
    ("recon(scan, priro=None)", "did you mean prior"),
    ("recon(scan, something=1)", r"no argument something; it has scan, .*lambda_, .*prior, .*filter, .*context"),
    ("recon()", "recon: missing a required argument: 'scan'"),
    ("recon(scan, 3)", "too many positional arguments"),
    ("recon(scan, filter=3)", r"filter is 3 \(int\), expected str"),
    ("recon(scan, psf=3)", "psf is 3, expected a list of voxels"),
    ("recon(scan, psf=[(1,)])", "psf is .*, expected a list of voxels"),
    ("recon(scan, lambda_={'a': 1})", "lambda_ is {'a': 1}, expected a number"),
    ("make_frames(scan, spoke_per_frame=3)", "did you mean spokes_per_frame"),
    ("Scan(1)", "Scan: missing a required argument: 'image_shape'"),
    ("Scan(points, (8, 8), geometry=1)", r"Scan: geometry is 1 \(int\), expected Geometry or None"),
    ("Scan(points, (8, 8), matriks=1)", "Scan: no argument matriks"),
    ("Nufft(points, (8, 8), coils='a')", r"Nufft: coils is 'a' \(str\), expected int"),
    ("Nufft(points, (8, 8), 1, 2, 3)", "Nufft: too many positional arguments"),
    ("Nufft(points, (8, 8), tolerence=1e-3)", "did you mean tolerance"),
    ("prox.L1()", "L1: missing a required argument: 'shape'"),
    ("prox.L1((3, 3), joint='x')", "joint is 'x'.*, expected bool"),
    ("SenseNufft(1, 2)", r"SenseNufft: nufft is 1 \(int\), expected Nufft"),
    ("prewhiten(3)", r"prewhiten: scan is 3 \(int\), expected Scan"),
    ("read_scan(3)", r"read_scan: path is 3 \(int\), expected str or path"),
    ("trajectory.radial_trajectory('a', 3)", "radial_trajectory: spokes is 'a'"),
    ("solvers.lsqr(1, 2)", "lsqr: A is 1"),
    ("Context(3)", "Context: device is 3"),
    ("Context(thread=3)", "did you mean threads"),
    ("operators.stack(1)", "LinearOperator"),
    ("Nufft(points, (8, 8)).forward()", "Nufft.forward|LinearOperator.forward"),
    ("Geometry().__setattr__('position_mm', 3)", r"Geometry.position_mm is 3 \(int\), expected 3 numbers"),
    ("Geometry().__setattr__('position_mm', (1, 2))", r"Geometry.position_mm is \(1, 2\) \(tuple\), expected 3 numbers"),
    ("scans.FrameIndex().__setattr__('slice', 'a')", r"FrameIndex.slice is 'a' \(str\), expected int"),
    ("filters.gaussian()", "missing a required argument"),
    ("recon(scan, max_iter=3)", "did you mean iterations"),
    ("recon(scan, coil_maps=3)", "did you mean maps"),
    ("recon(scan, **{'lambda': 1})", "did you mean lambda_"),
    ("Nufft(points, (8, 8), eps=1e-3)", "did you mean tolerance"),
    ("Nufft(coord=points)", "did you mean points"),
    ("TV(1, axis='x')", "TV: no argument axis; did you mean axes.* It has weight, axes, cyclic, unit"),
    ("LLR(1, 2)", "LLR: too many positional arguments; it is LLR"),
    ("operators.trajectory_gradient(1)", "trajectory_gradient: missing a required argument"),
    ("solvers.lsqr(Nufft(points, (8, 8)), numpy.ones((1, 4)), callback=3)", "callback is no function f"),
    ("correct.undo_motion(scan)", "missing a required argument: 'poses'"),
]


@pytest.mark.parametrize("call,says", WRONG)
def test_what_is_wrong_is_said(scan, call, says):
    names = vars(whorl) | {"scan": scan, "numpy": np, "points": np.zeros((4, 2))}
    with pytest.raises((TypeError, ValueError), match=says) as caught:
        eval(call, names)
    text = str(caught.value)
    assert "incompatible function" not in text and "bad_cast" not in text and "\n" not in text


def test_what_cannot_be_set_says_so(scan):
    with pytest.raises(AttributeError, match=r"^Scan\.noise cannot be set; Scan\.replace\(noise=\.\.\.\) makes a copy with another$"):
        scan.noise = np.ones((2, 30), "complex64")
    with pytest.raises(AttributeError, match=r"^Scan\.coils cannot be set$"):
        scan.coils = 3
    with pytest.raises(ValueError, match="Nufft / 0: expected another number"):
        whorl.Nufft(np.zeros((4, 2)), (8, 8)) / 0


def test_texts_name_arguments(scan):
    with pytest.raises(ValueError, match=r"recon: prewhitening is 'maybe'"):
        whorl.recon(scan, prewhitening="maybe")
    with pytest.raises(ValueError, match="readout_interval") as caught:
        whorl.correct.gating_signal(scan)
    assert "--" not in str(caught.value)


def test_signatures_are_known():
    parameters = inspect.signature(whorl.recon).parameters
    assert {"scan", "regularize", "lambda_", "maps", "context"} <= set(parameters)
    assert parameters["method"].default == "cg-sense"
    assert list(inspect.signature(whorl.Scan).parameters)[:3] == ["trajectory", "image_shape", "data"]
    assert "tolerance" in inspect.signature(whorl.Nufft).parameters
    for full, thing in public_things():
        kinds = {p.kind for p in inspect.signature(thing).parameters.values()}
        # Completion needs names.
        assert inspect.isclass(thing) or inspect.Parameter.VAR_KEYWORD not in kinds, full


def test_names_have_one_home():
    shown = [name for name in dir(whorl) if not isinstance(getattr(whorl, name), types.ModuleType)]
    assert len(shown) <= 45 and {"recon", "plan", "Scan", "Nufft", "TV", "read_scan", "Error"} <= set(shown)
    groups = {"trajectory", "prox", "phantom", "io", "fit", "correct", "filters"}
    assert groups <= set(dir(whorl)) and all(module.__doc__ for module in whorl._GROUPS.values())
    # Each thing of the extension module is in one group, and what one begins with is at the top too, the same thing.
    homes = collections.Counter(name for group, names in vars(whorl).items() if group in whorl._GROUPS for name in names.__all__)
    twice = {name for name, count in homes.items() if count > 1}
    assert twice == {"root_sum_of_squares"} and whorl.coils.root_sum_of_squares.__module__ == "whorl.coils"  # and a filter
    ours = {name for name in dir(whorl._core) if not name.startswith("_")} - {"filters", "version"}
    assert ours <= set(homes)
    for name in set(shown) - {"__version__", "docs"}:
        assert any(vars(group).get(name) is getattr(whorl, name) for group in whorl._GROUPS.values()), name
    with pytest.raises(AttributeError, match=r"no radial_trajectory; it is whorl\.trajectory\.radial_trajectory$"):
        whorl.radial_trajectory
    with pytest.raises(AttributeError, match="did you mean recon"):
        whorl.rekon
    for name, near in [("solvers.pdhg", "did you mean primal_dual"), ("solvers.cg", "did you mean conjugate_gradient"), ("NUFFT", "did you mean Nufft"), ("prox.TV", "it is whorl.TV"), ("trajectory.prewhiten", r"it is whorl\.prewhiten")]:
        with pytest.raises(AttributeError, match=near):
            eval(f"whorl.{name}")
    assert not hasattr(whorl.prox, "__wrapped__")
    from whorl.filters import gaussian

    assert pickle.loads(pickle.dumps(gaussian)) is gaussian and pickle.loads(pickle.dumps(whorl.recon)) is whorl.recon


def test_what_looks_like_a_class_is_one():
    A = whorl.Nufft(np.zeros((4, 2)), (8, 8), 2)
    S = whorl.SenseNufft(A, np.ones((2, 8, 8), "complex64"))
    assert isinstance(S, whorl.SenseNufft) and isinstance(S, whorl.LinearOperator) and not isinstance(A, whorl.SenseNufft)
    assert isinstance(whorl.prox.L1((4, 4)), whorl.prox.L1) and isinstance(whorl.prox.L1((4, 4)), whorl.prox.ProximalFunction)
    assert not isinstance(whorl.prox.Box((4, 4)), whorl.prox.L1)
    x = np.ones((8, 8), "complex64")
    np.testing.assert_array_equal(S.H @ (S @ x), S.H.H.H @ (S @ x))
    np.testing.assert_allclose(whorl.prox.L1((2,)).prox([3.0, 0.5], 1), [2, 0])


def test_results_have_texts(scan):
    result = whorl.recon(scan, iterations=3, lambda_="gcv", lambda_per_decade=1)
    for one in (result, result.lambdas[0][1], result.reports[0], whorl.scaled_error(np.ones((2, 2)), np.ones((2, 2)))):
        assert re.match(r"<whorl\.\w+", repr(one)) and " object at 0x" not in repr(one)
    assert "nrmse=0" in repr(whorl.scaled_error(np.ones((2, 2)), np.ones((2, 2))))
    curve = result.lambdas[0][1].curve
    assert len(curve["lambda"]) == len(curve["residual"]) > 2 and (np.diff(curve["lambda"]) > 0).all()
    picture = result._repr_png_()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    size = struct.unpack(">I", picture[33:37])[0]
    assert len(zlib.decompress(picture[41 : 41 + size])) == height * (3 * width + 1)
    assert "<img" in result._repr_html_() and "SolverReport" in result._repr_html_()
    result.images[0, 0, 0, :3] = np.nan, np.inf, -np.inf
    assert result._repr_png_()[:8] == picture[:8]


def test_a_reconstruction_is_one_bar(scan, capsys):
    pytest.importorskip("tqdm")
    whorl.recon(scan, iterations=3, progress=True)
    said = capsys.readouterr().err
    assert "reconstruction" in said and len(set(re.findall(r"(?:^|\r)([a-z][\w ]*): ", said))) == 1
