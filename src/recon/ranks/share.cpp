#include "recon/ranks/share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/device_runtime.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "whorl/comm/nccl.hpp"
#include "whorl/recon/shared_frames.hpp"

namespace whorl::recon {

namespace {

// Whether slices come in turns: what is chosen for one holds for its later frames.
bool in_turns(std::span<const int> slices) {
  std::size_t changes = 1;
  for (std::size_t f = 1; f < slices.size(); ++f) changes += slices[f] != slices[f - 1] ? 1 : 0;
  return changes > std::set<int>(slices.begin(), slices.end()).size();
}

// The first frame of each unit of work that is not taken apart, and the end: of frames.
std::vector<Index> frame_starts(std::span<const int> slices) {
  const auto frames = static_cast<Index>(slices.size());
  if (in_turns(slices)) return {0, frames};
  std::vector<Index> starts(slices.size() + 1);
  std::iota(starts.begin(), starts.end(), Index{0});
  return starts;
}

// With regularizers: of groups that are solved together.
std::vector<Index> unit_starts(const Scan& scan, std::span<const int> slices, Index together,
                               const ReconOptions& options) {
  if (options.regularizers.empty() || in_turns(slices)) return frame_starts(slices);
  std::vector<Index> starts;
  for (const FrameGroup& group : frame_groups(scan, together, frames_share(options))) starts.push_back(group.first);
  starts.push_back(static_cast<Index>(slices.size()));
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

Index frames_together(const ReconOptions& options, const MemoryNeeds& needs) {
  if (options.method != ReconMethod::cg_sense) return 1;
  Index fewest = needs.frames;
  if (options.regularizers.empty() || options.ranks == nullptr || options.ranks->size() == 1) return fewest;
  for (const auto& bytes : options.ranks->gather(std::as_bytes(std::span(&needs.frames, 1)), 0)) {
    Index there = 0;
    std::memcpy(&there, bytes.data(), sizeof(there));
    fewest = std::min(fewest, there);
  }
  options.ranks->broadcast(std::as_writable_bytes(std::span(&fewest, 1)), 0);
  return fewest;
}

Share::Share(const Context& ctx, const Scan& scan, std::span<const int> slices, Index together,
             const ReconOptions& options)
    : ranks_(options.ranks != nullptr ? options.ranks : whorl::alone()),
      team_(whorl::alone()),
      frames_{0, static_cast<Index>(slices.size())},
      coils_{0, coils_used(scan, options)} {
  if (alone()) return;
  const Index coils = coils_.count;
  const int size = ranks_->size();
  const std::vector<Index> starts = unit_starts(scan, slices, together, options);
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
  std::shared_ptr<Communicator> own_team = ranks_->split(2 * team + (idle_ ? 1 : 0));
  if (idle_) return;
  team_ = std::move(own_team);
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
  const bool needs_all = ranks.size() == 1 || !reads_own_frames(options);
  std::vector<bool> needed(frames.size(), needs_all);
  if (needs_all) return needed;
  const std::vector<Index> starts = recon::frame_starts(slices);
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
