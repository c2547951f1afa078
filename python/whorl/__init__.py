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

__version__ = version()

# `from whorl import *` leaves Python's own names alone.
__all__ = [name for name in dir(_core) if not name.startswith("_") and name not in ("ValueError", "MemoryError", "filter")]
__all__ += ["trajectory_gradient", *_terms]
