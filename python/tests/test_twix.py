"""The pipe from raw data of Siemens of docs/reference/python.md, on a file that twixtools writes."""

import functools
import os
import pathlib
import re

import numpy as np
import pytest
import whorl
from conftest import complex_normal

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[2]))


def test_the_pipe_of_the_page_runs(tmp_path, rng, monkeypatch):
    twixtools = pytest.importorskip("twixtools")
    from twixtools.mdb import Mdb_local

    designed = whorl.trajectory.designed_spiral(4, 4.0, pixel=3.0)
    whorl.io.write_pulseq(designed, tmp_path / "sequence.seq", field_of_view_mm=(96, 96, 0))
    length = designed.trajectory.points.shape[0] // 4
    noise, data = complex_normal(rng, (3, 50)), complex_normal(rng, (4, 3, length))

    def readout(values, *flags):
        block = Mdb_local(values)
        for flag in flags:
            block.add_flag(flag)
        return block

    blocks = [readout(noise, "NOISEADJSCAN"), readout(np.ones((3, 20)), "PHASCOR"), *map(readout, data)]
    # A header of 64 bytes without a protocol.
    header = np.array([64, *[0] * 15], "uint32").view("uint8")
    twixtools.write_twix([{"mdb": blocks, "hdr_str": header, "hdr": {}}], str(tmp_path / "meas.dat"))
    # The file has no protocol, which twixtools takes the geometry and the version of physiological data from.
    monkeypatch.setattr(
        twixtools, "read_twix", functools.partial(twixtools.read_twix, parse_pmu=False, parse_geometry=False)
    )
    (block,) = re.findall(r"^```py\n(.*?)^```", (SOURCE / "docs/reference/python.md").read_text(), re.DOTALL | re.MULTILINE)
    assert "twixtools" in block
    monkeypatch.chdir(tmp_path)
    names = {"whorl": whorl, "np": np}
    exec(compile(block, "docs/reference/python.md", "exec"), names)
    scan = names["scan"]
    np.testing.assert_array_equal(scan.frames[0].data, data.transpose(1, 0, 2).reshape(3, -1))
    np.testing.assert_array_equal(scan.noise, noise)
    assert scan.frames[0].trajectory.points.shape == (4 * length, 2)
