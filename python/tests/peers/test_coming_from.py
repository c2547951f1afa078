"""The code of docs/compare/calls.md: its names, and what stands in the right columns of its tables."""

import os
import pathlib
import re

import numpy as np
import pytest
import whorl

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[3]))
TEXT = (SOURCE / "docs/compare/calls.md").read_text()
PEERS = [part for part in TEXT.split("\n## ")[1:]]


@pytest.mark.parametrize("part", PEERS, ids=lambda part: part.splitlines()[0])
def test_right_columns_run(part):
    names = {"whorl": whorl, "np": np}
    (setup,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    exec(setup, names)
    names["A"] = whorl.Nufft(names["points"], (64, 64))
    names["scan"] = whorl.Scan(names["trajectory"], (64, 64), names["y"])
    rows = re.findall(r"^\|.*\| (`.*?`)[^`|]*(?:or `[^`|]*`)? \|$", part, re.MULTILINE)
    count = len(re.findall(r"^\| `", part, re.MULTILINE))
    assert len(rows) == count >= 5
    for row in rows:
        try:
            exec(row.strip("`"), names)
        except Exception as error:
            pytest.fail(f"{error!r} in {row}")
    # What the calls leave is the image, up to a factor: the peers' tables end with a reconstruction.
    x = names.get("x")
    if x is not None:
        image = abs(np.asarray(x)).reshape(-1, 64, 64)
        assert np.corrcoef(image[0].ravel(), abs(names["image"]).ravel())[0, 1] > 0.5
