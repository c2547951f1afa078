#include "studies/fhd/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/device_runtime.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::fhd {

namespace {

// A device's name without its free memory; for a CPU with the number of threads.
std::string name_of(const Context& ctx) {
  const Device device = ctx.device();
  std::string name = kernels::runtime_of(device.kind)->name(device.index);
  if (device.kind == DeviceKind::cpu) name += fmt::format(", {} threads", ctx.threads());
  return name;
}

std::string words(const Tuning& tuning) {
  return fmt::format("{} threads, chunks of {} samples, {} at a time", tuning.threads, tuning.chunk, tuning.unroll);
}

}  // namespace

std::vector<Tuning> combinations(const std::vector<int>& threads, const std::vector<int>& chunks,
                                 const std::vector<int>& unrolls) {
  std::vector<Tuning> all;
  for (const int thread : threads) {
    for (const int chunk : chunks) {
      for (const int unroll : unrolls) all.push_back({thread, chunk, unroll});
    }
  }
  return all;
}

Tuning Tuner::choose(const Context& ctx, const std::vector<Tuning>& candidates,
                     const std::function<double(const Tuning&)>& ms_of) {
  const std::string device = name_of(ctx);
  tried_.clear();
  if (file_ && !again_) {
    const std::optional<Tuning> kept = kept_tuning(*file_, device);
    // A file of another version may have sizes that no longer exist.
    if (kept && std::find(candidates.begin(), candidates.end(), *kept) != candidates.end()) {
      remark_ = fmt::format("Tuned: {} (from {}; --retune searches again)", words(*kept), file_->string());
      return *kept;
    }
  }
  Tuning best;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  ProgressStage progress(ctx, "tuning", static_cast<Index>(candidates.size()));
  for (const Tuning& candidate : candidates) {
    const double ms = ms_of(candidate);
    tried_.push_back({candidate, ms});
    if (ms < least) best = candidate;
    least = std::min(least, ms);
    most = std::max(most, ms);
    progress.advance();
  }
  remark_ = fmt::format("Tuned: {}, the best of {}, {:.2g} times as fast as the worst", words(best), candidates.size(),
                        most / least);
  if (file_) {
    try {
      keep_tuning(*file_, device, best);
      remark_ += fmt::format("; kept in {}", file_->string());
    } catch (const IoError& error) {
      // The study goes on without; the next run searches again.
      remark_ += fmt::format("; not kept: {}", error.what());
    }
  }
  return best;
}

}  // namespace whorl::studies::fhd
