// The error of a tolerance that rounding makes impossible.
#pragma once

#include "whorl/core/error.hpp"

namespace WHORL_PUBLIC whorl {

/// A transform cannot be as exact as it was asked to be; with a larger tolerance it can.
class ToleranceError : public ValueError {
 public:
  using ValueError::ValueError;
};

}  // namespace whorl
