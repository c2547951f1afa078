"""Gradients to the trajectory, for arrays of any framework."""


def trajectory_gradient(A, image, samples):
    """The gradient of Re <samples, A image> to the positions of a whorl.Nufft.

    With samples = g, the gradient of a function of y = A x (df/d Re(y) + i df/d Im(y)), and image = x it is df/dk. With image = h,
    the gradient of a function of x = A^H y, and samples = y it is df/dk of that.

    Shapes  image A.domain, samples A.range; result [sample, dim], columns x, y(, z)
    Units   per cycle per pixel
    Raises  ShapeError, TypeError (arrays of another type or device)
    Cost    a forward for each axis, in one batch

    Example

    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8))
    >>> image = np.ones((1, 8, 8), "complex64")
    >>> whorl.operators.trajectory_gradient(A, image, A @ image).shape
    (50, 2)
    """
    if not hasattr(A, "derivative"):
        raise TypeError(f"trajectory_gradient: A is {type(A).__name__}, expected a Nufft")
    derivative = A.derivative() @ image  # [dim, coil, sample]
    if not hasattr(samples, "conj") or not hasattr(samples, "shape"):
        raise TypeError(f"trajectory_gradient: samples is {type(samples).__name__}, expected an array")
    return (derivative * samples.conj()).real.sum(1).T
