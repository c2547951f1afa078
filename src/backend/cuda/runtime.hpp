// Code for every CUDA source: errors, the stream of a context, uploads of small tables.
#pragma once

#include <cuda_runtime.h>
#include <cufft.h>

#include <source_location>
#include <span>

#include "core/internal.hpp"
#include "kernels/device_runtime.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cuda {

/// Throws DeviceError with the call, its place and CUDA's message, unless the status is success.
WHORL_INTERNAL void check(cudaError_t status, const char* call,
                          std::source_location where = std::source_location::current());
WHORL_INTERNAL void check(cufftResult status, const char* call,
                          std::source_location where = std::source_location::current());

/// After a kernel launch: throws DeviceError if the launch was refused.
WHORL_INTERNAL void check_launch(const char* kernel, std::source_location where = std::source_location::current());

/// The stream in which all work of a context runs, in order. Makes the context's device current for this thread.
WHORL_INTERNAL cudaStream_t stream_of(const Context& ctx);

/// Whether work in the stream of a context can be recorded as a graph.
bool can_record(const Context& ctx);

/// Whether work can be queued beside that of a context: not from a branch, and not with a default stream.
bool can_branch(const Context& ctx);

/// A context whose work runs after all earlier work of ctx and beside later work of ctx. Numbers count from 1.
Context begin_branch(const Context& ctx, int number);

/// Later work of ctx waits for that of the branch.
void end_branch(const Context& ctx, const Context& branch);

/// The properties of a context's device.
WHORL_INTERNAL const cudaDeviceProp& properties_of(const Context& ctx);

/// Host memory into which a kernel writes a few numbers. They stay until the next call with the same context that uses
/// the mailbox.
inline constexpr std::size_t mailbox_bytes = 256;
WHORL_INTERNAL void* mailbox_of(const Context& ctx);

/// Copies host memory to a new array on the context's device. The host memory may be freed when this returns.
template <class T>
Array<T> upload(const Context& ctx, std::span<const T> values) {
  Array<T> array(ctx, {static_cast<Index>(values.size())});
  kernels::copy_bytes(ctx, array.data(), array.device(), values.data(), Device{}, values.size_bytes());
  return array;
}

}  // namespace whorl::backend::cuda
