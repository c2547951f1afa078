"""whorl as a backend of mri-nufft: `import whorl.mrinufft`, then `mrinufft.get_operator("whorl")`.

All coils, and all batches where there are no sensitivity maps, are transformed at once; with maps, coils are combined inside
whorl. On the CPU, with NumPy; mri-nufft's autodiff works (it needs PyTorch and deepinv). Not offered: arrays on a GPU.
"""

import numpy as np
from mrinufft._utils import proper_trajectory
from mrinufft.operators.base import FourierOperatorCPU, _ToggleGradPlanMixin

from . import _core

__all__ = ["MRIwhorl"]


def _points(samples):
    """whorl's points of mri-nufft's, in radians: its columns are in the order of the image's axes, whorl's are x, y, z."""
    return np.ascontiguousarray(samples[:, ::-1], dtype=np.float64) / (2 * np.pi)


class _Transform:
    """whorl's transforms of one trajectory, for any number of coils."""

    def __init__(self, shape, dtype, options):
        self._shape = tuple(int(n) for n in shape)
        self._options = {"dtype": "complex128" if dtype == np.float64 else "complex64", **options}

    def set_samples(self, samples):
        self._plan(_points(samples))
        self._turned = None

    def _plan(self, points):
        self._points = points
        self._nufft = _core.Nufft(points, self._shape, 1, **self._options)
        self._of_coils = {1: self._nufft}
        self._maps = None

    def toggle_grad_traj(self):
        """Between the transform and that with the other sign of the exponent, as mri-nufft's gradients ask for."""
        names = ("_points", "_nufft", "_of_coils", "_maps")
        kept, other = tuple(getattr(self, name) for name in names), self._turned
        if other is None:
            self._plan(-self._points)
        else:
            for name, value in zip(names, other):
                setattr(self, name, value)
        self._turned = kept

    def of(self, coils):
        if coils not in self._of_coils:
            self._of_coils[coils] = self._nufft.with_coils(coils)
        return self._of_coils[coils]

    def with_maps(self, maps):
        if self._maps is None or self._maps[0] is not maps:
            sense = _core.SenseNufft(self.of(len(maps)), np.ascontiguousarray(maps, dtype=self._nufft.dtype))
            self._maps = (maps, sense)
        return self._maps[1]


class MRIwhorl(FourierOperatorCPU, _ToggleGradPlanMixin):
    """The NUFFT of whorl with the interface of mri-nufft.

    samples     [sample, dim], as mri-nufft takes them
    shape       of the image
    density     as in mri-nufft: weights [sample], True or a method's name, or False
    smaps       sensitivity maps [coil, *shape]
    eps         relative error (whorl's tolerance)
    options     of whorl.Nufft: oversampling, window, accuracy, ...; context: threads
    """

    backend = "whorl"
    available = True
    autograd_available = True

    def __init__(
        self,
        samples,
        shape,
        density=False,
        n_coils=1,
        n_batchs=1,
        n_trans=1,
        smaps=None,
        squeeze_dims=True,
        eps=1e-4,
        **options,
    ):
        samples = np.asarray(proper_trajectory(np.asarray(samples), normalize="pi"), order="F")
        transform = _Transform(shape, samples.dtype, {"tolerance": eps, **options})
        transform.set_samples(samples)
        super().__init__(
            samples,
            shape,
            density,
            n_coils=n_coils,
            n_batchs=n_batchs,
            n_trans=n_trans,
            smaps=smaps,
            raw_op=transform,
            squeeze_dims=squeeze_dims,
        )

    def _op_sense(self, data, ksp=None):
        operator = self.raw_op.with_maps(self.smaps)
        result = self._room(ksp, (self.n_batchs, self.n_coils, self.n_samples))
        for image, samples in zip(data.reshape(self.n_batchs, *self.shape), result):
            operator.forward(image, samples)
        return self._unscaled(result)

    def _op_calibless(self, data, ksp=None):
        many = self.n_batchs * self.n_coils
        result = self._room(ksp, (many, self.n_samples))
        self.raw_op.of(many).forward(data.reshape(many, *self.shape), result)
        return self._unscaled(result).reshape(self.ksp_full_shape)

    def _adj_op_sense(self, coeffs, img=None):
        operator = self.raw_op.with_maps(self.smaps)
        result = self._room(img, (self.n_batchs, *self.shape))
        for samples, image in zip(self._weighted(coeffs).reshape(self.ksp_full_shape), result):
            operator.adjoint(samples, image)
        return self._unscaled(result).reshape(self.img_full_shape)

    def _adj_op_calibless(self, coeffs, img=None):
        many = self.n_batchs * self.n_coils
        result = self._room(img, (many, *self.shape))
        self.raw_op.of(many).adjoint(self._weighted(coeffs).reshape(many, self.n_samples), result)
        return self._unscaled(result).reshape(self.img_full_shape)

    def _room(self, given, shape):
        return np.empty(shape, self.cpx_dtype) if given is None else given.reshape(shape)

    def _weighted(self, coeffs):
        return coeffs if self.density is None else (coeffs * self.density).astype(self.cpx_dtype, copy=False)

    def _unscaled(self, result):
        # mri-nufft's raw transforms have no factor.
        result *= self.cpx_dtype.type(np.sqrt(np.prod(self.shape)))
        return result

    def data_consistency(self, image_data, obs_data):
        """A^H (W) (A x - y)."""
        squeeze, self.squeeze_dims = self.squeeze_dims, False
        try:
            difference = self.op(image_data) - np.reshape(obs_data, self.ksp_full_shape)
            result = self.adj_op(difference)
        finally:
            self.squeeze_dims = squeeze
        return self._safe_squeeze(result)

    def update_samples(self, new_samples, *, unsafe=False):
        """Plans for other samples; density weights that were computed are computed again."""
        if not unsafe:
            new_samples = np.asarray(proper_trajectory(new_samples, normalize="pi"), order="F")
        self._samples = new_samples
        self.raw_op.set_samples(new_samples)
        self.compute_density(self._density_method)

    @classmethod
    def pipe(cls, kspace_loc, volume_shape, max_iter=100, osf=2, normalize=True, **options):
        """Density weights by Pipe and Menon's iteration, as whorl computes them: on a grid that it chooses, so that osf has no effect."""
        points = _points(proper_trajectory(np.asarray(kspace_loc), normalize="pi"))
        weights = _core.density_weights(points, volume_shape, "pipe-menon", pipe_menon_iterations=max_iter)
        if normalize:
            # As mri-nufft does: a constant image keeps its mean.
            test = cls(kspace_loc, volume_shape, **options)
            image = test.adj_op(weights * test.op(np.ones(volume_shape, test.cpx_dtype)))
            weights = weights / np.mean(np.abs(image))
        return weights.squeeze()
