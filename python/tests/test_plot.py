"""Pictures as arrays of bytes."""

import numpy as np
import pytest
import whorl


def test_colors():
    values = np.linspace(-0.2, 1.2, 15).reshape(3, 5)
    gray = whorl.plot.color_of("gray", values)
    assert gray.shape == (3, 5, 3) and gray.dtype == np.uint8
    # Rounding to bytes: half a step.
    assert np.all(abs(gray - 255 * np.clip(values, 0, 1)[..., None]) <= 0.5)
    assert np.array_equal(whorl.plot.color_of("cyclic", [0.0]), whorl.plot.color_of("cyclic", [1.0]))
    with pytest.raises(whorl.ValueError, match="blue-yellow"):
        whorl.plot.color_of("rainbow", values)


def test_montage(rng):
    images = rng.uniform(0, 2, (2, 6, 5)).astype("float32")
    picture = whorl.plot.montage_picture(images, window=(0, 2))
    assert np.all(abs(picture - 127.5 * np.concatenate(list(images), 1)[..., None]) <= 0.51)
    assert np.array_equal(whorl.plot.montage_picture(images, window=(0, 2), zoom=3)[1::3, 1::3], picture)
    assert whorl.plot.montage_picture(images, tiles=1).shape == (6, 5, 3)
    low, high = whorl.plot.default_window(images)
    assert low == 0 and abs(high - np.percentile(images, 99.5)) < 0.05
    assert whorl.plot.default_window(-images)[0] == -whorl.plot.default_window(-images)[1]


def test_parts_of_complex_images(rng):
    phase = rng.uniform(-3, 3, (4, 7))
    image = (2 * np.exp(1j * phase)).astype("complex64")
    picture = whorl.plot.montage_picture(image, part="phase", window=(-np.pi, np.pi))
    # A byte, and the rounding of float.
    assert np.all(abs(picture[..., 0] - 255 * (phase + np.pi) / (2 * np.pi)) <= 0.51)
    assert np.all(whorl.plot.montage_picture(image, window=(0, 2)) >= 254)
    with pytest.raises(whorl.ValueError):
        whorl.plot.montage_picture(image, part="length")


def test_colorbar_and_caption(rng):
    picture = whorl.plot.montage_picture(rng.uniform(0, 1, (150, 200)), window=(0, 1), colormap="hot")
    wide = whorl.plot.with_colorbar(picture, "hot", (0, 1), "signal")
    assert wide.shape[1] > 200 and np.array_equal(wide[:150, :200], picture)
    tall = whorl.plot.with_caption(picture, ["a caption", "of two lines"])
    assert tall.shape[0] > 150 and np.array_equal(tall[:150], picture) and tall[150:].any()
    with pytest.raises(whorl.ShapeError):
        whorl.plot.with_caption(picture[..., 0], ["gray"])
