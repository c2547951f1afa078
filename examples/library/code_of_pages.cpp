// The code that README.md and docs/reference/cpp.md show compiles: CMake takes it out of the pages.
#include "readme.inc"

#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

void code_of_the_page(const Context& ctx, ArrayRef<const double> points, Index n, Index coils,
                      Array<std::complex<float>> maps, const Operator<float>& D, float lambda,
                      ArrayRef<const std::complex<float>> right_side, ArrayRef<std::complex<float>> x) {
#include "cpp.inc"
}

}  // namespace whorl
