# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Off-resonance
#
# A field map in Hz turns the phase of each voxel during the readout, which blurs spirals. With the map in the model, least squares finds the
# sharp image. `SignalEvolution` is the transform with that phase, as few products of fast transforms.

# %%
import os

import numpy as np
import whorl

n = 40 if os.environ.get("WHORL_SMALL") else 128
iterations = 12 if os.environ.get("WHORL_SMALL") else 30

def show(**images):
    """Magnitudes side by side, if matplotlib is there."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(1, len(images), figsize=(4 * len(images), 4))
    for axis, (name, image) in zip(np.atleast_1d(axes), images.items()):
        axis.imshow(abs(image), cmap="gray")
        axis.set_title(name)
        axis.axis("off")
    plt.show()


# %%
phantom = whorl.brain_phantom()
truth = whorl.rasterize(phantom, (n, n), 4).astype("complex64")
y, x = np.mgrid[:n, :n] / n - 0.5
field = (120 * np.exp(-((x - 0.2) ** 2 + y**2) / 0.05)).astype("float32")  # Hz
trajectory = whorl.spiral_trajectory(8, 12 * n, n / 12)
times = whorl.sample_times(trajectory, first_us=2000, dwell_us=10)
A = whorl.Nufft(trajectory, (n, n), tolerance=1e-5)
B = whorl.SignalEvolution(A, times, field_hz=field)
samples = B @ truth[None]

# %%
blurred, _ = whorl.conjugate_gradient(A.normal, A.H @ samples, iterations=iterations)
sharp, _ = whorl.conjugate_gradient(B.normal, B.H @ samples, iterations=iterations)
show(truth=truth, blurred=blurred[0], sharp=sharp[0])
errors = [whorl.scaled_error(abs(image[0]), abs(truth)).nrmse for image in (blurred, sharp)]
print(errors)
assert errors[1] < 0.7 * errors[0]
