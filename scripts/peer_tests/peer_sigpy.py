"""whorl.sigpy.NUFFT in the place of sigpy.linop.NUFFT: also inside SigPy, as in sigpy.mri.linop.Sense."""

import sigpy
import sigpy.mri
import whorl.sigpy
from used import counts, replace

counts(whorl.sigpy.NUFFT)
replace(sigpy.linop.NUFFT, whorl.sigpy.NUFFT, "sigpy")
