// The peak memory of one of several reconstructions of a process.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/io/record.hpp"

namespace whorl::job {

/// Peak memory of the arrays on a device, and on its host, from when it is made on. What others hold at the time counts.
class OwnPeak {
 public:
  explicit OwnPeak(const Context& device) : device_(device), host_(device.host()) {
    device_.pool().restart_peak();
    host_.pool().restart_peak();
  }

  void keep_in(RunRecord& record) const {
    record.arrays_peak = device_.pool().statistics().peak;
    record.host_arrays_peak = host_.pool().statistics().peak;
  }

 private:
  Context device_;
  Context host_;
};

}  // namespace whorl::job
