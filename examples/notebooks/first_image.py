# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # The first image
#
# A scan of a phantom with four coils, from an ISMRMRD file that lies beside the sources. Gridding makes an image of what each sample weighs;
# CG-SENSE finds the image whose samples are those of the scan.

# %%
import os
import pathlib

import numpy as np
import whorl

small = bool(os.environ.get("WHORL_SMALL"))
source = pathlib.Path(os.environ.get("WHORL_SOURCE", "../.."))  # of whorl, seen from this folder


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
scan = whorl.read_scan(source / "data/brain_radial_4ch.h5")
print(scan)
gridded = whorl.recon(scan, method="gridding").images[0, 0]
result = whorl.recon(scan, iterations=3 if small else 30)
print(*result.notes, sep="\n")
show(gridded=gridded, sense=result.images[0, 0])

# %% [markdown]
# How different are they? The error after the best scaling, of one relative to the other:

# %%
difference = whorl.scaled_error(abs(gridded), abs(result.images[0, 0])).nrmse
print(f"{100 * difference:.1f} %")
assert difference < 0.5
