# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A denoiser of one's own
#
# Total variation knows one thing about images. A denoiser that has learned from images knows another: in the place of a proximal operator
# it makes ADMM "plug and play" (Venkatakrishnan, Bouman, Wohlberg, GlobalSIP 2013). Here it is a small network, trained on patches of
# random ellipses in NumPy; any function of an array will do, and any `torch.nn.Module`.

# %%
import os

import numpy as np
import whorl

small = bool(os.environ.get("WHORL_SMALL"))
n = 48 if small else 128
rng = np.random.default_rng(1)

# %% [markdown]
# ## Training
#
# A network of one hidden layer finds the noise in the center of a patch of 5 x 5 pixels. Its training images are ellipses of random sizes
# and magnitudes, none of which is the phantom.

# %%
SIDE = 5


def patches(image):
    """[pixel, SIDE^2], less their means, and the means."""
    padded = np.pad(image, SIDE // 2, mode="edge")
    found = np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE)).reshape(-1, SIDE * SIDE)
    means = found.mean(1, keepdims=True)
    return found - means, means


def ellipses(size):
    y, x = np.mgrid[:size, :size] / size - 0.5
    image = np.zeros((size, size))
    for _ in range(12):
        cx, cy, a, b = rng.uniform(-0.4, 0.4, 2).tolist() + rng.uniform(0.05, 0.4, 2).tolist()
        image[((x - cx) / a) ** 2 + ((y - cy) / b) ** 2 < 1] = rng.uniform(0, 1)
    return image


noise = 0.05
clean = [ellipses(48) for _ in range(6 if small else 20)]
noisy = [image + noise * rng.normal(size=image.shape) for image in clean]
inputs = np.concatenate([patches(image)[0] for image in noisy]) / noise
wanted = np.concatenate([(a - b).ravel() for a, b in zip(noisy, clean)])[:, None] / noise
hidden = 16 if small else 32
w1, b1 = rng.normal(size=(SIDE * SIDE, hidden)) / SIDE, np.zeros(hidden)
w2, b2 = rng.normal(size=(hidden, 1)) / hidden, np.zeros(1)
parameters = [w1, b1, w2, b2]
moments = [(np.zeros_like(p), np.zeros_like(p)) for p in parameters]
for step in range(1, 401 if small else 2001):  # Adam
    chosen = rng.integers(0, len(inputs), 256)
    layer = np.tanh(inputs[chosen] @ w1 + b1)
    error = (layer @ w2 + b2 - wanted[chosen]) / 128
    back = (error @ w2.T) * (1 - layer**2)
    slopes = [inputs[chosen].T @ back, back.sum(0), layer.T @ error, error.sum(0)]
    for p, slope, (first, second) in zip(parameters, slopes, moments):
        first += 0.1 * (slope - first)
        second += 0.001 * (slope**2 - second)
        p -= 0.003 * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)

# %% [markdown]
# ## Plug and play
#
# `whorl.recon` asks the denoiser about images with magnitudes around 1. The network was trained at one level of noise; scaled by
# the root of the step, it serves any level.


# %%
def denoise(x, step):
    level = np.sqrt(step)

    def of_part(part):
        found, _ = patches(part)
        residual = np.tanh(found / level @ w1 + b1) @ w2 + b2
        return part - level * residual.reshape(part.shape)

    return (of_part(x.real) + 1j * of_part(x.imag)).astype("complex64")


spokes = n * 157 // 100 // 3
plan = whorl.Scan(whorl.radial_trajectory(spokes, 2 * n), (n, n))
phantom = whorl.brain_phantom()
scan = whorl.phantom_scan(phantom, plan, coils=4, noise=0.05)
maps = whorl.make_phantom_coils((n, n), 4).maps()
truth = whorl.rasterize(phantom, (n, n), 4) * np.sqrt((abs(maps) ** 2).sum(0))

prior = whorl.function_proximal((n, n), denoise, name="network")
options = dict(iterations=30, solver="admm")
plain = whorl.recon(scan, iterations=30)
tv = whorl.recon(scan, regularize="tv:medium", **options)
learned = whorl.recon(scan, regularize=[(prior, 1e-5)], **options)

# %%
results = {"least squares": plain, "total variation": tv, "network": learned}
errors = {name: whorl.scaled_error(abs(one.images[0, 0]), truth).nrmse for name, one in results.items()}
print({name: f"{error:.1%}" for name, error in errors.items()})
assert errors["network"] < 0.8 * errors["least squares"]
