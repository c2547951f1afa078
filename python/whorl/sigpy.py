"""whorl's transform as a linear operator of SigPy: `whorl.sigpy.NUFFT` in the place of `sigpy.linop.NUFFT`.

On the CPU with NumPy, and on a GPU with CuPy.
"""

import numpy as np
import sigpy

from . import _core

__all__ = ["NUFFT"]


class NUFFT(sigpy.linop.Linop):
    """Non-uniform FFT of the last axes of an image; both have the factor 1 / sqrt(voxels).

    ishape   [..., (z,) y, x]
    coord    [..., dim] in SigPy's unit, -n/2 to n/2 along an axis of n pixels; columns in the order of the axes
    options  of whorl.Nufft: tolerance (default 1e-4), oversampling, window, ...
    """

    def __init__(self, ishape, coord, dtype=np.complex64, _transform=None, _adjoint=False, **options):
        self._arguments = dict(ishape=tuple(ishape), coord=coord, dtype=dtype, **options)
        dim = coord.shape[-1]
        image, batch = tuple(ishape[-dim:]), tuple(ishape[:-dim])
        oshape = (*batch, *coord.shape[:-1])
        self._coils = int(np.prod(batch)) if batch else 1
        if _transform is None:
            module = sigpy.get_array_module(coord)
            turns = coord.reshape(-1, dim).astype(np.float64) / module.asarray(image, np.float64)
            points = module.ascontiguousarray(turns[:, ::-1])
            _transform = _core.Nufft(points, image, self._coils, dtype=dtype, **options)
        self._transform = _transform
        self._is_adjoint = _adjoint
        if _adjoint:
            super().__init__(tuple(ishape), oshape, repr_str="NUFFTAdjoint (whorl)")
        else:
            super().__init__(oshape, tuple(ishape), repr_str="NUFFT (whorl)")

    def _apply(self, input):
        transform = self._transform
        values = input.astype(transform.dtype, copy=False)
        if self._is_adjoint:
            return transform.adjoint(values.reshape(transform.range)).reshape(self.oshape)
        return transform.forward(values.reshape(transform.domain)).reshape(self.oshape)

    def _adjoint_linop(self):
        return NUFFT(**self._arguments, _transform=self._transform, _adjoint=not self._is_adjoint)
