"""The calls of FINUFFT's Python package by whorl: `import whorl.finufft as finufft`.

Types 1, 2 and 3 in one, two and three dimensions, in both precisions, with n_trans, isign, modeord and eps as there, and the
class Plan. Arrays of CuPy and PyTorch on a GPU work too, which takes the place of cufinufft.

Differences. `eps` bounds the root mean square error (docs/explain/conventions.md, accuracy typical); an eps below what rounding
allows is raised to what is possible, with a warning. Options that only tune FINUFFT's own code are accepted and have no
effect. `upsampfac` is a number from 1.25 to 2; 0 chooses it. A Plan may be executed by several threads, which take turns.

With spreadinterponly=1 nothing is Fourier transformed: type 1 spreads strengths onto a periodic grid of n_modes points, type 2
interpolates from it. Point i of N is at x = -pi + 2 pi i / N. The window is whorl's for eps and upsampfac (2 if it is 0), not
FINUFFT's, and 1 at its center. isign and modeord have no effect.
"""

import math
import warnings

import numpy

from . import _core

__all__ = ["Plan", *(f"nufft{dim}d{kind}" for dim in (1, 2, 3) for kind in (1, 2, 3))]

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


def _columns(coordinates, scale):
    """Arrays [sample] times a factor, as the columns of [sample, dim] in double precision."""
    coordinates = [_array(values) for values in coordinates]
    module = _module_of(coordinates[0])
    columns = []
    for values in coordinates:
        if len(values.shape) != 1 or values.shape != coordinates[0].shape:
            shapes = ", ".join(str(tuple(numpy.shape(axis))) for axis in coordinates)
            raise _core.ShapeError(f"setpts: positions have shapes {shapes}, expected [sample] for each axis, of one length")
        columns.append((values.double() if module.__name__ == "torch" else values.astype("float64")) * scale)
    return module.stack(columns, 1)


def _turns(coordinates, sign):
    """Positions [sample, dim] in cycles per pixel: the last axis of the modes is whorl's x."""
    turns = _columns(tuple(reversed(coordinates)), sign / (2 * math.pi))
    return turns - _module_of(turns).round(turns)


def _with_least_tolerance(make, eps, dtype):
    """make(tolerance), with the least tolerance that is possible if eps is below it."""
    tolerance = eps
    while True:
        try:
            transform = make(tolerance)
        except _core.ToleranceError:
            if tolerance > 1e-3:
                raise
            tolerance = max(tolerance * 1.25, 1e-15)
            continue
        if tolerance != eps:
            warnings.warn(f"whorl.finufft: eps {eps:g} is below what {dtype} allows; {tolerance:.2g} is used", stacklevel=5)
        return transform


