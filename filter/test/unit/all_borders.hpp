// Each way to go on beyond an image's edge.
#pragma once

#include "whorl/filter/border.hpp"

namespace whorl::test {

inline constexpr Border all_borders[] = {Border::reflect, Border::replicate, Border::wrap, Border::constant};

}  // namespace whorl::test
