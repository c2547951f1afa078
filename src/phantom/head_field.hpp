// Private: the main field in a head.
#pragma once

#include "whorl/phantom/phantom.hpp"

namespace whorl::detail {

/// What a second-order shim leaves, and the air of the sphenoid sinus and of the ear canals: in 2D below the slice, in
/// 3D at the base of the skull of brain_phantom.
inline MainField head_field(int dim) {
  MainField field;
  field.harmonics = {0, 3, -5, 8, 2, 0, 10, 4, -6};
  if (dim == 2) {
    field.air = {{{0, -0.45, -0.4}, 0.2}, {{-0.5, 0.1, -0.45}, 0.12}, {{0.5, 0.1, -0.45}, 0.12}};
  } else {
    field.air = {{{0, -0.46, -0.64}, 0.1}, {{-0.36, 0.05, -0.6}, 0.07}, {{0.36, 0.05, -0.6}, 0.07}};
  }
  return field;
}

}  // namespace whorl::detail
