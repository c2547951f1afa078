// Arrays on GPUs by NCCL.
#pragma once

#include <memory>
#include <string>

#include "whorl/comm/communicator.hpp"

namespace WHORL_PUBLIC whorl {

struct DeviceRanks {
  std::shared_ptr<Communicator> ranks;
  std::string why_not;  ///< where NCCL is not used: one sentence
};

/// Collective. The group, with arrays on GPUs sent by NCCL from GPU to GPU. If a rank has no GPU, if two ranks have the same
/// one, or if NCCL cannot be loaded on one of the ranks, all ranks get the group as it was, and the reason. The context's
/// stream orders NCCL's work; the context lives at least as long as the group.
DeviceRanks with_nccl(std::shared_ptr<Communicator> ranks, const Context& ctx);

}  // namespace whorl
