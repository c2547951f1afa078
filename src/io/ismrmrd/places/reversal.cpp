#include "io/ismrmrd/places/reversal.hpp"

#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "whorl/math/fft.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::io {

namespace {

using Complex = std::complex<float>;

constexpr std::size_t probed = 64;  // lines next to the center
constexpr std::size_t few = 8;      // tell nothing

bool is_flagged(const AcquisitionHead& head) { return head.flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE); }

/// Lines of one frame and partition near the center, on the raster of their steps.
class Lines {
 public:
  Lines(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) : ctx_(ctx), sorted_(sorted) {
    const std::vector<Index>& frame = sorted.plan.frames.front().acquisitions;
    const Index partition = sorted.head(nearest_to_center(sorted, header, frame, 1).front()).step(2);
    std::vector<Index> numbers;
    std::set<Index> steps;
    for (const Index number : frame) {
      const AcquisitionHead& head = sorted.head(number);
      if (head.step(2) == partition && steps.insert(head.step(1)).second) numbers.push_back(number);
    }
    readouts_ = read_readouts(ctx, sorted, nearest_to_center(sorted, header, numbers, probed));
    std::erase_if(readouts_, [&](const ProbedReadout& one) { return one.length != readouts_.front().length; });
    for (const ProbedReadout& one : readouts_) {
      const Index step = sorted.head(one.number).step(1);
      first_ = one.number == readouts_.front().number ? step : std::min(first_, step);
      last_ = std::max(last_, step);
    }
  }

  std::size_t count() const { return readouts_.size(); }

  /// Sum of the squares of the image's energies over the square of their sum, with these readouts turned about. Ghosts of every
  /// second line make it less. The center of what is turned lies between two samples, or at either.
  template <class Turned>
  double concentration(const Turned& is_turned) const {
    return std::max(concentration(is_turned, 0), concentration(is_turned, 1));
  }

 private:
  template <class Turned>
  double concentration(const Turned& is_turned, Index shift) const {
    const Index coils = sorted_.plan.coils;
    const Index length = readouts_.front().length;
    const Index rows = last_ - first_ + 1;
    Array<Complex> grid = zeros<Complex>(ctx_, {coils, rows, length});
    for (const ProbedReadout& one : readouts_) {
      const bool turned = is_turned(one.number);
      const Index row = sorted_.head(one.number).step(1) - first_;
      for (Index coil = 0; coil < coils; ++coil) {
        Complex* const to = grid.data() + (coil * rows + row) * length;
        for (Index i = 0; i < length; ++i) {
          const Index from = turned ? (2 * length - 1 - i + shift) % length : i;
          to[i] = one.samples[static_cast<std::size_t>(coil * length + from)];
        }
      }
    }
    centered_fft(ctx_, FftDirection::inverse, grid, 2);
    double sum = 0;
    double squares = 0;
    for (Index voxel = 0; voxel < rows * length; ++voxel) {
      double energy = 0;
      for (Index coil = 0; coil < coils; ++coil) {
        energy += static_cast<double>(std::norm(grid.data()[coil * rows * length + voxel]));
      }
      sum += energy;
      squares += energy * energy;
    }
    return sum > 0 ? squares / (sum * sum) : 0;
  }

  const Context& ctx_;
  const SortedFile& sorted_;
  std::vector<ProbedReadout> readouts_;
  Index first_ = 0;
  Index last_ = 0;
};

}  // namespace

void settle_reversal(const Context& ctx, Measurement& measurement, const AcquisitionPlan& plan,
                     EncodingHeader& header) {
  if (plan.coils == 0) return;
  const SortedFile sorted{*measurement.source, measurement.heads, plan, measurement.name};
  const std::vector<Index> all = sorted.image_readouts();
  std::set<Index> flagged;
  std::ranges::copy_if(all, std::inserter(flagged, flagged.end()),
                       [&](Index number) { return is_flagged(sorted.head(number)); });
  if (flagged.size() == all.size()) return;
  std::set<Index> others;
  for (const FramePlan& frame : plan.frames) {
    for (std::size_t i = 1; i < frame.acquisitions.size(); i += 2) others.insert(frame.acquisitions[i]);
  }
  if (!flagged.empty()) others.clear();
  const Lines lines(ctx, sorted, header);
  if (lines.count() < few) return;
  const double stated = lines.concentration([&](Index number) { return flagged.contains(number); });
  const double instead = lines.concentration([&](Index number) { return others.contains(number); });
  constexpr double clearly = 1.15;
  if (!(instead > clearly * stated)) return;
  for (const Index number : flagged.empty() ? others : flagged) {
    measurement.heads[static_cast<std::size_t>(number)].flags ^= std::uint64_t{1}
                                                                 << (ISMRMRD::ISMRMRD_ACQ_IS_REVERSE - 1);
  }
  header.notes.emplace_back(disagreement(
      flagged.empty()
          ? std::string("every second line runs backward and is not flagged as reversed: the image has less of a "
                        "ghost with these turned about, as they were taken.")
          : fmt::format("{} readouts are flagged as reversed, and the image has less of a ghost where they run "
                        "forward, as they were taken.",
                        flagged.size())));
}

}  // namespace whorl::io
