#include "recon/ranks/share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/device_runtime.hpp"
#include "whorl/comm/nccl.hpp"
#include "whorl/recon/shared_frames.hpp"

namespace whorl::recon {

namespace {

// The first frame of each unit of work that is not taken apart, and the end.
std::vector<Index> unit_starts(std::span<const int> slices, const ReconOptions& options) {
  const auto frames = static_cast<Index>(slices.size());
  std::vector<Index> changes;
  for (Index f = 0; f < frames; ++f) {
    if (f == 0 || slices[static_cast<std::size_t>(f)] != slices[static_cast<std::size_t>(f - 1)]) changes.push_back(f);
  }
  const std::set<int> places(slices.begin(), slices.end());
  std::vector<Index> starts;
  if (changes.size() != places.size()) {
    starts = {0};  // slices come in turns: what is chosen for one holds for its later frames
  } else if (!options.regularizers.empty()) {
    starts = changes;  // the first group of a slice sets the unit of weights
  } else {
    for (Index f = 0; f < frames; ++f) starts.push_back(f);
  }
  starts.push_back(frames);
  return starts;
}

int team_of(int rank, int ranks, Index teams) { return static_cast<int>(rank * teams / ranks); }

FrameRange frames_of(int team, Index teams, const std::vector<Index>& starts) {
  const auto units = static_cast<Index>(starts.size()) - 1;
  const auto start = [&](Index number) { return starts[static_cast<std::size_t>(units * number / teams)]; };
  return {start(team), start(team + 1)};
}

Index count_teams(int ranks, const std::vector<Index>& starts) {
  return std::min<Index>(ranks, static_cast<Index>(starts.size()) - 1);
}

// Of the pool: blocks of the caller's stream, and of those beside it (kernels/side_by_side.hpp, 1 and up), may still be
// in their work when they come back.
constexpr int other_branch = -1;

CoilRange coils_of(int rank, int ranks, Index coils) {
  const Index first = coils * rank / ranks;
  return {first, coils * (rank + 1) / ranks - first};
}

}  // namespace

Index first_of_slice(std::span<const int> slices, Index frame) {
  const auto slice = [&](Index f) { return slices[static_cast<std::size_t>(f)]; };
  while (frame > 0 && slice(frame - 1) == slice(frame)) --frame;
  return frame;
}

Share::Share(const Context& ctx, std::shared_ptr<Communicator> ranks, std::span<const int> slices, Index coils,
             const ReconOptions& options)
    : ranks_(ranks != nullptr ? std::move(ranks) : whorl::alone()),
      team_(whorl::alone()),
      frames_{0, static_cast<Index>(slices.size())},
      coils_{0, coils} {
  if (alone()) return;
  const int size = ranks_->size();
  const std::vector<Index> starts = unit_starts(slices, options);
  const Index teams = count_teams(size, starts);
  const int team = team_of(ranks_->rank(), size, teams);
  frames_ = frames_of(team, teams, starts);
  int place = 0;  // of this rank in its team
  for (int before = 0; before < ranks_->rank(); ++before) place += team_of(before, size, teams) == team ? 1 : 0;
  const Index most = options.method == ReconMethod::cg_sense ? coils : 1;
  idle_ = place >= most;
  const bool any_team = teams < size;
  note_ = fmt::format("Ranks: {} by {}; {} of {} frames at a time.", size, ranks_->transport(), teams, slices.size());
  if (!any_team) return;
  std::shared_ptr<Communicator> together = ranks_->split(2 * team + (idle_ ? 1 : 0));
  if (idle_) return;
  team_ = std::move(together);
  coils_ = coils_of(team_->rank(), team_->size(), coils);
  DeviceRanks on_device = with_nccl(team_, ctx);
  team_ = std::move(on_device.ranks);
  const Index largest = std::min<Index>(most, (size + teams - 1) / teams);
  note_ = fmt::format("Ranks: {} by {}; {} of {} frames at a time, the coils of each on up to {} ranks.", size,
                      team_->size() > 1 ? team_->transport() : ranks_->transport(), teams, slices.size(), largest);
  if (ctx.device().kind == DeviceKind::cuda && !on_device.why_not.empty()) {
    note_ += fmt::format(" Their sums go through the host's memory: {}.", on_device.why_not);
  }
  if (largest * teams < size) {
    note_ += fmt::format(" {} ranks have no work: start at most {}.", size - largest * teams, most * teams);
  }
}

Context context_for(const Context& ctx, bool host_takes_part) {
  if (!host_takes_part || ctx.device().kind != DeviceKind::cuda) return ctx;
  ctx.synchronize();
  // Work of CUDA's default stream is not recorded.
  return ctx.branch(kernels::runtime_of(DeviceKind::cuda)->make_queue(ctx.device().index, nullptr), other_branch);
}

}  // namespace whorl::recon

namespace whorl {

bool reads_own_frames(const ReconOptions& options) {
  return options.maps_from == CoilMapData::first_frame && options.virtual_coils == 0 && options.regularizers.empty();
}

std::vector<bool> frames_read_by(const Communicator& ranks, std::span<const FrameIndex> frames,
                                 const ReconOptions& options) {
  std::vector<int> slices;
  for (const FrameIndex& frame : frames) slices.push_back(frame.slice);
  std::vector<bool> needed(frames.size(), ranks.size() == 1);
  if (ranks.size() == 1) return needed;
  const std::vector<Index> starts = recon::unit_starts(slices, options);
  const Index teams = recon::count_teams(ranks.size(), starts);
  const recon::FrameRange own = recon::frames_of(recon::team_of(ranks.rank(), ranks.size(), teams), teams, starts);
  needed[0] = true;  // the noise may be that of its edge of k-space
  for (Index f = own.first; f < own.last; ++f) {
    needed[static_cast<std::size_t>(f)] = true;
    needed[static_cast<std::size_t>(recon::first_of_slice(slices, f))] = true;
  }
  return needed;
}

}  // namespace whorl