class Plan:
    """A transform of n_trans vectors at once: of type 1 (samples to modes), 2 (modes to samples) or 3 (samples to samples).

    nufft_type  1, 2 or 3
    n_modes     types 1 and 2: modes along each axis, one to three numbers; type 3: the number of axes
    eps         relative error, in (0, 1)
    isign       sign of the exponent: -1 by default for type 2, else +1
    dtype       complex64 or complex128
    modeord     0: modes from -N/2 on; 1: in the order of an FFT, from 0 on
    nthreads    0: all
    upsampfac   0: chosen
    spreadinterponly  1: without the Fourier transform (types 1 and 2)

    Raises  ValueError, TypeError (an option that FINUFFT does not have)

    >>> plan = whorl.finufft.Plan(1, (8, 6))
    >>> plan.setpts(*np.ones((2, 20)))
    >>> plan.execute(np.ones(20, complex)).shape
    (8, 6)
    """

    def __init__(self, nufft_type, n_modes_or_dim, n_trans=1, eps=1e-6, isign=None, dtype="complex128", **options):
        if nufft_type not in (1, 2, 3):
            raise ValueError(f"nufft_type is {nufft_type}, expected 1, 2 or 3")
        if nufft_type == 3:
            self.n_modes, self.dim = None, int(n_modes_or_dim)
        else:
            self.n_modes = tuple(int(n) for n in numpy.atleast_1d(n_modes_or_dim))
            self.dim = len(self.n_modes)
        if self.dim not in (1, 2, 3):
            raise ValueError(f"{self.dim} dimensions, expected 1, 2 or 3")
        self.type = nufft_type
        self.n_trans = int(n_trans)
        self.eps = eps
        self.isign = isign if isign is not None else (-1 if nufft_type == 2 else 1)
        self.dtype = numpy.dtype("complex128" if _is_double(dtype) else "complex64")
        self._modeord = options.pop("modeord", 0)
        self._threads = options.pop("nthreads", 0)
        self._upsampfac = options.pop("upsampfac", 0) or 0
        self._alone = bool(options.pop("spreadinterponly", 0)) | bool(options.pop("gpu_spreadinterponly", 0))
        if self._alone and nufft_type == 3:
            raise ValueError("spreadinterponly is for types 1 and 2")
        options.pop("gpu_device_id", None)  # that of the arrays
        unknown = sorted(set(options) - _TUNING)
        if unknown:
            raise TypeError(f"Plan() got an unexpected option '{unknown[0]}'")
        self._transform = None

    def setpts(self, x=None, y=None, z=None, s=None, t=None, u=None):
        """Sets the positions, each [sample]: in radians and periodic for types 1 and 2. Type 3: any x, y, z [source] and
        frequencies s, t, u [target].

        Raises  ValueError (another number of arrays, values that are not finite), ShapeError (other lengths)
        """
        given = [axis for axis in (x, y, z) if axis is not None]
        targets = [axis for axis in (s, t, u) if axis is not None]
        if len(given) != self.dim or len(targets) != (self.dim if self.type == 3 else 0):
            raise ValueError(f"setpts: {len(given)} arrays of positions and {len(targets)} of frequencies, expected {self.dim}"
                             f" and {self.dim if self.type == 3 else 0}")  # fmt: skip
        options = {"dtype": str(self.dtype)}
        if self._threads and _module_of(given[0]) is numpy:
            options["context"] = _core.Context("cpu", threads=self._threads)
        if self.type == 3:
            self._set_targets(given, targets, options)
        else:
            self._set_points(given, options)

    def _set_points(self, given, options):
        # whorl's forward has exp(-i), its adjoint exp(+i).
        sign = -self.isign if self.type == 2 else self.isign
        points = _turns(given, 1 if sign > 0 or self._alone else -1)
        if self._alone:
            # Grid point 0 lies at x = -pi in FINUFFT, at 0 in whorl.
            points = points + 0.5
            points = points - _module_of(points).round(points)
            oversampling = self._upsampfac or 2.0
            # The window of a NUFFT of as many axes; the number of modes hardly matters.
            width = _with_least_tolerance(
                lambda tolerance: _core.Nufft(
                    numpy.zeros((1, self.dim)),
                    (32,) * self.dim,
                    tolerance=tolerance,
                    oversampling=oversampling,
                    dtype="complex128",
                ),
                self.eps,
                self.dtype,
            ).window_width
            self._transform = _core.Gridding(points, self.n_modes, width, oversampling, batch=self.n_trans, **options)
            self._scale = 1
        else:
            if self._upsampfac:
                options["oversampling"] = self._upsampfac
            self._transform = _with_least_tolerance(
                lambda tolerance: _core.Nufft(points, self.n_modes, self.n_trans, tolerance=tolerance, **options),
                self.eps,
                self.dtype,
            )
            self._scale = math.sqrt(math.prod(self.n_modes))
        self.n_samples = points.shape[0]

    def _set_targets(self, given, targets, options):
        # whorl has exp(-2 pi i k.r).
        frequencies = _columns(targets, (-1 if self.isign > 0 else 1) / (2 * math.pi))
        positions = _columns(given, 1)
        if self._upsampfac:
            options["oversampling"] = self._upsampfac
        self._transform = _with_least_tolerance(
            lambda tolerance: _core.PositionNufft(frequencies, positions, self.n_trans, tolerance=tolerance, **options),
            self.eps,
            self.dtype,
        )
        self._scale = 1
        self.n_samples, self.n_targets = positions.shape[0], frequencies.shape[0]

    def execute(self, data, out=None):
        """Type 1: strengths [n_trans, sample] -> modes [n_trans, modes...]; type 2 the other way round; type 3: strengths
        [n_trans, source] -> [n_trans, target].

        Raises  ValueError, ShapeError, TypeError (data of another shape or type; no setpts before)
        """
        return self._run(data, out, self.type == 1)

    def execute_adjoint(self, data, out=None):
        """The adjoint of execute, of the other type and with the other sign: from the shape of its result to that of its data.

        Raises  as execute
        """
        return self._run(data, out, self.type != 1)

    def _run(self, data, out, by_adjoint):
        if self._transform is None:
            raise RuntimeError("execute: no positions; call setpts first")
        modes = (self.n_samples,) if self.type == 3 else self.n_modes
        samples = (self.n_targets,) if self.type == 3 else (self.n_samples,)
        shape = samples if by_adjoint else modes
        single = tuple(data.shape) == shape
        if single and self.n_trans != 1:
            raise ValueError(f"execute: data has shape {tuple(data.shape)}, expected {(self.n_trans, *shape)}")
        if not single and tuple(data.shape) != (self.n_trans, *shape):
            raise _core.ShapeError(f"execute: data has shape {tuple(data.shape)}, expected {(self.n_trans, *shape)}")
        values = data.reshape((self.n_trans, *shape))
        turned = self._modeord == 1 and self.type != 3 and not self._alone
        if turned and not by_adjoint:
            values = _shifted(values, self.dim, inverse=False)
        result = self._transform.adjoint(values) if by_adjoint else self._transform.forward(values)
        if self._scale != 1:
            result *= self._scale
        if turned and by_adjoint:
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


