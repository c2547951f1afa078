"""What users of the package for Python do first, and what it may not need: whorl in a fresh environment, in a folder without sources."""

import os
import re
import time

start = time.perf_counter()
import whorl

print(f"import: {1e3 * (time.perf_counter() - start):.0f} ms")
import numpy as np
import whorl.finufft

points = whorl.trajectory.radial_trajectory(30, 32)
x = np.ones((1, 16, 16), "complex64")
exact = whorl.operators.Dft(points, (16, 16)) @ x
found = whorl.Nufft(points, (16, 16), tolerance=1e-5) @ x
# The tolerance bounds the error relative to the norm of x. A constant image is the worst case: it gets ten times as much.
assert np.linalg.norm(found - exact) < 1e-4 * np.linalg.norm(exact)
assert whorl.recon(whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), whorl.Scan(points, (16, 16)), coils=2), iterations=2).images.any()
package = os.path.dirname(whorl.__file__)
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
whorls = [path for path in mapped if "libwhorl" in path]
assert whorls and all(os.path.dirname(path).startswith(os.path.dirname(package)) for path in whorls), whorls
assert not [path for path in mapped if re.search("libcu(da|fft|blas)", path)], "CUDA is loaded though nobody asked for a GPU"
graphical = [path for path in mapped if re.search("lib(X|xcb|cairo)", path)]
assert not graphical, f"libraries of a desktop are loaded though nothing was drawn: {graphical}"
print("libraries inside the package:", len(whorls))
