// Operators on arrays that are spilled.
#pragma once

#include <string>

#include "whorl/op/operator.hpp"

namespace whorl::recon {

/// The operator, for images and data in spilled memory (Context::spilled): what it needs besides is in the device's own. A GPU
/// also works on a copy of what it takes, and copies what it makes: so a transform, which reads its arrays many times and not in
/// their order, has the speed of its memory. It then has an image and its result there, or an image and data.
Operator<float> staged(Operator<float> op);

/// The operator of a CPU, whose own arrays lie in files of a folder: the bits are the same.
Operator<float> working_in_files(Operator<float> op, std::string folder);

}  // namespace whorl::recon
