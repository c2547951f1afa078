#include "recon/rehearsal/team_work.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <functional>
#include <numeric>

#include "recon/memory.hpp"
#include "recon/subspace/slice_frames.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

// As SpreadEncodings sends it.
constexpr std::size_t order_bytes = 16;

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

double least_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double least = 0;
  for (int i = 0; i < 4; ++i) {
    const Clock::time_point start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (i == 0 || seconds < least) least = seconds;
  }
  return least;
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

double message_seconds(const Context& ctx, Communicator& team, const Shape& image) {
  Array<Complex> x(ctx, image);
  Array<Complex> sum(ctx, image);
  fill<Complex>(ctx, x, 0);
  fill<Complex>(ctx, sum, 0);
  std::array<std::byte, order_bytes> order{};
  return least_seconds([&] {
    team.broadcast(order, 0);
    team.broadcast(ctx, x, 0);
    team.sum(ctx, sum, 0);
    ctx.synchronize();
    static_cast<void>(team.gather({}, 0));
  });
}

double collecting_seconds(Communicator& ranks, const Shape& image) {
  const std::vector<std::byte> own(static_cast<std::size_t>(image.size()) * sizeof(Complex));
  return least_seconds([&] { static_cast<void>(ranks.gather(own, 0)); });
}

}  // namespace whorl::recon
