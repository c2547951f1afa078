"""whorl: non-Cartesian MRI reconstruction, from trajectories to images, on CPUs and NVIDIA GPUs.

Functions have the names of the C++ library. Arrays are those of NumPy, PyTorch, CuPy or JAX, and so are the results.
Images are [coil, (z,) y, x], samples [coil, sample], trajectories [sample, dim] with the columns x, y(, z) in cycles per
pixel, |k| <= 0.5.
"""

from ._threads import short_waits

with short_waits():
    from . import _core
from . import _calls, _show
from ._core import *  # noqa: F403
from ._core import filters, version
from ._gradient import trajectory_gradient
from ._regularizers import *  # noqa: F403
from ._regularizers import __all__ as _terms

_calls.explain_classes()
_calls.explain_module(globals())
_calls.explain_module(vars(filters), "whorl.filters")
_show.add_views()

from . import coils, correct, fit, io, measure, operators, phantom, plot, prox, solvers, trajectory  # noqa: E402

__version__ = version()

_GROUPS = {
    name: globals()[name]
    for name in "coils correct filters fit io measure operators phantom plot prox solvers trajectory".split()
}
# What one begins with is shown here; the rest in its group. All names are here too.
_FIRST = """examine estimate_coil_maps function_operator function_proximal least_squares admm conjugate_gradient fista Nufft SenseNufft
    LinearOperator prewhiten read_scan write_scan write_image scaled_error""".split()
_IN_GROUPS = {name for group in _GROUPS.values() for name in getattr(group, "__all__", ())} - {*_FIRST}
_OWN = [name for name in vars(_core) if not name.startswith("_") and name not in ("ValueError", "MemoryError", "filter")]
# `from whorl import *` leaves Python's own names alone.
__all__ = sorted({*_OWN, *_terms, "trajectory_gradient", *_GROUPS} - _IN_GROUPS - {"io"})


def __dir__():
    return [*__all__, "io", "MemoryError", "ValueError", "filter", "__version__"]
