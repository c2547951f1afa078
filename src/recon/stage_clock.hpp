// Time per stage of a reconstruction.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl::recon {

/// Adds up the time of named stages, in the order in which they first ran. A stage has ended when the context's device
/// has done its work.
class StageClock {
 public:
  explicit StageClock(Context ctx) : ctx_(std::move(ctx)) {}

  template <class Work>
  auto time(const std::string& stage, const Work& work) {
    const Clock::time_point start = Clock::now();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      stop(stage, start);
    } else {
      auto result = work();
      stop(stage, start);
      return result;
    }
  }

  std::vector<std::pair<std::string, double>> take() { return std::move(seconds_); }

 private:
  using Clock = std::chrono::steady_clock;

  void stop(const std::string& stage, Clock::time_point start) {
    ctx_.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const auto found = std::find_if(seconds_.begin(), seconds_.end(), [&](const auto& s) { return s.first == stage; });
    if (found != seconds_.end()) {
      found->second += seconds;
    } else {
      seconds_.emplace_back(stage, seconds);
    }
  }

  Context ctx_;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace whorl::recon
