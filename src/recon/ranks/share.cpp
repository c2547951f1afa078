// Ranks: A Communicator (comm/communicator.hpp) is a group of processes (MPI), of threads (one for each GPU) or of one
// process. MPI and NCCL are called by two modules, each through a table of functions (comm/mpi_calls.hpp,
// comm/nccl_calls.hpp), which comm/world and comm/nccl load as modules for GPUs are loaded. agree makes a failure of
// one rank one of all; collective calls follow an agreement, so that no rank waits for one that failed. In a
// reconstruction (recon/ranks) a Share says which frames a team of ranks has, and which coils a rank of the team. The
// leader of a team runs the solver with SpreadEncodings::whole, the others serve it: they apply what the leader asks
// for. So the ranks need no equal decisions, and solvers know nothing of ranks. Leaders read the data of their frames
// (recon/shared_frames: which; ReconResources::frame_data: where trajectories decide) and send the others those of their
// coils (ranks/team_data). The first rank collects the images, writes and speaks.
#include "recon/ranks/share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/device_runtime.hpp"
#include "recon/memory_needs.hpp"
#include "recon/methods/entry.hpp"
#include "whorl/comm/nccl.hpp"
#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

// Whether slices come in turns: what is chosen for one holds for its later frames.
bool in_turns(std::span<const int> slices) {
  Index changes = 1;
  for (std::size_t f = 1; f < slices.size(); ++f) changes += slices[f] != slices[f - 1] ? 1 : 0;
  return changes > count_of_slices(slices);
}

// The first frame of each unit of work that is not taken apart, and the end: of frames.
std::vector<Index> frame_starts(std::span<const int> slices) {
  const auto frames = static_cast<Index>(slices.size());
  if (in_turns(slices)) return {0, frames};
  std::vector<Index> starts(slices.size() + 1);
  std::iota(starts.begin(), starts.end(), Index{0});
  return starts;
}

int team_of(int rank, int ranks, Index teams) { return static_cast<int>(rank * teams / ranks); }

FrameRange frames_of(int team, Index teams, const std::vector<Index>& starts) {
  const auto units = static_cast<Index>(starts.size()) - 1;
  const auto start = [&](Index number) { return starts[static_cast<std::size_t>(units * number / teams)]; };
  return {start(team), start(team + 1)};
}

// Shares of the pool: blocks of the caller's stream, and of those beside it (kernels/side_by_side.hpp, 1 and up), may still be
// in their work when they come back.
constexpr int other_branch = -1;

}  // namespace

CoilRange coils_of(int rank, int ranks, Index coils) {
  const Index first = coils * rank / ranks;
  return {first, coils * (rank + 1) / ranks - first};
}

std::vector<Index> unit_starts(const Scan& scan, std::span<const int> slices, Index together,
                               const ReconOptions& options) {
  const bool alone = options.regularized.terms.empty() && options.subspace == nullptr;
  if (alone || in_turns(slices)) return frame_starts(slices);
  std::vector<Index> starts;
  for (const FrameGroup& group : frame_groups(scan, together, frames_share(options))) starts.push_back(group.first);
  starts.push_back(static_cast<Index>(slices.size()));
  return starts;
}

Index most_of_team(const ReconOptions& options, Index coils) { return method_of(options).least_squares ? coils : 1; }

Seat seat_of(int rank, int ranks, const std::vector<Index>& starts) {
  Seat seat{.teams = std::min<Index>(ranks, static_cast<Index>(starts.size()) - 1), .team_size = 0};
  seat.team = team_of(rank, ranks, seat.teams);
  for (int other = 0; other < ranks; ++other) {
    if (team_of(other, ranks, seat.teams) != seat.team) continue;
    ++seat.team_size;
    seat.place += other < rank ? 1 : 0;
  }
  seat.frames = frames_of(seat.team, seat.teams, starts);
  return seat;
}

Index first_of_slice(std::span<const int> slices, Index frame) {
  const auto slice = [&](Index f) { return slices[static_cast<std::size_t>(f)]; };
  while (frame > 0 && slice(frame - 1) == slice(frame)) --frame;
  return frame;
}

Share::Share(const Context& ctx, const Scan& scan, std::span<const int> slices, Index together,
             const ReconOptions& options)
    : Share(ctx, options.resources.ranks, unit_starts(scan, slices, together, options), coils_used(scan, options),
            most_of_team(options, coils_used(scan, options)), "frames") {}

