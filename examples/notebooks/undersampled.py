# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A third of the spokes
#
# Below the sampling that the matrix asks for, least squares alone has streaks. Total variation expects few edges.

# %%
import os

import numpy as np
import whorl

n = 48 if os.environ.get("WHORL_SMALL") else 192
iterations = 30 if os.environ.get("WHORL_SMALL") else 80

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
spokes = n * 157 // 100 // 3
plan = whorl.Scan(whorl.radial_trajectory(spokes, 2 * n), (n, n))
phantom = whorl.brain_phantom()
scan = whorl.phantom_scan(phantom, plan, coils=4, noise=0.02)
# Images have the shading of the coils together: their sensitivities have a sum of squares of 1.
maps = whorl.make_phantom_coils((n, n), 4).maps()
truth = whorl.rasterize(phantom, (n, n), 4) * np.sqrt((abs(maps) ** 2).sum(0))

plain = whorl.recon(scan, iterations=iterations)
sparse = whorl.recon(scan, regularize="tv:medium", iterations=iterations)
show(truth=truth, plain=plain.images[0, 0], sparse=sparse.images[0, 0])

# %%
errors = {name: whorl.scaled_error(abs(one.images[0, 0]), truth).nrmse for name, one in [("plain", plain), ("tv", sparse)]}
print(errors)
assert errors["tv"] < errors["plain"]
