// A head phantom with brain, skull and scalp.
#pragma once

#include "whorl/phantom/phantom.hpp"

namespace WHORL_PUBLIC whorl {

/// An axial slice (dim 2) or a whole head (dim 3), the forehead at the top of the picture: scalp, skull, cerebrospinal
/// fluid, gray and white matter, ventricles, deep gray nuclei and three lesions. In 2D the cortex is folded: gray and
/// white matter of each hemisphere are closed splines. In 3D all are ellipsoids, with sulci cut into the cortex.
///
/// Intensities are those of a T1-weighted image, R2* values roughly those at 3 T. The scalp is fat, 434 Hz below water.
/// The field is disturbed by sinuses and ear canals at the base of the skull. The phantom was drawn for this library;
/// it is not the anatomy of a person.
///
/// Throws  ValueError (dim not 2 or 3)
Phantom brain_phantom(int dim);

}  // namespace whorl
