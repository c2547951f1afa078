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

Tuning Tuner::choose(const Context& ctx, const std::string& kernel, const std::vector<Tuning>& candidates,
                     const std::function<bench::Timing(const Tuning&)>& time_of) {
  const std::string device = name_of(ctx);
  if (file_ && !again_) {
    const std::optional<Tuning> kept = kept_tuning(*file_, device, kernel);
    // A file of another version may have sizes that no longer exist.
    if (kept && std::find(candidates.begin(), candidates.end(), *kept) != candidates.end()) {
      searches_.push_back({kernel, *kept, {}});
      return *kept;
    }
  }
  Search search{kernel, {}, {}};
  double least = std::numeric_limits<double>::infinity();
  ProgressStage progress(ctx, "tuning " + kernel, static_cast<Index>(candidates.size()));
  for (const Tuning& candidate : candidates) {
    const bench::Timing timing = time_of(candidate);
    search.trials.push_back({candidate, timing.median_ms, timing.spread});
    if (timing.median_ms < least) search.best = candidate;
    least = std::min(least, timing.median_ms);
    progress.advance();
  }
  if (file_) {
    try {
      keep_tuning(*file_, device, kernel, search.best);
    } catch (const IoError& error) {
      not_kept_ = error.what();  // the study goes on; the next run searches again
    }
  }
  searches_.push_back(std::move(search));
  return searches_.back().best;
}

std::string Tuner::remark() const {
  if (searches_.empty()) return {};
  const auto searched = static_cast<std::size_t>(
      std::count_if(searches_.begin(), searches_.end(), [](const Search& search) { return !search.trials.empty(); }));
  std::string text =
      fmt::format("Sizes of {} kernels: {} searched, the best of all combinations each", searches_.size(), searched);
  if (searched < searches_.size() && file_) {
    text += fmt::format("; {} from {} (--retune searches again)", searches_.size() - searched, file_->string());
  }
  if (!not_kept_.empty()) return text + "; not kept: " + not_kept_;
  return file_ && searched > 0 ? text + fmt::format("; kept in {}", file_->string()) : text;
}

}  // namespace whorl::studies::fhd
