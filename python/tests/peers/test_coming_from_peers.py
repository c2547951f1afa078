"""The left columns of docs/compare/calls.md: the own calls of each package give what whorl's beside them give.

Each is skipped, aloud, where its package is not installed. Rows are run in their order, so that each finds what those before it made.
"""

import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
import whorl
from conftest import relative

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[3]))
TEXT = (SOURCE / "docs/compare/calls.md").read_text()


def rows_of(peer):
    """(calls of the peer, call of whorl) of each row."""
    (part,) = [part for part in TEXT.split("\n## ") if part.startswith(peer)]
    cells = re.findall(r"^\| (`.*`) \| (`[^`]*`).*\|$", part, re.MULTILINE)
    assert len(cells) >= 5
    return [(re.findall("`([^`]*)`", left.replace("\\|", "|")), right.strip("`")) for left, right in cells]


def given():
    names = {"whorl": whorl, "np": np}
    (setup,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    exec(setup, names)
    return names


def value(code, names):
    """The value of an expression, or None of a statement."""
    try:
        compiled = compile(code, "coming-from.md", "eval")
    except SyntaxError:
        exec(code, names)
        return None
    return eval(compiled, names)


def compare(peer, names, ours, checks):
    """Runs the rows, the left cells with `names`, the right ones with `ours`. checks: for each row what has to hold of the values of
    its left cell and of whorl's call."""
    rows = rows_of(peer)
    assert len(rows) == len(checks)
    for (left, right), check in zip(rows, checks):
        theirs = [value(code, names) for code in left]
        check(theirs, value(right, ours))


def apart(a, b):
    """The distance of a from b, up to a factor."""
    a, b = np.ravel(a), np.ravel(b)
    return relative(a * (np.vdot(a, b) / np.vdot(a, a)), b)


def test_sigpy():
    sigpy = pytest.importorskip("sigpy")
    import sigpy.mri.app

    ours = given()
    of_page = ours["points"][:, ::-1] * 64
    names = {"sigpy": sigpy, "y": ours["y"], "maps": ours["maps"], "x": ours["maps"] * ours["image"]}

    def spokes(_, __):
        there, here = names["coord"], ours["spokes"].points.reshape(64, 128, 2) * 64
        np.testing.assert_allclose(there[..., 1], here[..., 0], atol=1e-4)
        np.testing.assert_allclose(there[..., 0], -here[..., 1], atol=1e-4)
        names["coord"] = of_page

    def transforms(theirs, _):
        # docs/explain/conventions.md: 0.6 to 0.9 % at SigPy's defaults and random positions; less of images of this kind.
        A, x = ours["A"], names["x"]
        for one, found in zip(theirs, [A @ x, A.H @ ours["y"], A.normal @ x]):
            assert relative(one, found) < 9e-3

    def weights(theirs, _):
        image = lambda w: ours["E"].H @ (ours["y"] * w.astype("float32"))
        # Both weights are of one kind: SigPy's grid is as fine as the image, whorl's twice as fine.
        assert apart(image(theirs[0]), image(ours["weights"])) < 0.2

    compare("SigPy", names, ours, [
        spokes,
        lambda _, __: None,
        transforms,
        lambda _, __: _similar(names["E"].H * ours["y"], ours["E"].H @ ours["y"], 9e-3),
        weights,
        # Both have the same minimum, by transforms with SigPy's error.
        lambda theirs, _: _equal(theirs[0], ours["x"], 9e-3),
        lambda theirs, _: _equal(theirs[0], ours["x"], 9e-3),
    ])  # fmt: skip


def test_mrinufft():
    get_operator = pytest.importorskip("mrinufft").get_operator
    pytest.importorskip("finufft")  # the backend of the page
    ours = given()
    names = {"get_operator": get_operator, "y": ours["y"], "maps": ours["maps"], "image": ours["image"]}
    names |= {"samples": ours["points"][:, ::-1].astype("float32"), "x": ours["maps"] * ours["image"]}

    def applied(theirs, found):
        # FINUFFT's tolerance there is 1e-4 or better, as whorl's; points are in float32 there.
        assert relative(2 * theirs[0], ours["A"] @ names["x"]) < 3e-4
        assert relative(2 * theirs[1], found) < 3e-4

    compare("mri-nufft", names, ours, [
        lambda _, __: None,
        applied,
        lambda _, __: None,
        lambda theirs, found: _equal(theirs[0], found, 3e-4),
        # Voronoi's cells at the border of k-space and where samples coincide are taken in other ways.
        lambda theirs, found: _similar(theirs[0], found, 0.05),
        lambda theirs, _: _equal(theirs[0], 2 * ours["x"], 3e-4),
    ])  # fmt: skip


def test_finufft():
    finufft = pytest.importorskip("finufft")
    ours = given()
    positions = np.random.default_rng(1).uniform(-8, 8, (100, 2))
    names = {"finufft": finufft, "np": np, "y": ours["y"].astype("complex128"), "f": ours["image"].astype("complex128")}
    names["u"], names["v"] = 2 * np.pi * ours["points"][:, ::-1].T.copy()
    names["s"], names["t"] = positions[:, ::-1].T.copy()
    names["c"] = c = names["y"][0]

    def same(theirs, found):
        # Both have the tolerance 1e-6; complex64 of the third and fifth has more rounding than that.
        assert relative(found, theirs) < 3e-6

    compare("FINUFFT", names, ours, [
        lambda theirs, _: same(theirs[0], 64 * (ours["A"] @ names["f"][None])[0]),
        lambda theirs, _: same(theirs[0], 64 * ours["f"][0]),
        lambda theirs, _: same(theirs[0], 8 * (ours["line"].H @ c[None])[0]),
        lambda theirs, _: same(theirs[0], (ours["B"].H @ c[None].astype("complex64"))[0]),
        lambda theirs, found: same(theirs[2], 64 * found),
    ])  # fmt: skip


def test_mrpro(tmp_path, monkeypatch):
    mrpro = pytest.importorskip("mrpro")
    import torch

    names, ours = {}, given()
    for module in ["data", "operators", "operators.functionals", "data.traj_calculators", "algorithms.reconstruction"]:
        exec(f"from mrpro.{module} import *", names)
    names.update({name: getattr(mrpro.algorithms.optimizers, name) for name in ["cg", "pdhg"]})
    names["LinearOperatorMatrix"] = mrpro.operators.LinearOperatorMatrix
    names["size"] = mrpro.data.SpatialDimension(1, 64, 64)
    k = torch.as_tensor(ours["points"] * 64, dtype=torch.float32).reshape(1, 1, 1, 64, 128, 2)
    names["traj"] = mrpro.data.KTrajectory(torch.zeros(1, 1, 1, 1, 1), k[..., 1], k[..., 0])
    names["x"] = torch.as_tensor(ours["maps"] * ours["image"])[None, :, None]
    names["k"] = torch.as_tensor(ours["y"]).reshape(1, 4, 1, 64, 128)
    names["csm"] = torch.as_tensor(ours["maps"])[None, :, None]
    monkeypatch.chdir(tmp_path)
    whorl.write_scan(whorl.Scan(ours["trajectory"], (64, 64), ours["y"]), "scan.h5")

    def read(theirs, _):
        kdata = names["kdata"]
        assert relative(kdata.data.reshape(4, -1), ours["y"]) < 1e-6
        names["kdata"] = mrpro.data.KData(kdata.header, kdata.data, names["traj"])

    def applied(theirs, _):
        # Their transform and ours have tolerances of 1e-4 and better.
        assert relative(theirs[1][0].reshape(4, -1), ours["A"] @ (ours["maps"] * ours["image"])) < 3e-4
        assert relative(theirs[2][0].reshape(4, 64, 64), ours["A"].H @ ours["y"]) < 3e-4

    def encoded(theirs, _):
        assert relative(names["E"].adjoint(names["k"])[0].reshape(64, 64), ours["E"].H @ ours["y"]) < 3e-4

    compare("MRpro", names, ours, [
        read,
        applied,
        encoded,
        # Coil maps and numbers of iterations differ: the same image, not the same numbers.
        lambda theirs, _: _similar(abs(theirs[0].data.reshape(64, 64)), abs(ours["result"].images[0, 0]), 0.2),
        lambda theirs, _: _similar(theirs[0][0].reshape(64, 64), ours["x"], 3e-4),
        # Both end near the one minimum; five times as many of theirs come to 2.5 %.
        lambda theirs, _: _similar(theirs[0][0].reshape(64, 64), ours["x"], 0.06),
    ])  # fmt: skip


def _similar(a, b, limit):
    assert apart(a, b) < limit


def _equal(a, b, limit):
    assert relative(np.squeeze(a), np.squeeze(b)) < limit


@pytest.mark.skipif(shutil.which("bart") is None, reason="BART is not installed")
def test_bart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = given()
    ours["A"] = whorl.Nufft(ours["points"], (64, 64))
    ours["scan"] = whorl.Scan(ours["trajectory"], (64, 64), ours["y"])
    positions = np.pad(ours["points"] * 64, [(0, 0), (0, 1)]).reshape(64, 128, 3)
    inside = abs(ours["image"]) > 0.1 * abs(ours["image"]).max()

    def written(name, y):
        whorl.io.write_array(f"{name}.cfl", y.reshape(4, 64, 128, 1))

    def run(line):
        return subprocess.run(line.split(), check=True, capture_output=True, text=True).stdout

    def read(name):
        return np.squeeze(whorl.io.read_array(f"{name}.cfl"))

    def spokes(_):
        angle = np.pi * np.arange(64)[:, None] / 64
        along = np.arange(128) - 63.5
        found = read("traj").reshape(64, 128, 3).real
        np.testing.assert_allclose(found[..., 0], along * np.sin(angle), atol=1e-4)
        np.testing.assert_allclose(found[..., 1], along * np.cos(angle), atol=1e-4)
        half = 0.5 * np.stack([np.cos(angle), np.sin(angle)], -1)
        here = ours["trajectory"].points.reshape(64, 128, 2) * 128 + half
        np.testing.assert_allclose(found[..., :2], here[..., ::-1], atol=1e-4)
        whorl.io.write_array("traj.cfl", positions.astype("complex64"))  # from here on the one of the page
        written("ksp", ours["y"])

    def delays(_):
        moved = whorl.trajectory.delayed(whorl.Trajectory(ours["points"], 128), whorl.correct.GradientDelays(x=0.2, y=-0.1))
        y = whorl.Nufft(moved.points, (64, 64), 4) @ (ours["maps"] * ours["image"])
        written("late", y)
        theirs = [float(number) for number in run("bart estdelay traj late").split(":")]
        here = whorl.correct.estimate_delays(whorl.Trajectory(ours["points"], 128), y, (64, 64)).delays
        # A sixth of the larger delay; BART looks for the crossings of neighboring spokes.
        np.testing.assert_allclose([theirs[1], theirs[0]], [here.x, here.y], atol=0.03)
        late = ours["late"]
        assert max(map(abs, (late.x, late.y, late.xy))) < 0.01

    def maps(_):
        theirs, found = read("maps"), ours["found"][0, :, 0]
        unit = lambda one: one / np.sqrt((abs(one) ** 2).sum(0) + 1e-20)
        assert abs((unit(theirs).conj() * unit(found)).sum(0))[inside].min() > 0.99

    checks = [
        spokes,
        lambda found: _similar(read("img"), found, 1e-3),
        lambda _: _similar(read("img"), ours["x"], 0.15),  # of different numbers of iterations
        maps,
        delays,
        # Two nonlinear solvers with steps of their own.
        lambda _: _similar(abs(read("img")), abs(ours["nlinv"].image()), 0.15),
        # Near one minimum; the wavelets' random shifts differ.
        lambda _: _similar(abs(read("img")), abs(ours["x"][0, 0]), 0.1),
    ]
    rows = rows_of("BART")
    assert len(rows) == len(checks)
    for (left, right), check in zip(rows, checks):
        for line in left:
            run(line)
        check(value(right, ours))
