// Memory that a pool does not have: what can do with less may catch it and try again.
#pragma once

#include "core/internal.hpp"
#include "whorl/core/error.hpp"

namespace whorl::detail {

/// Thrown by MemoryPool::allocate.
class WHORL_INTERNAL OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace whorl::detail
