#include "whorl/core/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// Small blocks are rounded up to the alignment; large ones to 1/8 of their size's power of two, so that blocks of
// nearly the same size (odd and even matrix sizes, frames of unequal length) serve each other. The waste stays below
// 1/8.
std::size_t rounded(std::size_t bytes) {
  std::size_t step = memory_alignment;
  while (bytes / step >= 16) step *= 2;
  return std::max(step, (bytes + step - 1) / step * step);
}

// A large block in pages of 2 MiB, where the system grants them on request: columns and planes of a grid lie on more
// pages of 4 KiB than a processor knows by heart.
void ask_for_huge_pages(std::byte* block, std::size_t size) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* first = block;
  std::size_t left = size;
  if (std::align(huge_page, huge_page, first, left) == nullptr) return;
  // Refused by systems without such pages: the block is as good, only slower.
  static_cast<void>(madvise(first, left / huge_page * huge_page, MADV_HUGEPAGE));
}

std::byte* new_block(std::size_t size) {
  auto* block = static_cast<std::byte*>(::operator new (size, std::align_val_t{memory_alignment}, std::nothrow));
  if (block != nullptr) ask_for_huge_pages(block, size);
  return block;
}

}  // namespace

struct MemoryPool::State {
  explicit State(Device where) : device(where) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { release_all(); }

  void release_all() {
    for (const auto& [bytes, block] : free_blocks) ::operator delete (block, std::align_val_t{memory_alignment});
    free_blocks.clear();
    counts.cached = 0;
  }

  const Device device;
  std::mutex mutex;
  std::multimap<std::size_t, std::byte*> free_blocks;
  MemoryStatistics counts;
};

MemoryPool::MemoryPool(Device device) : state_(std::make_shared<State>(device)) {}

std::shared_ptr<std::byte> MemoryPool::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  std::byte* block = nullptr;
  {
    const std::scoped_lock lock(state_->mutex);
    if (const auto found = state_->free_blocks.find(size); found != state_->free_blocks.end()) {
      block = found->second;
      state_->free_blocks.erase(found);
      state_->counts.cached -= size;
    } else {
      block = new_block(size);
      if (block == nullptr) {
        state_->release_all();
        block = new_block(size);
      }
      if (block == nullptr) {
        throw Error(fmt::format(
            "out of memory: {} bytes asked for while {} are in use; use a smaller matrix, fewer coils (compression) or "
            "a machine with more memory",
            size, state_->counts.in_use));
      }
    }
    state_->counts.in_use += size;
    state_->counts.peak = std::max(state_->counts.peak, state_->counts.in_use);
  }
  // The deleter holds the state, not the pool: a block may outlive the Context that it came from.
  return {block, [state = state_, size](std::byte* memory) {
            const std::scoped_lock lock(state->mutex);
            state->counts.in_use -= size;
            state->counts.cached += size;
            state->free_blocks.emplace(size, memory);
          }};
}

void MemoryPool::trim() {
  const std::scoped_lock lock(state_->mutex);
  state_->release_all();
}

MemoryStatistics MemoryPool::statistics() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

Device MemoryPool::device() const { return state_->device; }

}  // namespace whorl
