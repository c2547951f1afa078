// Operators on arrays that are spilled.
#pragma once

#include <string>

#include "whorl/op/operator.hpp"

namespace whorl::recon {

/// Returns `op` for images and data in spilled memory (Context::spilled). All else that it needs is in the device's own memory.
/// A GPU copies what it takes into its own memory, works there, and copies the result back: a transform reads its arrays many
/// times and out of order. It then holds an image and its result, or an image and data.
Operator<float> staged(Operator<float> op);

/// The operator of a CPU, whose own arrays lie in files of a folder: the bits are the same.
Operator<float> working_in_files(Operator<float> op, std::string folder);

}  // namespace whorl::recon
