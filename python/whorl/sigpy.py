"""whorl's transform as a linear operator of SigPy: `whorl.sigpy.NUFFT` in the place of `sigpy.linop.NUFFT`.

On the CPU with NumPy, and on a GPU with CuPy.
"""

import numpy as np
import sigpy

from . import _core

__all__ = ["NUFFT"]


class NUFFT(sigpy.linop.Linop):
    """Non-uniform FFT of the last axes of an image; both have the factor 1 / sqrt(voxels).

    ishape    [..., (z,) y, x]
    coord     [..., dim] in SigPy's unit, -n/2 to n/2 along an axis of n pixels, and periodic; columns in the order of the axes
    oversamp  1.25 to 2; None: chosen
    width     without effect: whorl's window is as wide as the tolerance asks for
    toeplitz  A.N as a convolution, in 2D and 3D
    dtype     complex64 or complex128; None: that of each input
    options   of whorl.Nufft: tolerance (default 1e-4), window, accuracy, normal, context

    Raises    whorl.ShapeError, whorl.ValueError, TypeError (an option that does not exist)

    Example

    >>> A = whorl.sigpy.NUFFT((4, 16, 16), np.random.default_rng(1).uniform(-8, 8, (50, 2)))
    >>> A.oshape
    [4, 50]
    """

    def __init__(self, ishape, coord, oversamp=None, width=None, toeplitz=False, *, dtype=None, **options):
        dim = coord.shape[-1]
        image, batch = tuple(ishape[-dim:]), tuple(ishape[:-dim])
        self._arguments = dict(
            ishape=tuple(ishape), coord=coord, oversamp=oversamp, width=width, toeplitz=toeplitz, dtype=dtype, **options
        )
        if oversamp is not None:
            options["oversampling"] = oversamp
        if toeplitz and dim > 1:
            options["normal"] = "toeplitz"
        module = sigpy.get_array_module(coord)
        turns = coord.reshape(-1, dim).astype(np.float64) / module.asarray(image, np.float64)
        points = module.ascontiguousarray(turns[:, ::-1])
        coils = int(np.prod(batch)) if batch else 1
        plan = lambda kind: _core.Nufft(points - module.round(points), image, coils, dtype=kind, **options)
        self._dtype = None if dtype is None else np.dtype(dtype).name
        # What is wrong with coord or options is refused here, not at the first use.
        first = self._dtype or "complex64"
        self._plans = {first: plan(first)}
        self._plan = plan
        super().__init__((*batch, *coord.shape[:-1]), tuple(ishape), repr_str="NUFFT (whorl)")

    def _transform(self, input):
        kind = self._dtype or ("complex128" if input.dtype.name in ("complex128", "float64") else "complex64")
        if kind not in self._plans:
            self._plans[kind] = self._plan(kind)
        return self._plans[kind]

    def _apply(self, input):
        return _applied(self._transform(input), "forward", input, self.oshape)

    def _adjoint_linop(self):
        return _Derived(self, "adjoint", self.ishape, self.oshape)

    def _normal_linop(self):
        return _Derived(self, "normal", self.ishape, self.ishape)

    def __reduce__(self):
        return _made, (self._arguments,)


class _Derived(sigpy.linop.Linop):
    """The adjoint or the normal operator of a NUFFT."""

    def __init__(self, of, kind, oshape, ishape):
        self._of, self._kind = of, kind
        super().__init__(oshape, ishape, repr_str=f"NUFFT {kind} (whorl)")

    def _apply(self, input):
        return _applied(self._of._transform(input), self._kind, input, self.oshape)

    def _adjoint_linop(self):
        return self._of if self._kind == "adjoint" else self

    def __reduce__(self):
        return _Derived, (self._of, self._kind, self.oshape, self.ishape)


def _made(arguments):
    return NUFFT(**arguments)


def _applied(transform, kind, input, oshape):
    values = input.astype(transform.dtype, copy=False)
    if kind == "adjoint":
        return transform.adjoint(values.reshape(transform.range)).reshape(oshape)
    function = transform.forward if kind == "forward" else transform.normal.forward
    return function(values.reshape(transform.domain)).reshape(oshape)
