"""whorl as a backend of mri-nufft, which registers by being imported."""

import whorl.mrinufft
from used import counts

counts(whorl.mrinufft.MRIwhorl, shared=True)