Share::Share(const Context& ctx, std::shared_ptr<Communicator> ranks, const std::vector<Index>& starts, Index coils,
             Index most, const std::string& units)
    : ranks_(ranks != nullptr ? std::move(ranks) : whorl::alone()),
      team_(whorl::alone()),
      frames_{0, starts.back()},
      coils_{0, coils} {
  if (alone()) return;
  const int size = ranks_->size();
  const Seat seat = seat_of(ranks_->rank(), size, starts);
  const Index teams = seat.teams;
  const int team = seat.team;
  place_ = seat.place;
  frames_ = seat.frames;
  idle_ = place_ >= most;
  const bool any_team = teams < size;
  note_ =
      fmt::format("Ranks: {} by {}; {} of {} {} at a time.", size, ranks_->transport(), teams, starts.back(), units);
  if (!any_team) return;
  std::shared_ptr<Communicator> own_team = ranks_->split(2 * team + (idle_ ? 1 : 0));
  if (idle_) return;
  team_ = std::move(own_team);
  coils_ = coils_of(team_->rank(), team_->size(), coils);
  DeviceRanks on_device = with_nccl(team_, ctx);
  team_ = std::move(on_device.ranks);
  const Index largest = std::min<Index>(most, (size + teams - 1) / teams);
  note_ =
      fmt::format("Ranks: {} by {}; {} of {} {} at a time, the coils of each on up to {} ranks.", size,
                  team_->size() > 1 ? team_->transport() : ranks_->transport(), teams, starts.back(), units, largest);
  if (ctx.device().kind == DeviceKind::cuda && !on_device.why_not.empty()) {
    note_ += fmt::format(" Their sums go through the host's memory: {}.", on_device.why_not);
  }
  if (largest * teams < size) {
    note_ += fmt::format(" {} ranks have no work: start at most {}.", size - largest * teams, most * teams);
  }
}

std::vector<bool> needed_frames(const Scan& scan, std::span<const int> slices, FrameRange own, int place,
                                Index together, const ReconOptions& options) {
  std::vector<bool> needed(slices.size(), false);
  const bool regularized = !options.regularized.terms.empty();
  // The leader sends the others what they need of the data (with_group_encodings, scatter_coils).
  if (place > 0) return needed;
  const auto need = [&](Index frame) { needed[static_cast<std::size_t>(frame)] = true; };
  for (Index f = own.first; f < own.last; ++f) {
    need(f);
    need(first_of_slice(slices, f));
  }
  const FrameRange since{first_of_slice(slices, own.first), own.first};
  if (regularized && since.count() > 0) {  // the unit of the weights is that of the slice's first group
    const FrameGroup first = frame_groups(scan, since, together, frames_share(options)).front();
    for (Index f = 0; f < std::ssize(first.frames); ++f) need(first.first + f);
  }
  if (options.maps_from != CoilMapData::all_frames) return needed;
  const std::set<int> own_slices(slices.begin() + own.first, slices.begin() + own.last);
  for (std::size_t f = 0; f < slices.size(); ++f) {
    if (own_slices.contains(slices[f])) needed[f] = true;
  }
  return needed;
}

std::vector<bool> Share::solved_frames(std::span<const int> slices) const {
  std::vector<bool> solved(slices.size(), false);
  for (Index f = frames_.first; f < frames_.last; ++f) {
    solved[static_cast<std::size_t>(f)] = true;
    solved[static_cast<std::size_t>(first_of_slice(slices, f))] = true;
  }
  return solved;
}

void Share::read_data(Run& run, std::span<const int> slices, const std::vector<std::size_t>& order, Index together,
                      const ReconOptions& options, Scan& scan) const {
  if (!options.resources.frame_data) return;
  std::vector<bool> needed(slices.size(), true);
  if (!alone()) needed = needed_frames(scan, slices, frames_, place_, together, options);
  read_frames(run, needed, order, options, scan);
}

void read_frames(Run& run, const std::vector<bool>& needed, const std::vector<std::size_t>& order,
                 const ReconOptions& options, Scan& scan) {
  std::vector<std::size_t> places;
  std::vector<Index> numbers;  // in the scan that was given
  for (std::size_t f = 0; f < needed.size(); ++f) {
    if (!needed[f]) continue;
    places.push_back(f);
    numbers.push_back(static_cast<Index>(order.empty() ? f : order[f]));
  }
  std::vector<Array<std::complex<float>>> data =
      run.time(stages::reading, [&] { return options.resources.frame_data(run.ctx.host(), numbers); });
  for (std::size_t i = 0; i < places.size(); ++i) {
    ScanFrame& frame = scan.frames[places[i]];
    const Shape expected{scan.coils, frame.trajectory->samples()};
    if (data[i].shape() != expected) {
      throw ShapeError(fmt::format("reconstruction: data of shape {} for frame {}, expected {}",
                                   to_string(data[i].shape()), numbers[i], to_string(expected)));
    }
    frame.data = std::move(data[i]);
  }
}

Context context_for(const Context& ctx, bool host_takes_part) {
  if (!host_takes_part || ctx.device().kind != DeviceKind::cuda) return ctx;
  ctx.synchronize();
  // Work of CUDA's default stream is not recorded.
  return ctx.branch(kernels::runtime_of(DeviceKind::cuda)->make_queue(ctx.device().index, nullptr), other_branch);
}

}  // namespace whorl::recon
