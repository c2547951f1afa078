// What a server counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace whorl::serve {

/// The bounds of the histogram of latencies in seconds.
inline constexpr std::array latency_bounds{0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0};

/// Threads  any
struct Counters {
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> refused{0};  ///< since there were too many
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> acquisitions{0};
  std::atomic<std::uint64_t> left_out{0};  ///< acquisitions that belong to no image
  std::atomic<std::uint64_t> images{0};
  std::atomic<std::int64_t> active{0};
  std::array<std::atomic<std::uint64_t>, latency_bounds.size() + 1> latencies{};  ///< of each bound, and beyond
  std::atomic<std::uint64_t> latency_us{0};                                       ///< the sum

  void count_latency(double seconds) {
    std::size_t place = 0;
    while (place < latency_bounds.size() && seconds > latency_bounds[place]) ++place;
    ++latencies[place];
    latency_us += static_cast<std::uint64_t>(seconds * 1e6);
  }
};

/// As text for Prometheus, format 0.0.4.
std::string prometheus_text(const Counters& counters);

}  // namespace whorl::serve
