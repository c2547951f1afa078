"""whorl.mrpro.FourierOp in the place of mrpro.operators.FourierOp."""

import mrpro
import whorl.mrpro
from used import counts, replace

counts(whorl.mrpro.FourierOp)
replace(mrpro.operators.FourierOp, whorl.mrpro.FourierOp, "mrpro")
