"""Trajectories against their formulas, and functions made of tables of options."""

import ast
import inspect
import pathlib
import re

import numpy as np
import pytest
import whorl


def test_radial():
    trajectory = whorl.trajectory.radial_trajectory(5, 8, "uniform")
    angle = np.pi * np.arange(5) / 5
    radius = (np.arange(8) - 4) / 8
    expected = radius[None, :, None] * np.stack([np.cos(angle), np.sin(angle)], 1)[:, None]
    np.testing.assert_allclose(trajectory.points, expected.reshape(-1, 2), atol=1e-15)
    assert trajectory.readout_length == 8 and trajectory.dim == 2 and len(trajectory) == 40
    golden = whorl.trajectory.radial_trajectory(3, 8, golden_index=7).points.reshape(3, 8, 2)[:, 0]
    turns = np.angle(golden[1, 0] + 1j * golden[1, 1]) - np.angle(golden[0, 0] + 1j * golden[0, 1])
    assert abs(np.degrees(turns) % 180 - 23.63) < 0.01


def test_other_families():
    assert whorl.trajectory.kooshball_trajectory(10, 8, order="phyllotaxis", interleaves=5).points.shape == (80, 3)
    assert whorl.trajectory.spiral_trajectory(4, 100, 6.0).points.shape == (400, 2)
    assert whorl.trajectory.rosette_trajectory(2, 64, 3, 2).points.shape == (128, 2)
    assert whorl.trajectory.propeller_trajectory(blades=3, lines=4, readout=10, matrix=20).points.shape == (120, 2)
    assert whorl.trajectory.cones_trajectory(50, cones=3, interleaves=2, matrix=10).points.shape == (300, 3)
    stack = whorl.trajectory.stack_trajectory(whorl.trajectory.radial_trajectory(5, 8), partitions=3, kz_order="centric")
    assert stack.points.shape == (120, 3)
    np.testing.assert_allclose(stack.points[::8, 2][:3], [0, -1 / 3, 1 / 3])
    times = whorl.trajectory.sample_times(whorl.trajectory.radial_trajectory(2, 3), 10, 5)
    np.testing.assert_allclose(times, np.array([10, 15, 20, 10, 15, 20]) * 1e-6)


def test_cartesian():
    mask = whorl.trajectory.cartesian_mask((12, 6), undersampling="regular", acceleration=3, calibration=2)
    assert mask.shape == (1, 12) and mask.dtype == np.uint8
    assert mask[0, 6] == 1 and mask[0, ::3].all()
    lines = whorl.trajectory.cartesian_trajectory((12, 6), undersampling="regular", acceleration=3, calibration=2)
    assert lines.samples == 6 * mask.sum()
    np.testing.assert_array_equal(whorl.trajectory.cartesian_trajectory((12, 6), mask).points, lines.points)
    with pytest.raises(ValueError, match="mask"):
        whorl.trajectory.cartesian_trajectory((12, 6), mask, acceleration=3)


def test_designed_trajectories_keep_the_limits():
    spiral = whorl.trajectory.designed_spiral(8, 4.0, max_gradient=30, max_slew=100, pixel=2.0, rewind=True)
    amplitude, slew = spiral.peaks()
    assert amplitude <= 30.001 and slew <= 100.6
    gradients = spiral.gradients_mt_per_m
    # The waveform ends where it began: gamma times its sum is k = 0 (42.577 MHz/T, mT/m, us, mm).
    k = gradients[0].sum(0) * 42.577e6 * 1e-3 * spiral.raster_us * 1e-6 * 2.0e-3
    np.testing.assert_allclose(k, 0, atol=1e-6)
    sodium = whorl.trajectory.twisted_projection(cones=5, fraction=0.4, matrix=20, max_gradient=8, nucleus="23Na", pixel=4.0, dwell=10)
    assert sodium.dwell_us == 10 and sodium.trajectory.dim == 3
    adapted = whorl.trajectory.density_adapted_radial(np.eye(3), 0.4, max_gradient=8, pixel=4.0, dwell=10)
    assert adapted.trajectory.samples % 3 == 0


def test_options_without_effect_are_refused():
    with pytest.raises(ValueError, match="interleaves has an effect only with order phyllotaxis"):
        whorl.trajectory.kooshball_trajectory(10, 8, interleaves=5)
    with pytest.raises(ValueError, match="golden_index is 0, expected|golden-index is 0, expected"):
        whorl.trajectory.radial_trajectory(4, 8, golden_index=0)
    with pytest.raises(ValueError, match="cones is 'many'"):
        whorl.trajectory.cones_trajectory(50, cones="many")
    with pytest.raises(ValueError, match="1.5"):
        whorl.trajectory.cones_trajectory(50, cones=1.5)


def test_documentation_is_made_of_the_table():
    text = whorl.trajectory.radial_trajectory.__doc__
    assert inspect.signature(whorl.trajectory.radial_trajectory).parameters["golden_index"].default == 1
    assert "golden_index: n of the golden angle" in text and "1 or more (default 1)" in text
    assert "cycles per pixel" in text


def test_every_function_is_documented():
    for group in whorl._GROUPS.values():
        for name in group.__all__:
            text = inspect.getdoc(getattr(group, name))
            assert text and "--" not in text, name  # options of the command line


def test_stubs_name_everything():
    folder = pathlib.Path(whorl.__file__).parent / "_core"
    if not folder.is_dir():
        pytest.skip("this build has no stubs (target whorl_python_stubs)")
    tree = ast.parse((folder / "__init__.pyi").read_text())
    names = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    missing = [name for name in dir(whorl._core) if not name.startswith("_") and name not in names | {"filters", "recon"}]
    assert not missing
    filters = ast.parse((folder / "filters.pyi").read_text())
    assert {node.name for node in filters.body if isinstance(node, ast.FunctionDef)} == {
        name for name in dir(whorl._core.filters) if not name.startswith("_")
    }


def test_signatures_are_python():
    for module in (whorl, whorl.filters):
        for name in dir(module):
            for line in (getattr(module, name).__doc__ or "").splitlines()[:1]:
                if re.match(rf"{name}\(.*\) ->", line):
                    ast.parse(f"def {line}: ...")
