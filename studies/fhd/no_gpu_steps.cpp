#include "studies/fhd/steps.hpp"

namespace whorl::studies::fhd {

std::vector<Step<float>> gpu_steps(const Context& /*ctx*/, Tuner& /*tuner*/) { return {}; }

}  // namespace whorl::studies::fhd
