// Context is the first argument of everything that computes: device, threads, memory pool, progress, cancellation. A
// parallel loop asks ctx.cancel_requested() in each strip or tile, and skips the rest after a request; ctx.check_cancel
// throws after the loop. FilterKernel calls it after each kernel of a filter. On a GPU launch asks before each kernel.
// A long loop in one thread calls ask_at (src/core/ask.hpp). The program ends work that does not ask one second after a
// signal. ctx.with(token) and ctx.with(sink) give a call a CancelToken or a progress sink of its own. There are no
// globals.
#include "whorl/core/context.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/stack_size.hpp"
#include "core/startable_threads.hpp"
#include "kernels/device_runtime.hpp"
#include "kernels/fork.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/mapped_array.hpp"

namespace whorl {

Context::Context() : Context(Options{}) {}

Context::Context(Options options)
    : device_(options.device),
      threads_(options.threads),
      progress_(std::move(options.progress)),
      cancel_(std::move(options.cancel)) {
  if (threads_ < 0) throw ValueError(fmt::format("threads: expected 0 (all) or more, got {}", threads_));
  if (threads_ == 0) threads_ = detail::processors();
  if (threads_ > 1 && detail::is_stack_small()) {
    throw ValueError(fmt::format(
        "context: OMP_STACKSIZE leaves OpenMP's threads {:.0f} bytes of stack, expected {:.0f} or more; unset it "
        "before the process starts, or take one thread",
        detail::asked_stack_bytes().value_or(0), detail::least_stack_bytes));
  }
  kernels::watch_forks();
  host_pool_ = std::make_shared<MemoryPool>(Device{}, device_.kind == DeviceKind::cpu ? options.max_memory : 0);
  *this = on(device_, device_.kind == DeviceKind::cpu ? 0 : options.max_memory, options.stream);
}

int Context::threads() const {
  return threads_ > 1 && kernels::may_start_threads() ? detail::startable_threads(threads_) : 1;
}

Context Context::on(Device device, std::size_t max_memory) const { return on(device, max_memory, std::nullopt); }

Context Context::on(Device device, std::size_t max_memory, std::optional<void*> stream) const {
  require_device(device);
  if (stream && device.kind == DeviceKind::cpu) {
    throw ValueError("context: a stream is given for the CPU, which has none; expected a GPU as the device");
  }
  Context there = *this;
  there.device_ = device;
  there.queue_ = kernels::runtime_of(device.kind)->make_queue(device.index, stream);
  if (device.kind == DeviceKind::cpu && max_memory == 0) {
    there.pool_ = host_pool_;
    return there;
  }
  there.pool_ = std::make_shared<MemoryPool>(device, max_memory);
  if (device.kind == DeviceKind::cpu) there.host_pool_ = there.pool_;
  return there;
}

Context Context::host() const {
  Context host = *this;
  if (device_.kind == DeviceKind::cpu) return host;
  host.device_ = Device{};
  host.pool_ = host_pool_;
  host.queue_.reset();
  return host;
}

Context Context::with(CancelToken token) const {
  Context other = *this;
  other.cancel_ = std::move(token);
  return other;
}

Context Context::with(std::shared_ptr<ProgressSink> progress) const {
  Context other = *this;
  other.progress_ = std::move(progress);
  return other;
}

Context Context::spilled(const std::string& folder, std::size_t away, std::size_t resident) const {
  Context other = *this;
  const std::size_t most = device_.kind == DeviceKind::cpu ? 0 : resident + spill_room();
  other.pool_ = std::make_shared<MemoryPool>(pool_->spilled(temporary_folder(folder), away, resident, most));
  return other;
}

Context Context::unspilled() const {
  Context other = *this;
  other.pool_ = std::make_shared<MemoryPool>(pool_->unspilled());
  return other;
}

Context Context::branch(std::shared_ptr<kernels::Queue> queue, int number) const {
  Context other = *this;
  other.queue_ = std::move(queue);
  other.pool_ = std::make_shared<MemoryPool>(pool_->branch(number));
  if (device_.kind == DeviceKind::cpu) {
    other.threads_ = 1;
    other.progress_.reset();  // branches work beside each other, and a sink hears of one thread
  }
  return other;
}

void Context::synchronize() const {
  if (queue_ != nullptr) queue_->synchronize();
}

void* Context::stream() const {
  if (queue_ == nullptr) throw Unsupported("context: the CPU has no streams; its work is done when a call returns");
  return queue_->stream_handle();
}

void Context::check_cancel(std::string_view operation) const {
  if (cancel_requested()) throw Cancelled(fmt::format("{}: stopped on request", operation));
}

bool ProgressSink::take_turn() {
  thread_local const char this_thread = 0;  // its address is known to no other thread
  const void* speaker = speaker_.load(std::memory_order_relaxed);
  if (speaker != &this_thread) {
    speaker = nullptr;
    if (!speaker_.compare_exchange_strong(speaker, &this_thread, std::memory_order_acquire)) return false;
  }
  ++open_;
  return true;
}

void ProgressSink::end_turn() {
  if (--open_ == 0) speaker_.store(nullptr, std::memory_order_release);
}

// NOLINTNEXTLINE(modernize-pass-by-value): callers keep their context
ProgressStage::ProgressStage(const Context& ctx, std::string_view stage, Index total) : ctx_(ctx), stage_(stage) {
  ctx_.check_cancel(stage_);
  if (ctx_.progress() == nullptr || !ctx_.progress()->take_turn()) return;
  sink_ = ctx_.progress();
  try {
    sink_->begin(stage, total);
  } catch (...) {
    sink_->end_turn();
    throw;
  }
}

ProgressStage::~ProgressStage() {
  if (sink_ == nullptr) return;
  sink_->end();
  sink_->end_turn();
}

void ProgressStage::advance(Index steps, std::string_view detail) {
  done_ += steps;
  if (sink_ != nullptr) sink_->update(done_, detail);
  ctx_.check_cancel(stage_);
}

}  // namespace whorl
