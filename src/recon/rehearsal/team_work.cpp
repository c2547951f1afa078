#include "recon/rehearsal/team_work.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <numeric>

#include "core/stopwatch.hpp"
#include "recon/memory.hpp"
#include "recon/ranks/collect.hpp"
#include "recon/ranks/team_data.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/comm/agree.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

// As SpreadEncodings sends it.
constexpr std::size_t order_bytes = 16;
// Enough of them for the time of one.
constexpr Index voxels_collected = Index{1} << 21;

// Some frames of a scan without their data.
Scan outline(const Scan& scan, const std::vector<std::size_t>& numbers) {
  Scan lines;
  lines.matrix = scan.matrix;
  lines.coils = scan.coils;
  lines.trajectory_kind = scan.trajectory_kind;
  for (const std::size_t number : numbers) {
    const ScanFrame& frame = scan.frames[number];
    lines.frames.push_back({frame.index, frame.trajectory, frame.weights, {}, frame.geometry});
  }
  return lines;
}

std::vector<std::size_t> numbers_from(Index first, Index last) {
  std::vector<std::size_t> numbers(static_cast<std::size_t>(last - first));
  std::iota(numbers.begin(), numbers.end(), static_cast<std::size_t>(first));
  return numbers;
}

std::vector<TeamWork> teams_of(const Scan& scan, int ranks, const std::vector<Index>& starts, Index most,
                               const std::function<std::vector<std::size_t>(FrameRange)>& frames_in) {
  std::vector<TeamWork> teams;
  for (int rank = 0; rank < ranks; ++rank) {
    const Seat seat = seat_of(rank, ranks, starts);
    if (seat.place == 0)
      teams.push_back({outline(scan, frames_in(seat.frames)), std::min<Index>(seat.team_size, most)});
  }
  return teams;
}

}  // namespace

Scan outline_as_solved(const Scan& scan, const ReconOptions& options) {
  return outline(scan, is_sorted_by_slice(options) ? order_by_slice(scan) : numbers_from(0, std::ssize(scan.frames)));
}

std::vector<TeamWork> work_of_teams(const Scan& scan, const ReconOptions& options, Index together, int ranks) {
  const Scan solved = outline_as_solved(scan, options);
  const std::vector<int> slices = slices_of(solved);
  return teams_of(solved, ranks, unit_starts(solved, slices, together, options),
                  most_of_team(options, coils_used(scan, options)),
                  [](FrameRange range) { return numbers_from(range.first, range.last); });
}

std::vector<TeamWork> subspace_work_of_teams(const Scan& scan, const ReconOptions& options, int ranks) {
  return teams_of(scan, ranks, slice_units(scan, options), coils_used(scan, options), [&](FrameRange range) {
    const std::vector<bool> belongs = in_slices(scan, range);
    std::vector<std::size_t> frames;
    for (std::size_t f = 0; f < belongs.size(); ++f) {
      if (belongs[f]) frames.push_back(f);
    }
    return frames;
  });
}

MessageSeconds message_seconds(const Context& ctx, Communicator& team, const Shape& image) {
  Array<Complex> x(ctx, image);
  Array<Complex> sum(ctx, image);
  fill<Complex>(ctx, x, 0);
  fill<Complex>(ctx, sum, 0);
  ctx.synchronize();
  std::array<std::byte, order_bytes> order{};
  MessageSeconds found;
  for (int i = 0; i < 4; ++i) {
    const Stopwatch watch;
    team.broadcast(order, 0);
    team.broadcast(ctx, x, 0);
    team.sum(ctx, sum, 0);
    ctx.synchronize();
    static_cast<void>(team.gather({}, 0));
    const double seconds = watch.seconds();
    if (i == 0) found.first = seconds;
    found.each = i == 0 ? seconds : std::min(found.each, seconds);
  }
  found.first -= found.each;
  return found;
}

double scattering_seconds(const Context& ctx, Share& share, const Scan& scan) {
  const ScanFrame& frame = scan.frames.front();
  Scan one;
  one.coils = scan.coils;
  agree_within(share.team(), [&] {
    auto data = share.leads() ? clone<Complex>(ctx, frame.data) : Array<Complex>(ctx, {scan.coils, 0});
    one.frames.push_back({frame.index, frame.trajectory, nullptr, std::move(data), frame.geometry});
    ctx.synchronize();
  });
  Run run(ctx);
  const Stopwatch watch;
  scatter_coils(run, ctx, share, {true}, one);
  return watch.seconds() / static_cast<double>(frame.data.size());
}

double collecting_seconds(const Context& host, Share& share, const Shape& image) {
  TeamResult own;
  const Index images = std::max<Index>(1, voxels_collected / image.size());
  if (share.leads() && !share.is_first()) own.images = zeros<Complex>(host, image.with_front(1).with_front(images));
  agree(share.ranks(), [] {});  // all begin together
  Run run(host);
  const Stopwatch watch;
  // Once: memory that nobody used before takes longer, as it does in a reconstruction.
  static_cast<void>(collect(run, share.ranks(), share.leads() ? &own : nullptr));
  return watch.seconds() / static_cast<double>(images * image.size());
}

}  // namespace whorl::recon
