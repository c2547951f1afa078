"""whorl as a backend of mri-nufft: `import whorl.mrinufft`, then `mrinufft.get_operator("whorl")`.

All coils, and all batches where there are no sensitivity maps, are transformed at once; with maps, coils are combined inside
whorl. Arrays are transformed where they are: those of NumPy and PyTorch on the CPU, those of CuPy and PyTorch on their GPU, and one
operator takes them all. mri-nufft's autodiff works (it needs PyTorch and deepinv).
"""

import functools

import numpy as np
from mrinufft._array_compat import ARRAY_LIBS, get_array_module, with_numpy_cupy
from mrinufft._utils import proper_trajectory
from mrinufft.operators.base import FourierOperatorSimple, _ToggleGradPlanMixin

from . import _core

__all__ = ["MRIwhorl"]


def _on_host(array):
    """As an array of NumPy; those of CuPy and of PyTorch on a GPU are copied."""
    if hasattr(array, "numpy"):
        return array.numpy(force=True)
    return array.get() if hasattr(array, "__cuda_array_interface__") else np.asarray(array)


def _beside(array, other):
    """`array` where `other` is, an array of NumPy or CuPy."""
    if isinstance(other, np.ndarray):
        return _on_host(array)
    module = get_array_module(other)
    with other.device:
        return module.asarray(array)


def _device_of(array):
    return "cpu" if isinstance(array, np.ndarray) else f"cuda:{array.device.id}"


def _points(samples):
    """whorl's points of mri-nufft's, in radians: its columns are in the order of the image's axes, whorl's are x, y, z."""
    return np.ascontiguousarray(samples[:, ::-1], dtype=np.float64) / (2 * np.pi)


_PLAIN = {np.ndarray, ARRAY_LIBS["cupy"][1]}


def _with_arrays(method):
    """mri-nufft's with_numpy_cupy, but for arrays of NumPy and CuPy themselves: its look at each takes as long as kernels."""
    converted = with_numpy_cupy(method)

    @functools.wraps(converted)
    def call(self, *arrays, **named):
        kinds = {type(array) for array in (*arrays, *named.values()) if array is not None}
        return (method if len(kinds) == 1 and kinds <= _PLAIN else converted)(self, *arrays, **named)

    return call


class _Plan:
    """whorl's transforms of one trajectory on one device, for any number of coils."""

    def __init__(self, points, shape, options):
        self._nufft = _core.Nufft(points, shape, 1, **options)
        self._of_coils = {1: self._nufft}
        self._maps = None

    def of(self, coils):
        if coils not in self._of_coils:
            self._of_coils[coils] = self._nufft.with_coils(coils)
        return self._of_coils[coils]

    def with_maps(self, maps, beside):
        if self._maps is None or self._maps[0] is not maps:
            there = _beside(maps, beside)
            there = get_array_module(there).ascontiguousarray(there, dtype=self._nufft.dtype)
            self._maps = (maps, _core.SenseNufft(self.of(len(maps)), there))
        return self._maps[1]


class _Transform:
    """whorl's transforms of one trajectory, planned for each device when its first array comes."""

    def __init__(self, shape, dtype, options):
        self._shape = tuple(int(n) for n in shape)
        self._options = {"dtype": "complex128" if dtype == np.float64 else "complex64", **options}
        self._context = self._options.pop("context", None)
        if isinstance(self._context, str):
            self._context = _core.default_context(self._context)
        self._plans = {}

    def set_samples(self, samples):
        used = [*self._plans] or ([] if self._context is None else [self._context.device])
        self._points = _points(_on_host(samples))
        self._plans = {}
        self._turned = {}
        # Bad positions and options are refused here: where transforms were, or by a plan of the outermost positions (or NaN), since
        # nobody knows yet where arrays will be.
        if used:
            self.on(used[0])
        else:
            points = self._points
            at = [*points.argmin(0), *points.argmax(0)] if len(points) else []
            _core.Nufft(points[at], self._shape, 1, **self._options)

    def toggle_grad_traj(self):
        """Between the transform and that with the other sign of the exponent, as mri-nufft's gradients ask for."""
        self._points = -self._points
        self._plans, self._turned = self._turned, self._plans

    def on(self, device):
        if device not in self._plans:
            chosen = self._context is not None and self._context.device == device
            context = self._context if chosen else device
            self._plans[device] = _Plan(self._points, self._shape, {**self._options, "context": context})
        return self._plans[device]

    def of(self, coils, beside):
        return self.on(_device_of(beside)).of(coils)

    def with_maps(self, maps, beside):
        return self.on(_device_of(beside)).with_maps(maps, beside)


