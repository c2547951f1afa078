#include "whorl/recon/shared_frames.hpp"

#include "recon/memory_needs.hpp"
#include "recon/ranks/share.hpp"

namespace whorl {

bool groups_by_trajectory(const ReconOptions& options) {
  return !options.regularized.terms.empty() && recon::frames_share(options) == recon::FramesShare::trajectory;
}

FramesRead frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& given) {
  const ReconOptions options = recon::working_options(given, {});
  const std::vector<std::size_t> order = recon::solving_order(scan, options);
  Scan sorted;
  for (const std::size_t number : order) {
    const ScanFrame& frame = scan.frames[number];
    sorted.frames.push_back({frame.index, nullptr, nullptr, {}, frame.geometry});
  }
  const std::vector<int> slices = recon::slices_of(sorted);
  // Terms that join frames take all those of a slice.
  const auto together = static_cast<Index>(slices.size());
  const recon::Seat seat =
      recon::seat_of(ranks.rank(), ranks.size(), recon::unit_starts(sorted, slices, together, options));
  const std::vector<bool> needed = recon::needed_frames(sorted, slices, seat.frames, 0, together, options);
  FramesRead read{std::vector<bool>(slices.size()), std::vector<bool>(slices.size())};
  for (std::size_t f = 0; f < needed.size(); ++f) {
    read.positions[order[f]] = needed[f];
    read.data[order[f]] = needed[f] && seat.place == 0;
  }
  return read;
}

}  // namespace whorl
