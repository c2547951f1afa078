#include "studies/gridding_2d/alone/reads.hpp"
#include "studies/gridding_2d/alone/steps.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::gridding_2d {

bool fits_gpu(const Context& /*ctx*/, const Sizes& /*sizes*/) { return false; }
std::vector<Step> gpu_alone_steps() { return {}; }
Step gpu_sector_step(int /*resident*/) { throw Unsupported("gridding_2d: this build has no kernels for a GPU"); }
std::vector<Step> gpu_bank_steps() { return {}; }
std::vector<ReadTimes> read_times_on_gpu(const Context& /*ctx*/) { return {}; }

}  // namespace whorl::studies::gridding_2d