def _array(data):
    return data if hasattr(data, "dtype") else numpy.asarray(data)


def _type1(dim, coordinates, c, n_modes, out, eps, isign, options):
    c = _array(c)
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
    f = _array(f)
    n_trans = f.shape[0] if len(f.shape) > dim else 1
    plan = Plan(2, f.shape[-dim:], n_trans, eps, isign, _type_of(f), **options)
    plan.setpts(*coordinates)
    return plan.execute(f, out)


def _type3(dim, coordinates, c, out, eps, isign, options):
    c = _array(c)
    n_trans = c.shape[0] if len(c.shape) > 1 else 1
    plan = Plan(3, dim, n_trans, eps, isign, _type_of(c), **options)
    plan.setpts(*coordinates[:dim], *[None] * (3 - dim), *coordinates[dim:])
    return plan.execute(c, out)


def nufft1d1(x, c, n_modes=None, out=None, eps=1e-6, isign=1, **kwargs):
    """f[k1] = sum_j c[j] exp(+-i k1 x[j]): strengths [(n_trans,) sample] -> modes [(n_trans,) N1].

    Shapes  positions [sample] of each axis, c [(n_trans,) sample]; result [(n_trans,) modes...]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft1d1(np.linspace(0, 3, 20), np.ones(20, complex), 8).shape
    (8,)
    """
    return _type1(1, (x,), c, n_modes, out, eps, isign, kwargs)


def nufft1d2(x, f, out=None, eps=1e-6, isign=-1, **kwargs):
    """c[j] = sum_k f[k1] exp(+-i k1 x[j]): modes [(n_trans,) N1] -> strengths [(n_trans,) sample].

    Shapes  positions [sample] of each axis, f [(n_trans,) modes...]; result [(n_trans,) sample]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft1d2(np.linspace(0, 3, 20), np.ones(8, complex)).shape
    (20,)
    """
    return _type2(1, (x,), f, out, eps, isign, kwargs)


