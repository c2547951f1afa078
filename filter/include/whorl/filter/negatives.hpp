// The treatment of results below zero, which integer images cannot hold.
#pragma once

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

enum class Negatives {
  clip,      ///< the result has the image's type; integers are clipped, float32 is not
  absolute,  ///< the result has the image's type; its magnitude is taken
  keep,      ///< the result is float32, neither rounded nor clipped, in the image's numbers
};

}  // namespace whorl
