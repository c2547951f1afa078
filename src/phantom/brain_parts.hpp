// Private: the two brain phantoms.
#pragma once

#include "whorl/phantom/phantom.hpp"

namespace whorl::detail {

Phantom brain_2d();
Phantom brain_3d();

}  // namespace whorl::detail
