#include "whorl/core/context.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "kernels/registry.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Context::Context() : Context(Options{}) {}

Context::Context(Options options)
    : device_(options.device),
      threads_(options.threads),
      pool_(std::make_shared<MemoryPool>(options.device)),
      progress_(std::move(options.progress)),
      cancel_(std::make_shared<std::atomic<bool>>(false)) {
  if (threads_ < 0) throw ValueError(fmt::format("threads: expected 0 (all) or more, got {}", threads_));
  if (threads_ == 0) threads_ = omp_get_num_procs();
  kernels::register_backends();
}

void Context::check_cancel(std::string_view operation) const {
  if (cancel_requested()) throw Cancelled(fmt::format("{}: stopped on request", operation));
}

ProgressStage::ProgressStage(const Context& ctx, std::string_view stage, Index total) : ctx_(ctx), stage_(stage) {
  ctx_.check_cancel(stage_);
  if (ctx_.progress() != nullptr) ctx_.progress()->begin(stage, total);
}

ProgressStage::~ProgressStage() {
  if (ctx_.progress() != nullptr) ctx_.progress()->end();
}

void ProgressStage::advance(Index steps, std::string_view detail) {
  done_ += steps;
  if (ctx_.progress() != nullptr) ctx_.progress()->update(done_, detail);
  ctx_.check_cancel(stage_);
}

}  // namespace whorl
