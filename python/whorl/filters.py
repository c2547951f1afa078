"""Filters of images, on the image's device: `whorl.filters.gaussian(image, sigma=1.4)`, or several by `whorl.filter`."""

import typing

from . import _calls, _core
from ._core import filter

if typing.TYPE_CHECKING:
    from ._core.filters import *

globals().update({name: thing for name, thing in vars(_core.filters).items() if not name.startswith("_")})

_EXAMPLES = """
filter
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filter(image, "median | gaussian 1.4").shape
    (12, 16)
align
    >>> images = np.random.default_rng(1).random((72, 32), "float32")
    >>> whorl.filters.align(images, range=2).shape
    (24, 32, 3)
autocontrast
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.autocontrast(image).shape
    (12, 16)
bias
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.bias(image, sigma=4).shape
    (12, 16)
bilateral
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.bilateral(image).shape
    (12, 16)
blackhat
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.blackhat(image).shape
    (12, 16)
canny
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.canny(image).shape
    (12, 16)
clahe
    >>> image = np.random.default_rng(1).integers(0, 255, (24, 32)).astype("uint8")
    >>> whorl.filters.clahe(image, tiles=2).shape
    (24, 32)
clip
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.clip(image, low=0.2, high=0.8).shape
    (12, 16)
close
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.close(image).shape
    (12, 16)
convert
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.convert(image, "uint8").shape
    (12, 16)
crop
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.crop(image, x=2, y=1, width=8, height=4).shape
    (4, 8)
custom
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.custom(image, kernel="0,1,0;1,4,1;0,1,0", divisor=8).shape
    (12, 16)
dilate
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.dilate(image).shape
    (12, 16)
equalize
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.equalize(image).shape
    (12, 16)
erode
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.erode(image).shape
    (12, 16)
flip
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.flip(image, "y").shape
    (12, 16)
gamma
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.gamma(image, exponent=0.5).shape
    (12, 16)
gaussian
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.gaussian(image, sigma=1.4).shape
    (12, 16)
gibbs
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.gibbs(image).shape
    (12, 16)
gradient
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.gradient(image).shape
    (12, 16)
gray
    >>> whorl.filters.gray(np.ones((12, 16, 3), "float32"), channels="rgb").shape
    (12, 16)
gray_world
    >>> whorl.filters.gray_world(np.ones((12, 16, 3), "float32"), channels="rgb").shape
    (12, 16, 3)
heat
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.heat(image, time=2).shape
    (12, 16)
imaginary
    >>> whorl.filters.imaginary(np.array([[3 + 4j]], "complex64"))
    array([[4.]], dtype=float32)
invert
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.invert(image).shape
    (12, 16)
laplacian
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.laplacian(image).shape
    (12, 16)
magnitude
    >>> whorl.filters.magnitude(np.array([[3 + 4j]], "complex64"))
    array([[5.]], dtype=float32)
median
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.median(image, radius=2).shape
    (12, 16)
non_local_means
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.non_local_means(image).shape
    (12, 16)
open
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.open(image).shape
    (12, 16)
pad
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.pad(image, all=2).shape
    (16, 20)
perona_malik
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.perona_malik(image).shape
    (12, 16)
phase
    >>> whorl.filters.phase(np.array([[3j]], "complex64")).round(3)
    array([[1.571]], dtype=float32)
real
    >>> whorl.filters.real(np.array([[3 + 4j]], "complex64"))
    array([[3.]], dtype=float32)
register
    >>> images = np.random.default_rng(1).random((3, 24, 32), "float32")
    >>> whorl.filters.register(images, range=2).shape
    (3, 24, 32)
resize
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.resize(image, scale=2).shape
    (24, 32)
root_sum_of_squares
    >>> coils = np.full((4, 1, 2, 2), 3, "float32")
    >>> whorl.filters.root_sum_of_squares(coils, coils=4).shape
    (1, 1, 2, 2)
rotate
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.rotate(image, angle=90).shape
    (16, 12)
scale
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.scale(image, factor=2).shape
    (12, 16)
scharr
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.scharr(image).shape
    (12, 16)
sobel_x
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.sobel_x(image).shape
    (12, 16)
sobel_y
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.sobel_y(image).shape
    (12, 16)
threshold
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.threshold(image, value=0.5).shape
    (12, 16)
tophat
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.tophat(image).shape
    (12, 16)
unsharp
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.unsharp(image).shape
    (12, 16)
window
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.window(image, low=0.2, high=0.8).shape
    (12, 16)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
