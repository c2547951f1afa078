#include "whorl/core/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "core/block_source.hpp"
#include "core/out_of_memory.hpp"

namespace whorl {

namespace {

// A branch of the pool and a size, and a block.
using FreeBlocks = std::multimap<std::pair<int, std::size_t>, std::byte*>;

}  // namespace

struct MemoryPool::State {
  State(Device where, std::unique_ptr<BlockSource> blocks, std::size_t most)
      : device(where), source(std::move(blocks)), limit(most) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { release_all(); }

  void release_all() {
    for (const auto& [kind, block] : free_blocks) {
      source->release(block);
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

  std::byte* new_block(int branch, std::size_t size) {
    const auto fits = [&] { return limit == 0 || counts.in_use + counts.cached + size <= limit; };
    if (source->gains_by_release(size)) release_all();
    std::byte* block = fits() ? source->allocate(size, branch) : nullptr;
    if (block != nullptr) return block;
    release_all();
    return fits() ? source->allocate(size, branch) : nullptr;
  }

  const Device device;
  const std::unique_ptr<BlockSource> source;
  const std::size_t limit;
  std::mutex mutex;
  FreeBlocks free_blocks;
  // While keep_scratch_of runs: where blocks of its thread come back to, and are looked for first. They stay in use.
  FreeBlocks* kept = nullptr;
  std::thread::id keeper;
  MemoryStatistics counts;
};

MemoryPool::MemoryPool(Device device, std::size_t limit)
    : state_(std::make_shared<State>(device, device_blocks(device), limit)) {}

MemoryPool::MemoryPool(std::shared_ptr<State> state, std::shared_ptr<State> unspilled, int branch)
    : state_(std::move(state)), unspilled_(std::move(unspilled)), branch_(branch) {}

MemoryPool MemoryPool::branch(int number) const { return {state_, unspilled_, number}; }

MemoryPool MemoryPool::spilled(const std::filesystem::path& folder, std::size_t away, std::size_t resident,
                               std::size_t limit) const {
  const MemoryPool own = unspilled();
  return {std::make_shared<State>(own.device(), spilled_blocks(own, away, resident, folder), limit), own.state_,
          branch_};
}

MemoryPool MemoryPool::unspilled() const {
  return unspilled_ == nullptr ? *this : MemoryPool(unspilled_, nullptr, branch_);
}

std::shared_ptr<std::byte> MemoryPool::allocate(std::size_t bytes) {
  std::shared_ptr<std::byte> block = allocate_if_there(bytes);
  if (block != nullptr) return block;
  const std::scoped_lock lock(state_->mutex);
  throw detail::OutOfMemory(
      fmt::format("out of memory on {}: {} bytes asked for while {} are in use{}; use a smaller scan or image, or a "
                  "machine with more memory",
                  state_->source->place(), bytes_of_block(bytes), state_->counts.in_use,
                  state_->limit > 0 ? fmt::format(" and {} are allowed", state_->limit) : std::string()));
}

std::shared_ptr<std::byte> MemoryPool::allocate_if_there(std::size_t bytes) {
  const std::size_t size = bytes_of_block(bytes);
  std::byte* block = nullptr;
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->keeps_here()) block = State::take(*state_->kept, branch_, size);
    const bool was_in_use = block != nullptr;
    if (block == nullptr) block = state_->take_free(branch_, size);
    if (block == nullptr) block = state_->new_block(branch_, size);
    if (block == nullptr) return nullptr;
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
  if (unspilled_ != nullptr) {
    using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
    const auto both = std::make_shared<Both>();
    both->first =
        unspilled().keep_scratch_of([&] { both->second = MemoryPool(state_, nullptr, branch_).keep_scratch_of(work); });
    return both;
  }
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
  return state_->source->free_bytes() + now.in_use + now.cached;
}

}  // namespace whorl
