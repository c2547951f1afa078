"""whorl's transforms as functions of PyTorch, with gradients: `import whorl.torch`.

    y = whorl.torch.nufft(x, points, image_shape)              samples of images
    x = whorl.torch.nufft_adjoint(y, points, image_shape)      and back
    y = whorl.torch.apply(A, x)                                any operator, such as SenseNufft, Dft or SignalEvolution

Gradients flow to images, samples and, of the first two, to the points: by the exact derivative of the transform, at the cost
of a forward for each axis. They have no gradients of their own. Tensors on the CPU and on a GPU, complex64 or complex128.
"""

import torch

from . import _core
from ._gradient import trajectory_gradient

__all__ = ["apply", "nufft", "nufft_adjoint"]


def _plan(points, image_shape, many, dtype, options):
    options = {"dtype": str(dtype).rpartition(".")[2], **options}
    return _core.Nufft(points.detach(), tuple(image_shape), many, **options)


class _Transform(torch.autograd.Function):
    # Forward, or adjoint: the gradient takes the other direction back. That of the points pairs the image with the samples.
    @staticmethod
    def forward(ctx, value, points, transform, adjoint):
        ctx.transform, ctx.adjoint = transform, adjoint
        ctx.save_for_backward(value, points)
        return transform.adjoint(value) if adjoint else transform.forward(value)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        value, points = ctx.saved_tensors
        gradient = gradient.contiguous()
        to_value = to_points = None
        if ctx.needs_input_grad[0]:
            to_value = ctx.transform.forward(gradient) if ctx.adjoint else ctx.transform.adjoint(gradient)
        if ctx.needs_input_grad[1]:
            image, samples = (gradient, value) if ctx.adjoint else (value, gradient)
            to_points = trajectory_gradient(ctx.transform, image, samples).to(points.dtype)
        return to_value, to_points, None, None


class _Apply(torch.autograd.Function):
    # A^H and A again, so that gradients have gradients.
    @staticmethod
    def forward(ctx, x, operator):
        ctx.operator = operator
        return operator.forward(x.contiguous())

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
    """
    dim = len(image_shape)
    if tuple(x.shape[-dim:]) != tuple(image_shape):
        raise _core.ShapeError(f"nufft: x has shape {tuple(x.shape)}, expected [..., {', '.join(map(str, image_shape))}]")
    images = x.reshape(-1, *image_shape).contiguous()
    many = images.shape[0]
    plan = transform.with_coils(many) if transform is not None else _plan(points, image_shape, many, x.dtype, options)
    return _Transform.apply(images, points, plan, False).reshape(*x.shape[:-dim], points.shape[0])


def nufft_adjoint(y, points, image_shape, *, transform=None, **options):
    """Images of samples, as whorl.Nufft.adjoint: [..., sample] -> [..., (z,) y, x]. The rest as in `nufft`."""
    if y.shape[-1] != points.shape[0]:
        raise _core.ShapeError(f"nufft_adjoint: y has shape {tuple(y.shape)}, expected [..., {points.shape[0]}]")
    samples = y.reshape(-1, y.shape[-1]).contiguous()
    many = samples.shape[0]
    plan = transform.with_coils(many) if transform is not None else _plan(points, image_shape, many, y.dtype, options)
    return _Transform.apply(samples, points, plan, True).reshape(*y.shape[:-1], *image_shape)


def apply(A, x):
    """A @ x of any whorl.LinearOperator, with the gradient A^H of it. For gradients to samples: apply(A.H, y)."""
    return _Apply.apply(x, A)
