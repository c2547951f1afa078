"""The calls of FINUFFT's Python package by whorl: `import whorl.finufft as finufft`.

Types 1 and 2 in two and three dimensions, in both precisions, with n_trans, isign, modeord and eps as there, and the class
Plan. Arrays of CuPy and PyTorch on a GPU work too, which takes the place of cufinufft. One dimension and type 3 are not
offered; their names raise whorl.Unsupported.

Differences. `eps` bounds the root mean square error (docs/conventions.md, accuracy typical); an eps below what rounding
allows is raised to what is possible, with a warning. Options that only tune FINUFFT's own code are accepted and have no
effect. `upsampfac` is a number from 1.25 to 2; 0 chooses it. A Plan may be executed by several threads, which take turns.
"""

import math
import warnings

import numpy

from . import _core
from ._core import Unsupported

__all__ = ["Plan", "nufft2d1", "nufft2d2", "nufft3d1", "nufft3d2"]

# Options of FINUFFT that change how it computes, not what.
_TUNING = {
    "debug", "spread_debug", "showwarn", "fftw", "chkbnds", "spread_sort", "spread_kerevalmeth", "spread_kerpad",
    "spread_thread", "maxbatchsize", "spread_nthr_atomic", "spread_max_sp_size", "fftw_lock_fun", "allow_eps_too_small",
    "gpu_method", "gpu_sort", "gpu_kerevalmeth", "gpu_maxbatchsize", "gpu_binsizex", "gpu_binsizey", "gpu_binsizez",
    "gpu_maxsubprobsize", "gpu_obinsizex", "gpu_obinsizey", "gpu_obinsizez", "gpu_np",
}  # fmt: skip


def _module_of(array):
    """numpy, cupy or torch: the module of an array's functions."""
    name = type(array).__module__.partition(".")[0]
    if name in ("cupy", "torch"):
        return __import__(name)
    return numpy


def _is_double(dtype):
    return "128" in str(dtype) or "64" in str(dtype).replace("complex64", "")


def _shifted(array, dim, inverse):
    """The last `dim` axes between modes from -N/2 on and those of an FFT, from 0 on."""
    module = _module_of(array)
    shift = module.fft.ifftshift if inverse else module.fft.fftshift
    axes = tuple(range(-dim, 0))
    return shift(array, dim=axes) if module.__name__ == "torch" else shift(array, axes=axes)


def _turns(coordinates, sign):
    """Positions [sample, dim] in cycles per pixel: the last axis of the modes is whorl's x."""
    module = _module_of(coordinates[0])
    columns = []
    for values in reversed(coordinates):
        values = values if hasattr(values, "dtype") else numpy.asarray(values)
        turns = (values.double() if module.__name__ == "torch" else values.astype("float64")) * (sign / (2 * math.pi))
        columns.append(turns - module.round(turns))
    return module.stack(columns, 1)


def _transform(points, modes, n_trans, eps, dtype, options):
    """The transform, with the least tolerance that is possible if eps is below it."""
    tolerance = eps
    while True:
        try:
            transform = _core.Nufft(points, modes, n_trans, dtype=dtype, tolerance=tolerance, **options)
        except _core.ValueError as error:
            # Only a tolerance that rounding makes impossible becomes possible by a larger one.
            if "tolerance" not in str(error) or not 0 < eps < 1 or tolerance > 1e-3:
                raise
            tolerance = max(tolerance * 1.25, 1e-15)
            continue
        if tolerance != eps:
            warnings.warn(f"whorl.finufft: eps {eps:g} is below what {dtype} allows; {tolerance:.2g} is used", stacklevel=5)
        return transform


