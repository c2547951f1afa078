# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A trajectory that learns
#
# The gradient of the image's error to the positions of the samples makes a trajectory better for a kind of image. It is exact: the
# derivative of the transform is a transform of the image times its coordinates. Here plain NumPy descends; `whorl.torch` has the same for
# PyTorch's optimizers.

# %%
import os

import numpy as np
import whorl

n = 24 if os.environ.get("WHORL_SMALL") else 64
steps = 15 if os.environ.get("WHORL_SMALL") else 60

# %%
truth = whorl.rasterize(whorl.brain_phantom(), (n, n), 4).astype("complex128")[None]
start = whorl.radial_trajectory(n // 3, n).points


def loss_and_gradient(points):
    """|x - c t|^2 / |c t|^2 of the truth t, x = A^H A t and the best factor c = <t, x> / <t, t>, and its gradient."""
    A = whorl.Nufft(points, (n, n), tolerance=1e-6, dtype="complex128")
    y = A @ truth
    x = A.H @ y
    part = np.vdot(truth, x) / np.vdot(truth, truth) * truth  # c t
    power = np.linalg.norm(part) ** 2
    loss = np.linalg.norm(x - part) ** 2 / power
    # Numerator and denominator have the gradients 2 (x - c t) and 2 c t to x.
    h = 2 * (x - part - loss * part) / power
    # To k by x = A^H y, and by y = A t, whose gradient is A h.
    return loss, whorl.trajectory_gradient(A, h, y) + whorl.trajectory_gradient(A, truth, A @ h)


# %%
points, losses = start.copy(), []
step = None
for _ in range(steps):
    loss, gradient = loss_and_gradient(points)
    losses.append(loss)
    step = step or 0.02 / abs(gradient).max()  # at most a fiftieth of a cycle per pixel
    tried = np.clip(points - step * gradient, -0.5, 0.5)
    if loss_and_gradient(tried)[0] < loss:
        points, step = tried, 1.2 * step
    else:
        step /= 3
print(f"{losses[0]:.4f} -> {losses[-1]:.4f}")
assert losses[-1] < 0.9 * losses[0]

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    pass
else:
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    left.plot(losses)
    left.set_xlabel("step")
    left.set_ylabel("loss")
    right.plot(*start.T, ".", markersize=2, label="spokes")
    right.plot(*points.T, ".", markersize=2, label="learned")
    right.set_aspect("equal")
    right.legend(loc="upper right")
    plt.show()
