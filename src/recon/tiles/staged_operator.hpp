// Operators on arrays that are spilled.
#pragma once

#include "whorl/op/operator.hpp"

namespace whorl::recon {

/// The operator, for images and data in spilled memory (Context::spilled): it works in the device's own memory, on a copy of what it
/// takes, and copies what it makes. So a transform, which reads its arrays many times and not in their order, has the speed of
/// that memory. Beside what the operator takes itself there are an image and its result, or an image and data.
Operator<float> staged(Operator<float> op);

}  // namespace whorl::recon