class MRIwhorl(FourierOperatorSimple, _ToggleGradPlanMixin):
    """The NUFFT of whorl with the interface of mri-nufft.

    samples     [sample, dim], as mri-nufft takes them
    shape       of the image
    density     as in mri-nufft: weights [sample], True or a method's name, or False
    smaps       sensitivity maps [coil, *shape]
    eps         relative error (whorl's tolerance)
    options     of whorl.Nufft: oversampling, window, accuracy, ...; context: threads, memory or the stream of its device

    Raises      ValueError (other shapes), whorl.ValueError, whorl.ShapeError, TypeError (an option that does not exist)

    Example

    >>> A = whorl.mrinufft.MRIwhorl(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), (16, 16))
    >>> A.op(np.ones((16, 16), "complex64")).shape
    (50,)
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
        samples = np.asarray(proper_trajectory(_on_host(samples), normalize="pi"), order="F")
        transform = _Transform(shape, samples.dtype, {"tolerance": eps, **options})
        transform.set_samples(samples)
        self._density_on = {}
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

    @FourierOperatorSimple.smaps.setter
    def smaps(self, new_smaps):
        # mri-nufft's own takes arrays of NumPy alone.
        if new_smaps is None or isinstance(new_smaps, np.ndarray):
            FourierOperatorSimple.smaps.fset(self, new_smaps)
            return
        if tuple(new_smaps.shape[1:]) != self._shape:
            raise ValueError("Smaps should match image shape.")
        self.n_coils = new_smaps.shape[0]
        self._smaps = new_smaps

    @_with_arrays
    def op(self, data, ksp=None):
        """Samples [batch, coil, sample] of images [batch, coil, *shape], or of images [batch, *shape] with maps."""
        self.check_shape(image=data, ksp=ksp)
        data = data.astype(self.cpx_dtype, copy=False)
        many = self.n_batchs * (1 if self.uses_sense else self.n_coils)
        images = data.reshape(many, *self.shape)
        # The factor goes to the smaller array.
        to_images = images.size <= self.n_batchs * self.n_coils * self.n_samples
        if to_images:
            images = images * self._factor
        if self.uses_sense:
            operator = self.raw_op.with_maps(self.smaps, images)
            result = self._for_each(operator.forward, images, ksp, self.ksp_full_shape)
        else:
            room = None if ksp is None else ksp.reshape(many, self.n_samples)
            result = self.raw_op.of(many, images).forward(images, room)
        if not to_images:
            result *= self._factor
        return result.reshape(self._squeezed(self.ksp_full_shape))

    @_with_arrays
    def adj_op(self, coeffs, img=None):
        """The adjoint of op, after the density weights: images [batch, coil, *shape], or [batch, *shape] with maps."""
        self.check_shape(image=img, ksp=coeffs)
        coeffs, scaled = self._weighted(coeffs.astype(self.cpx_dtype, copy=False))
        if self.uses_sense:
            operator = self.raw_op.with_maps(self.smaps, coeffs)
            samples = coeffs.reshape(self.ksp_full_shape)
            result = self._for_each(operator.adjoint, samples, img, (self.n_batchs, *self.shape))
        else:
            many = self.n_batchs * self.n_coils
            room = None if img is None else img.reshape(many, *self.shape)
            result = self.raw_op.of(many, coeffs).adjoint(coeffs.reshape(many, self.n_samples), room)
        if not scaled:
            result *= self._factor
        return result.reshape(self._squeezed(self.img_full_shape))

    def _squeezed(self, shape):
        """The shape without a batch or coil axis of length 1, where these are dropped."""
        return (*(n for n in shape[:2] if n != 1), *shape[2:]) if self.squeeze_dims else shape

    @property
    def _factor(self):
        """mri-nufft's factor is 1 / sqrt(2^dim pixels), whorl's 1 / sqrt(pixels)."""
        return float(2 ** (-len(self.shape) / 2))

    def _for_each(self, transform, batches, given, shape):
        """transform of each batch, into `given` if there is one. A single result lies in memory that whorl uses again."""
        if given is None and len(batches) == 1:
            return transform(batches[0])[None]
        result = get_array_module(batches).empty(shape, self.cpx_dtype) if given is None else given.reshape(shape)
        for batch, room in zip(batches, result):
            transform(batch, room)
        return result

    def _weighted(self, coeffs):
        """The samples times the density weights, and whether they have mri-nufft's factor."""
        if self.density is None:
            return coeffs, False
        device = _device_of(coeffs)
        kept = self._density_on.get(device)
        if kept is None or kept[0] is not self.density:
            there = _beside(self.density, coeffs) * self._factor
            kept = (self.density, there.astype(self.cpx_dtype if there.dtype.kind == "c" else self.dtype, copy=False))
            self._density_on[device] = kept
        return coeffs * kept[1], True

    @_with_arrays
    def data_consistency(self, image_data, obs_data):
        """A^H (W) (A x - y) of images x [batch, coil, *shape], or [batch, *shape] with maps, and samples y [batch, coil, sample]."""
        squeeze, self.squeeze_dims = self.squeeze_dims, False
        try:
            difference = self.op(image_data)
            difference -= obs_data.reshape(self.ksp_full_shape)
            result = self.adj_op(difference)
        finally:
            self.squeeze_dims = squeeze
        return result.reshape(self._squeezed(result.shape))

    def update_samples(self, new_samples, *, unsafe=False):
        """Plans for other samples [sample, dim]; density weights that were computed are computed again."""
        if not unsafe:
            new_samples = np.asarray(proper_trajectory(_on_host(new_samples), normalize="pi"), order="F")
        self._samples = new_samples
        self.raw_op.set_samples(new_samples)
        self.compute_density(self._density_method)

    @classmethod
    def pipe(cls, kspace_loc, volume_shape, max_iter=100, osf=2, normalize=True, **options):
        """Density weights by Pipe and Menon's iteration, as whorl computes them: on a grid that it chooses, so that osf has no effect.

        Shapes  kspace_loc [sample, dim], volume_shape that of the image; result [sample]
        """
        points = _points(proper_trajectory(_on_host(kspace_loc), normalize="pi"))
        weights = _core.density_weights(points, volume_shape, "pipe-menon", pipe_menon_iterations=max_iter)
        if normalize:
            # As mri-nufft does: a constant image keeps its mean.
            test = cls(kspace_loc, volume_shape, **options)
            image = test.adj_op(weights * test.op(np.ones(volume_shape, test.cpx_dtype)))
            weights = weights / np.mean(np.abs(image))
        return weights.squeeze()
