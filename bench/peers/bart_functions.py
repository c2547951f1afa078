"""What `bart pics -R` minimizes, by NumPy and PyWavelets alone, and how whorl is given the same function.

Read from BART's sources (src/linops/grad.c, num/flpmath.c, wavelet/wavelet.c, wavthresh.c, grecon/optreg.c), and held to its
program: `bart wavelet 3` has the coefficients of `coefficients` within 1e-6 of the largest.

Total variation (T) is isotropic, and wraps around along all of its axes. 1.0 has the differences to the next pixel, 0.8 those to
the previous one: with more than one axis these are other functions. whorl's `cyclic` has the former. The latter is the former of
the mirrored image: whorl is given the mirrored scan.

Wavelets (W) are Daubechies' with 4 taps. All coefficients count, also the coarsest ones, which whorl's `approximation=yes`
means. A line of n pixels becomes bands of (n + 3) / 2, until a band has fewer than 16: 4 levels for 128 pixels. The image goes
on as its mirror image beyond its border (half a pixel out; PyWavelets' mode "symmetric"), whorl's is periodic. In each iteration
both shift the image around, BART by 0 to 2^(levels + 1) pixels. So its border lies within the image, in another place each time.
BART's threshold step with this transform is no proximal operator of a function: analysis after synthesis is not the identity
at the border. The function here is the sum of the magnitudes that it shrinks, in the mean over the shifts. The filters run in the
other direction than whorl's, which is given the mirrored scan.
"""

import numpy as np
import pywt

SHIFTS = 64
ENOUGH = 16  # coefficients of an axis that are split again


def variation(x, axes, direction=1):
    """Isotropic, of a series [t, y, x] along some of these axes, to the next pixel (1) or to the previous one (-1)."""
    return np.sqrt(sum(abs(np.roll(x, -direction, "tyx".index(axis)) - x) ** 2 for axis in axes)).sum()


def levels_of(n):
    levels = 0
    while n >= ENOUGH:
        n = (n + 3) // 2
        levels += 1
    return levels


def coefficients(x):
    """The bands of [image, y, x], each [image, ...]."""
    first, *details = pywt.wavedec2(x, "db2", mode="symmetric", level=levels_of(x.shape[-1]), axes=(1, 2))
    return [first, *(band for level in details for band in level)]


def wavelets(x, joint=False):
    """The mean over shifts of the sum of magnitudes; joint: over the images together."""
    most = 1 << (levels_of(x.shape[-1]) + 1)
    value = 0
    for shift in np.random.default_rng(1).integers(0, most + 1, (SHIFTS, 2)):
        for band in coefficients(np.roll(x, tuple(shift), (1, 2))):
            value += np.sqrt((abs(band) ** 2).sum(0)).sum() if joint else abs(band).sum()
    return value / SHIFTS
