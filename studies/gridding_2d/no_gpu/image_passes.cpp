#include "studies/gridding_2d/image_passes.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::gridding_2d {

namespace {

[[noreturn]] void refuse() { throw Unsupported("gridding_2d: this build has no kernels for a GPU"); }

}  // namespace

void join_parts_on_gpu(const Context& /*ctx*/, ArrayRef<const float> /*parts*/,
                       ArrayRef<std::complex<float>> /*grid*/) {
  refuse();
}

void cut_image_on_gpu(const Context& /*ctx*/, const Cut& /*cut*/) { refuse(); }

}  // namespace whorl::studies::gridding_2d
