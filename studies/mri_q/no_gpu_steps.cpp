#include "studies/mri_q/steps.hpp"

namespace whorl::studies::mri_q {

std::vector<QStep> gpu_steps(int /*threads*/) { return {}; }
Tuning gpu_tuning() { return {}; }

}  // namespace whorl::studies::mri_q
