#include "studies/fhd/steps.hpp"

namespace whorl::studies::fhd {

Step<float> shared_gpu_step() { return {}; }
std::vector<Step<float>> gpu_steps(const Context& /*ctx*/, Tuner& /*tuner*/) { return {}; }

}  // namespace whorl::studies::fhd
