// A part of a device, on which work runs as on a smaller one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl::studies::energy {

struct Part {
  std::shared_ptr<void> held{};  ///< what the context's stream belongs to; released after the context
  Context ctx;                   ///< arrays and plans that are made with it must go before it
  int units = 0;                 ///< multiprocessors, threads
};

/// "multiprocessors" of a GPU, "threads" of a CPU.
std::string unit_name(const Context& ctx);

/// Sizes of parts to ask for, the largest first: the whole device, then 64, 32, 16, 8 and 2 multiprocessors, or halves of
/// the threads down to 1.
std::vector<int> part_sizes(const Context& ctx);

/// A part of the context's device with `units` multiprocessors or threads, or with the next larger number that the device
/// gives; for all of them the context itself.
/// Throws  Unsupported (a driver without green contexts), DeviceError
Part part_of(const Context& ctx, int units);

/// Multiprocessors on which the blocks of a kernel ran that has enough for the whole device.
struct SeenMultiprocessors {
  int in_stream = 0;
  int in_graph = 0;  ///< launched by a recorded graph
};

// For a GPU, or errors in a build without.
int multiprocessors_of(const Context& ctx);
Part part_of_gpu(const Context& ctx, int multiprocessors);
SeenMultiprocessors multiprocessors_seen(const Context& ctx);

}  // namespace whorl::studies::energy
