"""Pictures of the notebooks."""

import numpy as np


def show(**images):
    """Magnitudes side by side, each by its own window, if matplotlib is there."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(1, len(images), figsize=(3 * len(images), 3.3))
    for axis, (name, image) in zip(np.atleast_1d(axes), images.items()):
        axis.imshow(abs(image), cmap="gray")
        axis.set_title(name)
        axis.axis("off")
    plt.show()
