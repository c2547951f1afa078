#include "job/process_times.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace whorl::job {

namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point loaded = Clock::now();

}  // namespace

double process_seconds() { return std::chrono::duration<double>(Clock::now() - loaded).count(); }

void add_process_times(const ProcessTimes& times, RunRecord& record) {
  auto& stages = record.stage_seconds;
  stages.emplace(stages.begin(), "read", times.read);
  stages.emplace_back("write", times.write);
  if (times.start == 0) return;
  stages.emplace(stages.begin(), "start", times.start);
  record.process_seconds = process_seconds();
  const double said =
      std::accumulate(stages.begin(), stages.end(), 0.0, [](double sum, const auto& of) { return sum + of.second; });
  stages.emplace_back("other", std::max(record.process_seconds - said, 0.0));
}

}  // namespace whorl::job
