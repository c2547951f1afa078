// Starting kernels: their blocks, their threads, their names in errors.
#pragma once

#include <algorithm>
#include <source_location>
#include <string>
#include <type_traits>

#include "backend/cuda/runtime.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

/// A text for errors that says what a kernel does, and where it was started.
struct LaunchName {
  LaunchName(const char* what, std::source_location place = std::source_location::current())
      : name(what), where(place) {}

  const char* name;
  std::source_location where;
};

/// The blocks of a launch, the threads of a block, and the bytes of shared memory for a block besides those that the
/// kernel declares.
struct LaunchShape {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
};

/// Numbers of blocks along x, y and z.
inline dim3 grid_of(Index x, Index y = 1, Index z = 1) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

/// Shared memory that a block gets by default.
inline constexpr std::size_t shared_bytes_unasked = 48 << 10;

/// If a kernel needs more shared memory for a block than blocks get by default, asks for it. Throws Unsupported if the
/// device has less.
template <class... Params>
void allow_shared_memory(const Context& ctx, const LaunchName& name, void (*kernel)(Params...), std::size_t bytes) {
  if (bytes <= shared_bytes_unasked) return;
  const std::size_t most = properties_of(ctx).sharedMemPerBlockOptin;
  if (bytes > most) {
    throw Unsupported(std::string(name.name) + ": a block needs " + std::to_string(bytes) +
                      " bytes of shared memory, this GPU has " + std::to_string(most));
  }
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), name.name,
        name.where);
}

/// Starts a kernel in the context's stream. Throws DeviceError if the launch is refused, Cancelled.
template <class... Params>
void launch(const Context& ctx, const LaunchName& name, void (*kernel)(Params...), const LaunchShape& shape,
            const std::type_identity_t<Params>&... args) {
  ctx.check_cancel(name.name);
  cudaStream_t stream = stream_of(ctx);
  allow_shared_memory(ctx, name, kernel, shape.shared_bytes);
  kernel<<<shape.blocks, shape.threads, shape.shared_bytes, stream>>>(args...);
  check(cudaGetLastError(), name.name, name.where);
}

/// Calls work(std::integral_constant<int, V>()) for a kernel that is compiled for several numbers V, in ascending
/// order: the first V that is at least n; if there is none, the last one.
template <int first, int... rest, class Work>
decltype(auto) with_constant(Index n, const Work& work) {
  if constexpr (sizeof...(rest) == 0) {
    return work(std::integral_constant<int, first>());
  } else {
    if (n <= first) return work(std::integral_constant<int, first>());
    return with_constant<rest...>(n, work);
  }
}

inline constexpr int loop_threads = 256;

/// Number of blocks of loop_threads threads for a loop over `count` elements whose threads stride over the grid: as
/// many as the device runs at once, but no more than there is work for.
inline unsigned loop_blocks(const Context& ctx, Index count) {
  const int at_once = properties_of(ctx).multiProcessorCount * (2048 / loop_threads);
  return static_cast<unsigned>(std::clamp<Index>(divide_up(count, loop_threads), 1, at_once));
}

/// Starts a kernel whose threads stride over the grid, for a loop over `count` elements.
template <class... Params>
void launch_loop(const Context& ctx, const LaunchName& name, void (*kernel)(Params...), Index count,
                 const std::type_identity_t<Params>&... args) {
  launch(ctx, name, kernel, {loop_blocks(ctx, count), loop_threads}, args...);
}

/// Number of blocks of loop_threads threads for a sum over `count` elements; each block stores a partial sum. The
/// number does not depend on the device, so the order of the sum does not either.
inline int partial_sums(Index count) {
  constexpr Index most = 1024;
  return static_cast<int>(std::clamp<Index>(divide_up(count, loop_threads), 1, most));
}

}  // namespace whorl::backend::cuda
