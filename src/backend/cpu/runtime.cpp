// The memory and the clock of the host.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "backend/cpu/core/available_memory.hpp"
#include "kernels/device_runtime.hpp"

namespace whorl::backend::cpu {

namespace {

// Asks for pages of 2 MiB for a large block. The columns and planes of a grid spread over more pages of 4 KiB than the
// processor's page table cache (TLB) holds.
void ask_for_huge_pages(std::byte* block, std::size_t size) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* first = block;
  std::size_t left = size;
  if (std::align(huge_page, huge_page, first, left) == nullptr) return;
  // Systems without such pages refuse. The block then works too, but more slowly.
  static_cast<void>(madvise(first, left / huge_page * huge_page, MADV_HUGEPAGE));
}

// All work is done when a call returns, so the clock of the host measures it.
class HostLapTimer final : public kernels::LapTimer {
 public:
  void mark() override { marks_.push_back(Clock::now()); }

  std::vector<double> milliseconds() override {
    std::vector<double> ms;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      ms.push_back(std::chrono::duration<double, std::milli>(marks_[i] - marks_[i - 1]).count());
    }
    marks_.clear();
    return ms;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> marks_;
};

class HostRuntime final : public kernels::DeviceRuntime {
 public:
  int count() const override { return 1; }
  std::string why_none() const override { return {}; }
  std::string name(int) const override { return "CPU"; }

  std::size_t free_bytes(int) const override { return available_memory(); }

  std::byte* allocate(int, std::size_t bytes) const override {
    auto* block = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{memory_alignment}, std::nothrow));
    if (block != nullptr) ask_for_huge_pages(block, bytes);
    return block;
  }

  void release(int, std::byte* block) const noexcept override {
    ::operator delete (block, std::align_val_t{memory_alignment});
  }

  std::byte* allocate_on_host(int index, std::size_t bytes) const override { return allocate(index, bytes); }
  void release_on_host(std::byte* block) const noexcept override { release(0, block); }

  std::shared_ptr<kernels::Queue> make_queue(int, std::optional<void*>) const override { return nullptr; }

  std::unique_ptr<kernels::LapTimer> make_lap_timer(const Context&) const override {
    return std::make_unique<HostLapTimer>();
  }
};

void copy_bytes(const Context&, void* to, Device, const void* from, Device, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void fill_pattern(const Context&, void* to, const void* pattern, std::size_t pattern_bytes, Index count) {
  const auto* byte = static_cast<const unsigned char*>(pattern);
  const bool all_equal = std::all_of(byte, byte + pattern_bytes, [&](unsigned char b) { return b == *byte; });
  if (all_equal) {
    std::memset(to, *byte, pattern_bytes * static_cast<std::size_t>(count));
    return;
  }
  auto* place = static_cast<std::byte*>(to);
  for (Index i = 0; i < count; ++i, place += pattern_bytes) std::memcpy(place, pattern, pattern_bytes);
}

}  // namespace

void register_runtime() {
  static const HostRuntime host;
  kernels::set_runtime(DeviceKind::cpu, host);
  kernels::copy_bytes.set(DeviceKind::cpu, copy_bytes);
  kernels::fill_pattern.set(DeviceKind::cpu, fill_pattern);
}

}  // namespace whorl::backend::cpu
