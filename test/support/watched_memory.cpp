#include "support/watched_memory.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX, not in <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace whorl::test {

namespace {

constexpr Index most_pages = 1 << 14;

// What a signal handler reaches has static life.
struct Watched {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::array<std::atomic<bool>, most_pages> seen{};
  std::atomic<Index> used{0}, stop{0};
  std::atomic<const Context*> ctx{nullptr};
};
std::array<Watched, 2> watched;
struct sigaction before {};
std::atomic<int> living{0};

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

void on_fault(int /*number*/, siginfo_t* info, void* /*machine*/) {
  const auto place = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Watched& memory : watched) {
    if (place < memory.begin || place >= memory.end) continue;
    const std::uintptr_t page = (place - memory.begin) / page_bytes();
    if (!memory.seen[page].exchange(true) && ++memory.used == memory.stop) memory.ctx.load()->request_cancel();
    ::mprotect(reinterpret_cast<void*>(memory.begin + page * page_bytes()), page_bytes(), PROT_READ | PROT_WRITE);
    return;
  }
  ::sigaction(SIGSEGV, &before, nullptr);  // a fault of its own happens again
}

}  // namespace

WatchedMemory::WatchedMemory(const void* memory, std::size_t bytes) : slot_(living++) {
  Watched& here = watched.at(static_cast<std::size_t>(slot_));
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (first + page_bytes() - 1) / page_bytes() * page_bytes();
  const std::uintptr_t end = (first + bytes) / page_bytes() * page_bytes();
  if (end <= begin) throw std::runtime_error("no whole page to watch");
  pages_ = static_cast<Index>((end - begin) / page_bytes());
  if (pages_ > most_pages) throw std::runtime_error("too many pages to watch");
  for (auto& seen : here.seen) seen = false;
  here.used = 0;
  here.stop = 0;
  here.begin = begin;
  here.end = end;
  if (slot_ == 0) {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &before);
  }
  ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_NONE);
}

WatchedMemory::~WatchedMemory() {
  Watched& here = watched.at(static_cast<std::size_t>(slot_));
  ::mprotect(reinterpret_cast<void*>(here.begin.load()), here.end - here.begin, PROT_READ | PROT_WRITE);
  here.begin = 0;
  here.end = 0;
  if (--living == 0) ::sigaction(SIGSEGV, &before, nullptr);
}

void WatchedMemory::stop_at(const Context& ctx, Index use) const {
  Watched& here = watched.at(static_cast<std::size_t>(slot_));
  here.ctx = &ctx;
  here.stop = use;
}

Index WatchedMemory::used() const { return watched.at(static_cast<std::size_t>(slot_)).used; }

}  // namespace whorl::test
