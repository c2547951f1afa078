"""whorl's transforms as functions of PyTorch, with gradients: `import whorl.torch`.

    y = whorl.torch.nufft(x, points, image_shape)              samples of images
    x = whorl.torch.nufft_adjoint(y, points, image_shape)      and back
    y = whorl.torch.evolve(x, A, times, field_hz, r2_star)     samples of a signal that decays and is off resonance
    y = whorl.torch.apply(A, x)                                any operator, such as SenseNufft, Dft or SignalEvolution

Gradients of `nufft` and `nufft_adjoint` flow to images, samples and points: to the points by the exact derivative of the transform, at the cost
of a forward for each axis. Gradients of `evolve` flow to the images and to the maps of the field and of R2*. Gradients to points and
of `evolve` have no gradients of their own; the others have. torch.func's grad and vjp work too, its vmap does not: give a batch
in one call. Tensors on the CPU and on a GPU, complex64 or complex128.
"""

import math
import types

import torch

from . import _core
from ._gradient import trajectory_gradient

__all__ = ["apply", "evolve", "nufft", "nufft_adjoint"]


def _plain(tensor):
    # Without gradients, and out of the wrappers of torch.func, so that its values can be read.
    return torch.func.debug_unwrap(tensor.detach())


def _plan(points, image_shape, many, dtype, options):
    options = {"dtype": str(dtype).rpartition(".")[2], **options}
    return _core.Nufft(_plain(points), tuple(image_shape), many, **options)


