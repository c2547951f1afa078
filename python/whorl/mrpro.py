"""whorl as the Fourier operator of MRpro: `whorl.mrpro.FourierOp`, with gradients to images and samples.

It takes the place of `mrpro.operators.FourierOp`, with the same arguments and the same scale, also where k-space lies on a
grid. Directions in which k has a single value are not transformed, and the image has one pixel along them.
"""

import math

import mrpro
import torch

from . import _core

__all__ = ["FourierOp"]

_AXES = (-3, -2, -1)  # z, y, x, and k2, k1, k0


class FourierOp(mrpro.operators.LinearOperator, adjoint_as_backward=True):
    """Samples (..., coils, k2, k1, k0) of images (..., coils, z, y, x), complex64 or complex128.

    recon_matrix     pixels of the image, a mrpro SpatialDimension
    encoding_matrix  that of k-space: positions are in cycles over it
    traj             mrpro.data.KTrajectory. Its axes before the coils have one element, or as many as those of images
    options          of whorl.Nufft: tolerance, oversampling, window, context, ...

    Raises  whorl.ValueError (nothing to transform, several pixels where k has a single value), TypeError

    Example

    >>> import mrpro, torch
    >>> size = mrpro.data.SpatialDimension(1, 8, 8)
    >>> ky, kx = torch.rand(2, 1, 1, 1, 5, 8) * 8 - 4
    >>> traj = mrpro.data.KTrajectory(torch.zeros(1, 1, 1, 1, 1), ky, kx)
    >>> whorl.mrpro.FourierOp(size, size, traj)(torch.ones(1, 1, 1, 8, 8, dtype=torch.complex64))[0].shape
    torch.Size([1, 1, 1, 5, 8])
    """

    def __init__(self, recon_matrix, encoding_matrix, traj, **options):
        super().__init__()
        single = mrpro.data.enums.TrajType.SINGLEVALUE
        self._axes = [axis for axis, kind in zip(_AXES, traj.type_along_kzyx) if not kind & single]
        if not self._axes:
            raise _core.ValueError("FourierOp: k has a single value in each direction; there is nothing to transform")
        self._matrix = recon_matrix.zyx
        if any(size != 1 and axis not in self._axes for axis, size in zip(_AXES, self._matrix)):
            raise _core.ValueError(
                f"FourierOp: the image has {' x '.join(map(str, self._matrix))} pixels along z, y, x, but k has a single "
                "value in a direction of several; put slices into an axis before the coils"
            )
        k = torch.broadcast_tensors(traj.kz, traj.ky, traj.kx)
        self._frames, self._sampled = k[0].shape[:-4], k[0].shape[-3:]
        pixels = [k[axis].double() / encoding_matrix.zyx[axis] for axis in reversed(self._axes)]
        points = torch.stack(pixels, -1).reshape(-1, math.prod(self._sampled), len(self._axes))
        # The transform has the period 1 in cycles per pixel.
        self._points = points - points.round()
        self._image = tuple(self._matrix[axis] for axis in self._axes)
        self._scale = math.sqrt(math.prod(self._image) / math.prod(encoding_matrix.zyx[axis] for axis in self._axes))
        self._options = options
        self._plans = {}

    def __repr__(self):
        sizes = " x ".join(map(str, self._image))
        return f"FourierOp of whorl: images of {sizes}, {math.prod(self._sampled)} samples of {len(self._points)} trajectories"

    @classmethod
    def from_kdata(cls, kdata, recon_shape=None, **options):
        """The operator of a mrpro.data.KData.

        Raises  as the class
        """
        header = kdata.header
        return cls(
            header.recon_matrix if recon_shape is None else recon_shape, header.encoding_matrix, kdata.traj, **options
        )

    def _plan(self, frame, x):
        key = frame, x.dtype, x.device
        if key not in self._plans:
            options = {"dtype": str(x.dtype).rpartition(".")[2], **self._options}
            self._plans[key] = _core.Nufft(self._points[frame].to(x.device), self._image, 1, **options)
        return self._plans[key]

    def _each(self, x, samples, apply):
        """apply(plan, [coil, ...]) for each trajectory. samples: whether x is such, and whether the result is."""
        from_samples, to_samples = samples
        axes = self._sampled if from_samples else self._matrix
        if x.ndim < 4 or tuple(x.shape[-3:]) != tuple(axes):
            expected = ", ".join(map(str, ("...", "coils", *axes)))
            raise _core.ShapeError(f"FourierOp: got a tensor of shape {tuple(x.shape)}, expected ({expected})")
        *before, coils = x.shape[:-3]
        try:
            frames = torch.arange(len(self._points)).reshape(self._frames).expand(before).reshape(-1)
        except RuntimeError:
            raise _core.ShapeError(
                f"FourierOp: axes {tuple(before)} before the coils, but those of the trajectory are {tuple(self._frames)}"
            ) from None
        x = x.reshape(len(frames), coils, *((-1,) if from_samples else self._image))
        y = x.new_empty(len(frames), coils, *((math.prod(self._sampled),) if to_samples else self._image))
        for frame in range(len(self._points)):
            chosen = torch.nonzero(frames == frame)[:, 0].to(x.device)
            part = x[chosen].flatten(0, 1).contiguous()
            y[chosen] = apply(self._plan(frame, x).with_coils(len(part)), part).reshape(-1, *y.shape[1:])
        return y.reshape(*before, coils, *(self._sampled if to_samples else self._matrix))

    def forward(self, x):
        """Samples of images (..., coils, z, y, x), in a tuple of one as MRpro's operators return it.

        Raises  whorl.ShapeError
        """
        return (self._scale * self._each(x, (False, True), lambda plan, part: plan.forward(part)),)

    def adjoint(self, y):
        """Images of samples (..., coils, k2, k1, k0), in a tuple of one.

        Raises  whorl.ShapeError
        """
        return (self._scale * self._each(y, (True, False), lambda plan, part: plan.adjoint(part)),)

    @property
    def gram(self):
        """Adjoint after forward, as a convolution."""
        return _Gram(self)


class _Gram(mrpro.operators.LinearOperator, adjoint_as_backward=True):
    def __init__(self, of):
        super().__init__()
        self._of = of

    def forward(self, x):
        apply = lambda plan, part: plan.normal @ part
        return (self._of._scale**2 * self._of._each(x, (False, False), apply),)

    def adjoint(self, x):
        return self.forward(x)
