// What whorl calls of NCCL: a table of functions, which the module libwhorl_nccl fills (src/comm/nccl).
#pragma once

#include <cstddef>

namespace whorl::comm {

/// A function that can fail returns null or why, in words that stay until the process ends.
struct NcclCalls {
  int version;
  /// Loads NCCL's library.
  const char* (*load)();
  /// The name on the bus of a GPU of this machine.
  const char* (*bus_name)(int device, char* name, int length);
  /// A new group's name, of `id_bytes` bytes.
  const char* (*make_id)(void* id);
  /// This process, or thread, becomes a rank of the group. All ranks call it.
  const char* (*join)(const void* id, int size, int rank, int device, void** group);
  void (*leave)(void* group);
  const char* (*broadcast)(void* group, float* values, std::size_t count, int root, void* stream);
  const char* (*sum)(void* group, float* values, std::size_t count, int root, void* stream);
};

inline constexpr int nccl_calls_version = 1;
inline constexpr std::size_t nccl_id_bytes = 128;
inline constexpr const char* nccl_entry = "whorl_nccl_calls";

}  // namespace whorl::comm
