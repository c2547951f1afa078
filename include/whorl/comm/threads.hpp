// Threads of one process as ranks.
#pragma once

#include <memory>
#include <vector>

#include "whorl/comm/communicator.hpp"

namespace WHORL_PUBLIC whorl {

/// A group whose ranks are threads of this process: one communicator for each. Each thread makes the calls of its own.
std::vector<std::shared_ptr<Communicator>> thread_ranks(int size);

}  // namespace whorl
