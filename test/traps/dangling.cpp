// References to temporary arrays that clang warns of. test/traps/check_traps.py compiles this file with clang.
#include "whorl/core/array.hpp"

namespace whorl {

void traps(const Context& ctx) {
  ArrayRef<const float> first = zeros<float>(ctx, {3});  // error: destroyed at the end of the full-expression
  ArrayRef<const float> second(zeros<float>(ctx, {3}));  // error: destroyed at the end of the full-expression
}

}  // namespace whorl
