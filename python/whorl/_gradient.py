"""Gradients to the trajectory, for arrays of any framework."""


def trajectory_gradient(A, image, samples):
    """The gradient of Re <samples, A image> to the positions of a whorl.Nufft.

    With samples = g, the gradient of a function of y = A x (df/d Re(y) + i df/d Im(y)), and image = x it is df/dk. With image = h,
    the gradient of a function of x = A^H y, and samples = y it is df/dk of that.

    Shapes  image A.domain, samples A.range; result [sample, dim], columns x, y(, z)
    Units   per cycle per pixel
    Raises  ShapeError, TypeError (arrays of another type or device)
    Cost    a forward for each axis, in one batch
    """
    derivative = A.derivative() @ image  # [dim, coil, sample]
    return (derivative * samples.conj()).real.sum(1).T
