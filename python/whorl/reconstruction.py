"""From scans to images, and what images will be like before the scan."""

from . import _calls
from ._core import (
    Certificate,
    ImageFrame,
    ImageOutlook,
    LambdaChoice,
    ReconPlan,
    Reconstruction,
    SavedNormals,
    ScanOutlook,
    plan,
    recon,
)

_EXAMPLES = """
Certificate
    A SCAN
    >>> (certificate,) = whorl.recon(scan, iterations=3, certify=100).certificates
    >>> certificate.bound < 1e-3
    True
ImageFrame
    A SCAN
    >>> whorl.recon(scan, method="gridding").frames[0].index.slice
    0
ImageOutlook
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> plan = whorl.plan(whorl.Scan(spokes, (16, 16)), noise=0.02, coils=2, replicas=4)
    >>> plan.gridding.snr.shape
    (1, 16, 16)
LambdaChoice
    A SCAN
    >>> slice_, choice = whorl.recon(scan, lambda_="gcv", lambda_per_decade=1).lambdas[0]
    >>> choice.method, choice.value > 0
    ('gcv', True)
ReconPlan
    A SCAN
    >>> plan = whorl.recon(scan, dry_run=True)
    >>> plan.frames, plan.bytes > 0
    (1, True)
Reconstruction
    A SCAN
    >>> whorl.recon(scan, iterations=5)
    <whorl.Reconstruction of images [1, 1, 16, 16]>
Reconstruction.write
    >>> scan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), np.ones((2, 640), "complex64"))
    >>> [path.name for path in whorl.recon(scan, method="gridding").write("image.nii.gz")]
    ['image.nii.gz']
SavedNormals
    A SCAN
    >>> made = whorl.recon(scan, iterations=3, save_normal=True)
    >>> whorl.recon(scan, iterations=3, normal=made.normal).images.shape
    (1, 1, 16, 16)
ScanOutlook
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> plan = whorl.plan(whorl.Scan(spokes, (16, 16)), noise=0.02, coils=2, replicas=4)
    >>> sorted(plan.figures["least_squares"])[:2], plan.bytes > 0
    (['point_spread_unit', 'point_spread_widths'], True)
plan
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> outlook = whorl.plan(whorl.Scan(spokes, (16, 16)), noise=0.02, coils=4, replicas=4)
    >>> outlook.figures["object_voxels"], outlook.gfactor.shape, outlook.seconds > 0
    (195, (1, 16, 16), True)
recon
    A SCAN
    >>> image = whorl.recon(scan, iterations=5).images[0, 0]
    >>> image.shape, image.dtype.name
    ((16, 16), 'complex64')
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