def nufft1d3(x, c, s, out=None, eps=1e-6, isign=1, **kwargs):
    """f[k] = sum_j c[j] exp(+-i s[k] x[j]): strengths [(n_trans,) source] -> [(n_trans,) target].

    Shapes  positions [source] and frequencies [target] of each axis, c [(n_trans,) source]; result [(n_trans,) target]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft1d3(np.linspace(0, 3, 20), np.ones(20, complex), np.arange(5.0)).shape
    (5,)
    """
    return _type3(1, (x, s), c, out, eps, isign, kwargs)


def nufft2d1(x, y, c, n_modes=None, out=None, eps=1e-6, isign=1, **kwargs):
    """f[k1, k2] = sum_j c[j] exp(+-i (k1 x[j] + k2 y[j])): strengths [(n_trans,) sample] -> modes [(n_trans,) N1, N2].

    Shapes  positions [sample] of each axis, c [(n_trans,) sample]; result [(n_trans,) modes...]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft2d1(*np.ones((2, 20)), np.ones(20, complex), (8, 6)).shape
    (8, 6)
    """
    return _type1(2, (x, y), c, n_modes, out, eps, isign, kwargs)


def nufft2d2(x, y, f, out=None, eps=1e-6, isign=-1, **kwargs):
    """c[j] = sum_k f[k1, k2] exp(+-i (k1 x[j] + k2 y[j])): modes [(n_trans,) N1, N2] -> strengths [(n_trans,) sample].

    Shapes  positions [sample] of each axis, f [(n_trans,) modes...]; result [(n_trans,) sample]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft2d2(*np.ones((2, 20)), np.ones((8, 6), complex)).shape
    (20,)
    """
    return _type2(2, (x, y), f, out, eps, isign, kwargs)


def nufft2d3(x, y, c, s, t, out=None, eps=1e-6, isign=1, **kwargs):
    """As nufft1d3, in two dimensions: s[k] x[j] + t[k] y[j].

    Shapes  positions [source] and frequencies [target] of each axis, c [(n_trans,) source]; result [(n_trans,) target]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft2d3(*np.ones((2, 20)), np.ones(20, complex), *np.ones((2, 5))).shape
    (5,)
    """
    return _type3(2, (x, y, s, t), c, out, eps, isign, kwargs)


def nufft3d1(x, y, z, c, n_modes=None, out=None, eps=1e-6, isign=1, **kwargs):
    """As nufft2d1, in three dimensions.

    Shapes  positions [sample] of each axis, c [(n_trans,) sample]; result [(n_trans,) modes...]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft3d1(*np.ones((3, 20)), np.ones(20, complex), (8, 6, 4)).shape
    (8, 6, 4)
    """
    return _type1(3, (x, y, z), c, n_modes, out, eps, isign, kwargs)


def nufft3d2(x, y, z, f, out=None, eps=1e-6, isign=-1, **kwargs):
    """As nufft2d2, in three dimensions.

    Shapes  positions [sample] of each axis, f [(n_trans,) modes...]; result [(n_trans,) sample]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft3d2(*np.ones((3, 20)), np.ones((8, 6, 4), complex)).shape
    (20,)
    """
    return _type2(3, (x, y, z), f, out, eps, isign, kwargs)


def nufft3d3(x, y, z, c, s, t, u, out=None, eps=1e-6, isign=1, **kwargs):
    """As nufft1d3, in three dimensions: s[k] x[j] + t[k] y[j] + u[k] z[j].

    Shapes  positions [source] and frequencies [target] of each axis, c [(n_trans,) source]; result [(n_trans,) target]
    Raises  ValueError, ShapeError, TypeError, as Plan

    >>> whorl.finufft.nufft3d3(*np.ones((3, 20)), np.ones(20, complex), *np.ones((3, 5))).shape
    (5,)
    """
    return _type3(3, (x, y, z, s, t, u), c, out, eps, isign, kwargs)
