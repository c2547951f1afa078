#include "io/ismrmrd/places/reversal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iterator>
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

/// Lines of one frame and partition near the center, on the raster of their steps.
class Lines {
 public:
  Lines(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, const std::vector<Index>& frame)
      : ctx_(ctx), sorted_(sorted) {
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

  /// The energy of each voxel of the image, [y, x].
  template <class Turned>
  std::vector<double> image(const Turned& is_turned, Index shift) const {
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
    std::vector<double> energy(static_cast<std::size_t>(rows * length));
    for (Index i = 0; i < grid.size(); ++i) {
      energy[static_cast<std::size_t>(i % (rows * length))] += static_cast<double>(std::norm(grid.data()[i]));
    }
    return energy;
  }

  Index length() const { return readouts_.front().length; }

 private:
  template <class Turned>
  double concentration(const Turned& is_turned, Index shift) const {
    double sum = 0;
    double squares = 0;
    for (const double energy : image(is_turned, shift)) {
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

/// How alike two images are, 1 for multiples of each other; `mirrored`: with the second one mirrored along x.
double likeness(const std::vector<double>& one, const std::vector<double>& other, Index length, bool mirrored) {
  double common = 0;
  double of_one = 0;
  double of_other = 0;
  for (Index i = 0; i < std::ssize(one); ++i) {
    const Index x = i % length;
    const Index from = mirrored ? i - x + (2 * (length / 2) + length - x) % length : i;
    const double a = one[static_cast<std::size_t>(i)];
    const double b = other[static_cast<std::size_t>(from)];
    common += a * b;
    of_one += a * a;
    of_other += b * b;
  }
  return of_one > 0 && of_other > 0 ? common / std::sqrt(of_one * of_other) : 0;
}

/// Contrasts of the first slice that are mirrored along x beside the first one: read by the other gradient, as those of bipolar echoes.
std::set<int> mirrored_contrasts(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header) {
  const FramePlan& first = sorted.plan.frames.front();
  const auto as_it_is = [](Index) { return false; };
  const Lines lines(ctx, sorted, header, first.acquisitions);
  std::set<int> mirrored;
  std::vector<double> image;
  for (const FramePlan& frame : sorted.plan.frames) {
    if (frame.index.slice != first.index.slice || frame.index.contrast == first.index.contrast ||
        frame.acquisitions.size() != first.acquisitions.size() || mirrored.contains(frame.index.contrast)) {
      continue;
    }
    const Lines others(ctx, sorted, header, frame.acquisitions);
    if (lines.count() < few || others.count() != lines.count() || others.length() != lines.length()) continue;
    if (image.empty()) image = lines.image(as_it_is, 0);
    const std::vector<double> other = others.image(as_it_is, 0);
    if (other.size() != image.size()) continue;
    const double unlike = 1 - likeness(image, other, lines.length(), false);
    constexpr double at_least = 0.1;
    constexpr double much_more = 4;
    if (unlike > at_least && unlike > much_more * (1 - likeness(image, other, lines.length(), true))) {
      mirrored.insert(frame.index.contrast);
    }
  }
  return mirrored;
}

void change_flags(Measurement& measurement, const std::set<Index>& numbers) {
  for (const Index number : numbers) {
    measurement.heads[static_cast<std::size_t>(number)].flags ^= std::uint64_t{1}
                                                                 << (ISMRMRD::ISMRMRD_ACQ_IS_REVERSE - 1);
  }
}

void settle_mirrored_contrasts(const Context& ctx, Measurement& measurement, const SortedFile& sorted,
                               EncodingHeader& header) {
  const std::set<int> mirrored = mirrored_contrasts(ctx, sorted, header);
  if (mirrored.empty()) return;
  std::set<Index> numbers;
  for (const FramePlan& frame : sorted.plan.frames) {
    if (mirrored.contains(frame.index.contrast)) numbers.insert(frame.acquisitions.begin(), frame.acquisitions.end());
  }
  change_flags(measurement, numbers);
  header.notes.emplace_back(disagreement(fmt::format(
      "the image of contrast {} is mirrored along x and its readouts are not flagged as reversed, as they were taken.",
      fmt::join(mirrored, ", "))));
}

}  // namespace

void settle_reversal(const Context& ctx, Measurement& measurement, const AcquisitionPlan& plan,
                     EncodingHeader& header) {
  if (plan.coils == 0) return;
  const SortedFile sorted{*measurement.source, measurement.heads, plan, measurement.name};
  const std::vector<Index> all = sorted.image_readouts();
  std::set<Index> flagged;
  std::ranges::copy_if(all, std::inserter(flagged, flagged.end()),
                       [&](Index number) { return sorted.head(number).is_reversed(); });
  if (flagged.size() == all.size()) return;
  std::set<Index> others;
  for (const FramePlan& frame : plan.frames) {
    for (std::size_t i = 1; i < frame.acquisitions.size(); i += 2) others.insert(frame.acquisitions[i]);
  }
  if (!flagged.empty()) others.clear();
  if (flagged.empty()) settle_mirrored_contrasts(ctx, measurement, sorted, header);
  const Lines lines(ctx, sorted, header, plan.frames.front().acquisitions);
  if (lines.count() < few) return;
  const double stated = lines.concentration([&](Index number) { return flagged.contains(number); });
  const double instead = lines.concentration([&](Index number) { return others.contains(number); });
  constexpr double clearly = 1.15;
  if (!(instead > clearly * stated)) return;
  change_flags(measurement, flagged.empty() ? others : flagged);
  header.notes.emplace_back(disagreement(
      flagged.empty()
          ? std::string("every second line runs backward and is not flagged as reversed: the image has less of a "
                        "ghost with these turned about, as they were taken.")
          : fmt::format("{} readouts are flagged as reversed, and the image has less of a ghost where they run "
                        "forward, as they were taken.",
                        flagged.size())));
}

}  // namespace whorl::io
