"""whorl: non-Cartesian MRI reconstruction, from trajectories to images, on CPUs and NVIDIA GPUs.

What one begins with stands here, the rest in groups: whorl.trajectory, coils, scans, reconstruction, regularizers, operators,
solvers, prox, correct, fit, phantom, measure, plot, io, filters, devices and errors. Functions have the names of the C++
library. Arrays are those of NumPy, PyTorch, CuPy or JAX, and so are the results. Images are [coil, (z,) y, x], samples
[coil, sample], trajectories [sample, dim] with the columns x, y(, z) in cycles per pixel, |k| <= 0.5.

The pages (Markdown) lie in the folder whorl.docs, which is a path: whorl.docs / "reference/python.md" is the one to begin with,
"start/first-image.md" goes from a file to an image, "trouble.md" is for messages. help(whorl.recon) and all others have an example.
"""

import pathlib as _pathlib
import sys as _sys

from ._threads import short_waits

with short_waits():
    from . import _core
from . import _calls, _show

_calls.explain_classes()
_show.add_views()

from . import (  # noqa: E402
    coils,
    correct,
    devices,
    errors,
    filters,
    fit,
    io,
    measure,
    operators,
    phantom,
    plot,
    prox,
    reconstruction,
    regularizers,
    scans,
    solvers,
    trajectory,
)
from .coils import estimate_coil_maps, prewhiten  # noqa: E402
from .correct import examine  # noqa: E402
from .devices import Context  # noqa: E402
from .errors import (  # noqa: E402
    Cancelled,
    DeviceError,
    Error,
    IoError,
    MemoryError,
    PrecisionWarning,
    ShapeError,
    ToleranceError,
    Unsupported,
    ValueError,
)
from .filters import filter  # noqa: E402
from .io import read_scan, write_image, write_scan  # noqa: E402
from .measure import scaled_error  # noqa: E402
from .operators import LinearOperator, Nufft, SenseNufft, function_operator  # noqa: E402
from .prox import function_proximal  # noqa: E402
from .reconstruction import Reconstruction, plan, recon  # noqa: E402
from .regularizers import ICTV, LLR, TGV, TV, LowRankSparse, Positive, SparsePixels, SparseWavelets  # noqa: E402
from .scans import Geometry, Scan, Trajectory, make_frames  # noqa: E402
from .solvers import admm, conjugate_gradient, fista, least_squares  # noqa: E402

__version__ = _core.version()
docs = _pathlib.Path(__file__).absolute().with_name("docs")

_GROUPS = {name: thing for name, thing in [*globals().items()] if _calls.is_module(thing) and not name.startswith("_")}
_FIRST = sorted(name for name, thing in globals().items() if not name.startswith("_") and name not in {*_GROUPS, "short_waits"})
# `from whorl import *` leaves Python's own names alone.
__all__ = sorted({*_FIRST, *_GROUPS} - {"MemoryError", "ValueError", "filter", "io"})


def __dir__():
    return [*_FIRST, *_GROUPS, "__version__"]


for _home in [*_GROUPS.values(), _sys.modules[__name__]]:
    _home.__getattr__ = _calls.no_attribute(_home, _GROUPS)
