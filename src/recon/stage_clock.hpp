// Time per stage of a reconstruction.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl::recon {

/// Adds up the time of named stages, in the order in which they first ran.
class StageClock {
 public:
  explicit StageClock(const Context& ctx) : ctx_(ctx) {}

  template <class Work>
  auto time(const std::string& stage, const Work& work) {
    const Timer timer(*this, stage);
    return work();
  }

  std::vector<std::pair<std::string, double>> take() { return std::move(seconds_); }

 private:
  using Clock = std::chrono::steady_clock;

  class Timer {
   public:
    Timer(StageClock& clock, const std::string& stage) : clock_(clock), stage_(stage) {}
    ~Timer() {
      clock_.wait();
      clock_.add(stage_, std::chrono::duration<double>(Clock::now() - start_).count());
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    StageClock& clock_;
    const std::string& stage_;
    Clock::time_point start_ = Clock::now();
  };

  // A stage has ended when the device has done its work. An error of that work is thrown by the next call that waits.
  void wait() const noexcept {
    try {
      ctx_.synchronize();
    } catch (const Error&) {
    }
  }

  void add(const std::string& stage, double seconds) {
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