class Plan:
    """A transform of type 1 (samples to modes) or 2 (modes to samples), for n_trans vectors at once.

    nufft_type  1 or 2
    n_modes     modes along each axis, two or three numbers
    eps         relative error, in (0, 1)
    isign       sign of the exponent: +1 by default for type 1, -1 for type 2
    dtype       complex64 or complex128
    modeord     0: modes from -N/2 on; 1: in the order of an FFT, from 0 on
    nthreads    0: all; upsampfac  0: chosen
    """

    def __init__(self, nufft_type, n_modes_or_dim, n_trans=1, eps=1e-6, isign=None, dtype="complex128", **options):
        if nufft_type == 3:
            raise Unsupported("whorl.finufft: type 3 is not offered; whorl.PositionDft computes it exactly")
        if nufft_type not in (1, 2):
            raise ValueError(f"nufft_type is {nufft_type}, expected 1 or 2")
        self.n_modes = tuple(int(n) for n in numpy.atleast_1d(n_modes_or_dim))
        self.dim = len(self.n_modes)
        if self.dim not in (2, 3):
            raise Unsupported(f"whorl.finufft: {self.dim} dimensions; two and three are offered")
        self.type = nufft_type
        self.n_trans = int(n_trans)
        self.eps = eps
        self.isign = isign if isign is not None else (1 if nufft_type == 1 else -1)
        self.dtype = numpy.dtype("complex128" if _is_double(dtype) else "complex64")
        self._modeord = options.pop("modeord", 0)
        self._threads = options.pop("nthreads", 0)
        self._options = {}
        if options.get("upsampfac"):
            self._options["oversampling"] = options["upsampfac"]
        options.pop("upsampfac", None)
        if options.pop("spreadinterponly", 0) or options.pop("gpu_spreadinterponly", 0):
            raise Unsupported("whorl.finufft: spreading alone; whorl.Gridding does that")
        options.pop("gpu_device_id", None)  # that of the arrays
        unknown = sorted(set(options) - _TUNING)
        if unknown:
            raise TypeError(f"Plan() got an unexpected option '{unknown[0]}'")
        self._scale = math.sqrt(math.prod(self.n_modes))
        self._transform = None

    def setpts(self, x=None, y=None, z=None, s=None, t=None, u=None):
        """Sets the positions, each [sample], in radians; they are periodic."""
        given = [axis for axis in (x, y, z) if axis is not None]
        if len(given) != self.dim or s is not None or t is not None or u is not None:
            raise ValueError(f"setpts: {len(given)} arrays of positions, expected {self.dim}")
        # whorl's forward has exp(-i), its adjoint exp(+i).
        sign = -self.isign if self.type == 2 else self.isign
        points = _turns(given, 1 if sign > 0 else -1)
        options = dict(self._options)
        if self._threads and _module_of(points) is numpy:
            options["context"] = _core.Context("cpu", threads=self._threads)
        self._transform = _transform(points, self.n_modes, self.n_trans, self.eps, str(self.dtype), options)
        self.n_samples = points.shape[0]

    def execute(self, data, out=None):
        """Type 1: strengths [n_trans, sample] -> modes [n_trans, modes...]; type 2 the other way round."""
        return self._run(data, out, self.type == 1)

    def execute_adjoint(self, data, out=None):
        """The adjoint of execute: of the other type, with the other sign."""
        return self._run(data, out, self.type == 2)

    def _run(self, data, out, to_modes):
        if self._transform is None:
            raise RuntimeError("execute: no positions; call setpts first")
        shape = (self.n_samples,) if to_modes else self.n_modes
        single = tuple(data.shape) == shape
        if single and self.n_trans != 1:
            raise ValueError(f"execute: data has shape {tuple(data.shape)}, expected {(self.n_trans, *shape)}")
        values = data.reshape((self.n_trans, *shape))
        if not to_modes and self._modeord == 1:
            values = _shifted(values, self.dim, inverse=False)
        result = self._transform.adjoint(values) if to_modes else self._transform.forward(values)
        result *= self._scale
        if to_modes and self._modeord == 1:
            result = _shifted(result, self.dim, inverse=True)
        if single:
            result = result[0]
        if out is None:
            return result
        if tuple(out.shape) != tuple(result.shape):
            raise ValueError(f"execute: out has shape {tuple(out.shape)}, expected {tuple(result.shape)}")
        out[...] = result
        return out


def _type_of(data):
    if "complex" not in str(data.dtype):
        raise TypeError(f"strengths and modes are complex64 or complex128, not {data.dtype}")
    return str(data.dtype).rpartition(".")[2]


def _type1(dim, coordinates, c, n_modes, out, eps, isign, options):
    if n_modes is None:
        if out is None:
            raise ValueError("the modes are unknown: pass n_modes or out")
        n_modes = out.shape[-dim:]
    n_trans = c.shape[0] if len(c.shape) > 1 else 1
    plan = Plan(1, n_modes, n_trans, eps, isign, _type_of(c), **options)
    if plan.dim != dim:
        raise ValueError(f"n_modes has {plan.dim} numbers, expected {dim}")
    plan.setpts(*coordinates)
    return plan.execute(c, out)


def _type2(dim, coordinates, f, out, eps, isign, options):
    n_trans = f.shape[0] if len(f.shape) > dim else 1
    plan = Plan(2, f.shape[-dim:], n_trans, eps, isign, _type_of(f), **options)
    plan.setpts(*coordinates)
    return plan.execute(f, out)


def nufft2d1(x, y, c, n_modes=None, out=None, eps=1e-6, isign=1, **kwargs):
    """f[k1, k2] = sum_j c[j] exp(+-i (k1 x[j] + k2 y[j])): strengths [(n_trans,) sample] -> modes [(n_trans,) N1, N2]."""
    return _type1(2, (x, y), c, n_modes, out, eps, isign, kwargs)


def nufft2d2(x, y, f, out=None, eps=1e-6, isign=-1, **kwargs):
    """c[j] = sum_k f[k1, k2] exp(+-i (k1 x[j] + k2 y[j])): modes [(n_trans,) N1, N2] -> strengths [(n_trans,) sample]."""
    return _type2(2, (x, y), f, out, eps, isign, kwargs)


def nufft3d1(x, y, z, c, n_modes=None, out=None, eps=1e-6, isign=1, **kwargs):
    """As nufft2d1, in three dimensions."""
    return _type1(3, (x, y, z), c, n_modes, out, eps, isign, kwargs)


def nufft3d2(x, y, z, f, out=None, eps=1e-6, isign=-1, **kwargs):
    """As nufft2d2, in three dimensions."""
    return _type2(3, (x, y, z), f, out, eps, isign, kwargs)


def __getattr__(name):
    if name in ("nufft1d1", "nufft1d2", "nufft1d3", "nufft2d3", "nufft3d3"):
        raise Unsupported(f"whorl.finufft: {name} is not offered: one dimension and type 3 are not part of whorl's NUFFT")
    raise AttributeError(f"module 'whorl.finufft' has no attribute '{name}'")
