#include "whorl/core/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "kernels/device_runtime.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl {

namespace {

// Small blocks are rounded up to the alignment; large ones to 1/8 of their size's power of two, so that blocks of
// nearly the same size (odd and even matrix sizes, frames of unequal length) serve each other. The waste stays below
// 1/8.
std::size_t rounded(std::size_t bytes) {
  std::size_t step = memory_alignment;
  while (bytes / step >= 16) step *= 2;
  return std::max(step, round_up(bytes, step));
}

// A branch of the pool and a size, and a block.
using FreeBlocks = std::multimap<std::pair<int, std::size_t>, std::byte*>;

const kernels::DeviceRuntime& runtime_for(Device device) {
  const kernels::DeviceRuntime* runtime = kernels::runtime_of(device.kind);
  if (runtime == nullptr) {
    throw DeviceError(fmt::format("memory of {}: {}", to_string(device), kernels::register_core(device.kind)));
  }
  return *runtime;
}

}  // namespace

struct MemoryPool::State {
  State(Device where, std::size_t most) : device(where), runtime(runtime_for(where)), limit(most) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { release_all(); }

  void release_all() {
    for (const auto& [kind, block] : free_blocks) {
      runtime.release(device.index, block);
      counts.cached -= kind.second;
    }
    free_blocks.clear();
  }

  bool keeps_here() const { return kept != nullptr && keeper == std::this_thread::get_id(); }

  // A block from a list, or none.
  static std::byte* take(FreeBlocks& from, int branch, std::size_t size) {
    const auto found = from.find({branch, size});
    if (found == from.end()) return nullptr;
    std::byte* block = found->second;
    from.erase(found);
    return block;
  }

  std::byte* take_free(int branch, std::size_t size) {
    std::byte* const block = take(free_blocks, branch, size);
    if (block != nullptr) counts.cached -= size;
    return block;
  }

  void release(int branch, std::size_t size, std::byte* block) {
    if (keeps_here()) {
      kept->emplace(std::pair(branch, size), block);
      return;
    }
    free_blocks.emplace(std::pair(branch, size), block);
    counts.in_use -= size;
    counts.cached += size;
  }

  std::byte* new_block(std::size_t size) {
    const auto fits = [&] { return limit == 0 || counts.in_use + counts.cached + size <= limit; };
    std::byte* block = fits() ? runtime.allocate(device.index, size) : nullptr;
    if (block != nullptr) return block;
    release_all();
    return fits() ? runtime.allocate(device.index, size) : nullptr;
  }

  const Device device;
  const kernels::DeviceRuntime& runtime;
  const std::size_t limit;
  std::mutex mutex;
  FreeBlocks free_blocks;
  // While keep_scratch_of runs: where blocks of its thread come back to, and are looked for first. They stay in use.
  FreeBlocks* kept = nullptr;
  std::thread::id keeper;
  MemoryStatistics counts;
};

MemoryPool::MemoryPool(Device device, std::size_t limit) : state_(std::make_shared<State>(device, limit)) {}

MemoryPool::MemoryPool(std::shared_ptr<State> state, int branch) : state_(std::move(state)), branch_(branch) {}

MemoryPool MemoryPool::branch(int number) const { return {state_, number}; }

std::shared_ptr<std::byte> MemoryPool::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  std::byte* block = nullptr;
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->keeps_here()) block = State::take(*state_->kept, branch_, size);
    const bool was_in_use = block != nullptr;
    if (block == nullptr) block = state_->take_free(branch_, size);
    if (block == nullptr) block = state_->new_block(size);
    if (block == nullptr) {
      throw Error(fmt::format(
          "out of memory on {}: {} bytes asked for while {} are in use{}; use a smaller scan or image, or a "
          "machine with more memory",
          to_string(state_->device), size, state_->counts.in_use,
          state_->limit > 0 ? fmt::format(" and {} are allowed", state_->limit) : std::string()));
    }
    if (!was_in_use) state_->counts.in_use += size;
    state_->counts.peak = std::max(state_->counts.peak, state_->counts.in_use);
  }
  // The deleter holds the state, not the pool: a block may outlive the Context that it came from.
  return {block, [state = state_, branch = branch_, size](std::byte* memory) {
            const std::scoped_lock lock(state->mutex);
            state->release(branch, size, memory);
          }};
}

std::shared_ptr<void> MemoryPool::keep_scratch_of(const std::function<void()>& work) {
  const std::shared_ptr<FreeBlocks> kept(new FreeBlocks, [state = state_](FreeBlocks* blocks) {
    const std::scoped_lock lock(state->mutex);
    for (const auto& [kind, block] : *blocks) {
      state->counts.in_use -= kind.second;
      state->counts.cached += kind.second;
    }
    state->free_blocks.merge(*blocks);
    delete blocks;
  });
  const auto keep_in = [this](FreeBlocks* blocks) {
    const std::scoped_lock lock(state_->mutex);
    state_->kept = blocks;
    state_->keeper = std::this_thread::get_id();
  };
  keep_in(kept.get());
  try {
    work();
  } catch (...) {
    keep_in(nullptr);
    throw;
  }
  keep_in(nullptr);
  return kept;
}

void MemoryPool::trim() {
  const std::scoped_lock lock(state_->mutex);
  state_->release_all();
}

MemoryStatistics MemoryPool::statistics() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

void MemoryPool::restart_peak() {
  const std::scoped_lock lock(state_->mutex);
  state_->counts.peak = state_->counts.in_use;
}

Device MemoryPool::device() const { return state_->device; }

std::size_t MemoryPool::limit() const {
  if (state_->limit > 0) return state_->limit;
  const MemoryStatistics now = statistics();
  return state_->runtime.free_bytes(state_->device.index) + now.in_use + now.cached;
}

}  // namespace whorl
