# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Error bars
#
# The noise of a scan gives each voxel a standard deviation, and the coils a g-factor. Reconstructions of made-up noise estimate both;
# many real reconstructions of the phantom with other noise show that they are right.

# %%
import os

import numpy as np
import whorl

small = bool(os.environ.get("WHORL_SMALL"))
n, replicas, repeats = (24, 40, 40) if small else (64, 100, 60)

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
# The coil maps are known, and the noise scan is long: the error bars are those of the noise in the data alone.
maps = whorl.make_phantom_coils((n, n), 4).maps()
plan = whorl.Scan(whorl.radial_trajectory(n, 2 * n), (n, n))
phantom = whorl.brain_phantom()
options = dict(iterations=60, lambda_=1e-2, maps="file")


def measured(seed):
    scan = whorl.phantom_scan(phantom, plan, coils=4, noise=0.02, noise_samples=200_000, seed=seed)
    scan.coil_maps = maps
    return scan


result = whorl.recon(measured(1), stddev=True, replicas=replicas, **options)
predicted = result.stddev[0, 0]

# %%
images = np.stack([whorl.recon(measured(seed), **options).images[0, 0] for seed in range(2, 2 + repeats)])
observed = images.std(0, ddof=1)
inside = abs(images.mean(0)) > 0.2 * abs(images.mean(0)).max()
ratio = np.median(observed[inside] / predicted[inside])
show(image=images[0], predicted=predicted, observed=observed)
print(f"observed / predicted: {ratio:.2f}")
assert 0.7 < ratio < 1.4
