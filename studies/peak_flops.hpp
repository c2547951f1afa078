// Pure multiply-adds and copies, for measuring peak rates.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::studies {

/// Multiply-adds of float that do not wait for one another, on all that the context's device has. Returns how many
/// operations they are, two each.
double peak_work(const Context& ctx);

/// Peak on a CPU and on a GPU (throws Unsupported where whorl is built without).
double peak_work_on_host(const Context& ctx);
double peak_work_on_gpu(const Context& ctx);

/// Copies on the host by all threads.
void copy_by_threads(const Context& ctx, const float* from, float* to, Index count);

}  // namespace whorl::studies