class _Last(torch.autograd.Function):
    # function(*tensors), which has no gradient.
    @staticmethod
    def forward(what, function, *tensors):
        return function(*tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.what = inputs[0]

    @staticmethod
    def backward(ctx, gradient):
        raise _core.Unsupported(f"whorl.torch: gradients to {ctx.what} have no gradients of their own")


class _Transform(torch.autograd.Function):
    # Forward, or adjoint: the gradient takes the other direction back. The gradient of the points pairs the image with the samples.
    @staticmethod
    def forward(value, points, transform, adjoint):
        return transform.adjoint(value) if adjoint else transform.forward(value)

    @staticmethod
    def setup_context(ctx, inputs, output):
        value, points, ctx.transform, ctx.adjoint = inputs
        ctx.save_for_backward(value, points)

    @staticmethod
    def backward(ctx, gradient):
        value, points = ctx.saved_tensors
        gradient = gradient.contiguous()
        to_value = to_points = None
        if ctx.needs_input_grad[0]:
            to_value = _Transform.apply(gradient, points, ctx.transform, not ctx.adjoint)
        if ctx.needs_input_grad[1]:
            image, samples = (gradient, value) if ctx.adjoint else (value, gradient)
            pair = lambda image, samples: trajectory_gradient(ctx.transform, image, samples)
            to_points = _Last.apply("points", pair, image, samples).to(points.dtype)
        return to_value, to_points, None, None


class _Evolve(torch.autograd.Function):
    # Each voxel's signal has the factor exp(-(R2* + 2 pi i f) t). Its derivatives are products with t, so that both gradients
    # are the adjoint of t times the samples' gradient, times the image: one adjoint for the two.
    @staticmethod
    def forward(x, field_hz, r2_star, times, made):
        # Made here, where torch.func shows the values of its tensors.
        maps = {"field_hz": field_hz.cpu()}  # they are factored on the host
        if r2_star is not None:
            maps["r2_star"] = r2_star.cpu()
        made.operator = _core.SignalEvolution(made.transform, times.cpu(), tolerance=made.tolerance, **maps)
        return made.operator.forward(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, field_hz, r2_star, times, made = inputs
        ctx.operator = made.operator
        ctx.save_for_backward(x, times, field_hz, r2_star)

    @staticmethod
    def backward(ctx, gradient):
        x, times, field_hz, r2_star = ctx.saved_tensors
        gradient = gradient.contiguous()
        to_x = to_field = to_r2_star = None
        if ctx.needs_input_grad[0]:
            to_x = _Last.apply("maps", ctx.operator.adjoint, gradient)
        if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
            weighted = (gradient * times.to(gradient.device, gradient.real.dtype)).contiguous()
            adjoint = _Last.apply("maps", ctx.operator.adjoint, weighted)
            products = (adjoint.conj() * x).reshape(-1, *field_hz.shape).sum(0)
            if ctx.needs_input_grad[1]:
                to_field = (2 * math.pi * products.imag).to(field_hz.device, field_hz.dtype)
            if ctx.needs_input_grad[2]:
                to_r2_star = (-products.real).to(r2_star.device, r2_star.dtype)
        return to_x, to_field, to_r2_star, None, None


class _Apply(torch.autograd.Function):
    # A^H and A again, so that gradients have gradients.
    @staticmethod
    def forward(x, operator):
        return operator.forward(x.contiguous())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.operator = inputs[1]

    @staticmethod
    def backward(ctx, gradient):
        return _Apply.apply(gradient, ctx.operator.H), None


def nufft(x, points, image_shape, *, transform=None, **options):
    """Samples of images along a trajectory, as whorl.Nufft.forward.

    x            [..., (z,) y, x], complex
    points       [sample, dim], columns x, y(, z), cycles per pixel, |k| <= 0.5, real
    image_shape  (y, x), (z, y, x) or (x,)
    transform    a whorl.Nufft of these points for one coil, so that it is not planned again
    options      of whorl.Nufft: tolerance, oversampling, window, context, ...

    Returns [..., sample].

    Raises  whorl.ShapeError, whorl.ValueError, TypeError, as whorl.Nufft

    Example

    >>> import torch
    >>> points = torch.rand(50, 2, dtype=torch.float64) - 0.5
    >>> whorl.torch.nufft(torch.ones(2, 8, 8, dtype=torch.complex64), points, (8, 8)).shape
    torch.Size([2, 50])
    """
    dim = len(image_shape)
    if tuple(x.shape[-dim:]) != tuple(image_shape):
        raise _core.ShapeError(f"nufft: x has shape {tuple(x.shape)}, expected [..., {', '.join(map(str, image_shape))}]")
    images = x.reshape(-1, *image_shape).contiguous()
    many = images.shape[0]
    plan = transform.with_coils(many) if transform is not None else _plan(points, image_shape, many, x.dtype, options)
    return _Transform.apply(images, points, plan, False).reshape(*x.shape[:-dim], points.shape[0])


def nufft_adjoint(y, points, image_shape, *, transform=None, **options):
    """Images of samples, as whorl.Nufft.adjoint: [..., sample] -> [..., (z,) y, x]. The rest as in `nufft`.

    Raises  whorl.ShapeError, whorl.ValueError, TypeError, as whorl.Nufft

    Example

    >>> import torch
    >>> points = torch.rand(50, 2, dtype=torch.float64) - 0.5
    >>> whorl.torch.nufft_adjoint(torch.ones(2, 50, dtype=torch.complex64), points, (8, 8)).shape
    torch.Size([2, 8, 8])
    """
    if y.shape[-1] != points.shape[0]:
        raise _core.ShapeError(f"nufft_adjoint: y has shape {tuple(y.shape)}, expected [..., {points.shape[0]}]")
    samples = y.reshape(-1, y.shape[-1]).contiguous()
    many = samples.shape[0]
    plan = transform.with_coils(many) if transform is not None else _plan(points, image_shape, many, y.dtype, options)
    return _Transform.apply(samples, points, plan, True).reshape(*y.shape[:-1], *image_shape)


def evolve(x, A, times, field_hz, r2_star=None, *, tolerance=1e-4):
    """Samples of images whose signal is off resonance and decays during the readout, as whorl.operators.SignalEvolution.forward.

    x            of A.domain: [coil, (z,) y, x], or [(z,) y, x] for a SenseNufft
    A            the transform without evolution: a whorl.Nufft, SenseNufft or Dft
    times        [sample], seconds after the excitation (whorl.trajectory.sample_times)
    field_hz     [(z,) y, x], Hz
    r2_star      [(z,) y, x], 1/s, or None
    tolerance    relative error of the evolution, 1e-6 or more

    Returns A.range. The maps are rounded to float32, and factored again at each call.

    Raises  whorl.ShapeError, whorl.ValueError, as whorl.operators.SignalEvolution; whorl.Unsupported (gradients of gradients)

    Example

    >>> import torch
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8))
    >>> x, field = torch.ones(1, 8, 8, dtype=torch.complex64), torch.full((8, 8), 30.0)
    >>> whorl.torch.evolve(x, A, torch.linspace(0, 1e-3, 50, dtype=torch.float64), field).shape
    torch.Size([1, 50])
    """
    made = types.SimpleNamespace(transform=A, tolerance=tolerance)
    return _Evolve.apply(x.contiguous(), field_hz, r2_star, times, made)


def apply(A, x):
    """A @ x of any whorl.LinearOperator, with the gradient A^H of it. For gradients to samples: apply(A.H, y).

    Shapes  x A.domain; result A.range
    Raises  whorl.ShapeError, TypeError, whorl.DeviceError

    Example

    >>> import torch
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8))
    >>> whorl.torch.apply(A, torch.ones(1, 8, 8, dtype=torch.complex64)).shape
    torch.Size([1, 50])
    """
    return _Apply.apply(x, A)
