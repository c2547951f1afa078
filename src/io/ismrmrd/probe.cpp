#include "io/ismrmrd/probe.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <map>
#include <mutex>

#include "whorl/math/fft.hpp"

namespace whorl::io {

namespace {

/// Energy along the readouts in image space; bins of different lengths are those of the first one.
std::vector<double> profile(const Context& ctx, const std::vector<ProbedReadout>& readouts) {
  const Index length = readouts.front().length;
  std::vector<double> energy(static_cast<std::size_t>(length));
  for (const ProbedReadout& readout : readouts) {
    if (readout.length != length) continue;
    Array<std::complex<float>> lines(ctx, {std::ssize(readout.samples) / length, length});
    std::copy(readout.samples.begin(), readout.samples.end(), lines.data());
    centered_fft(ctx, FftDirection::inverse, lines, 1);
    for (Index i = 0; i < lines.size(); ++i) {
      energy[static_cast<std::size_t>(i % length)] += static_cast<double>(std::norm(lines.data()[i]));
    }
  }
  return energy;
}

/// Calls `visit` with the positions of image readouts and the number of their columns, in the threads of the context, until it
/// returns false.
template <class Visit>
void visit_positions(const Context& ctx, const SortedFile& sorted, Visit visit) {
  std::atomic<bool> going = true;
  const auto wanted = [&](Index number) -> AcquisitionParts {
    const bool image = sorted.plan.destinations[static_cast<std::size_t>(number)].kind == Destination::Kind::frame;
    return {.positions = image && going, .samples = false};
  };
  sorted.file.read_acquisitions(
      ctx, sorted.heads, wanted, [&](Index number, std::span<const float> positions, auto /*samples*/) {
        if (sorted.plan.destinations[static_cast<std::size_t>(number)].kind != Destination::Kind::frame) return;
        if (!visit(positions, std::size_t{sorted.head(number).trajectory_dimensions})) going = false;
      });
}

}  // namespace

std::vector<Index> SortedFile::image_readouts() const {
  std::vector<Index> numbers;
  for (const FramePlan& frame : plan.frames) {
    numbers.insert(numbers.end(), frame.acquisitions.begin(), frame.acquisitions.end());
  }
  return numbers;
}

double ProbedReadout::energy(Index sample) const {
  if (sample < 0 || sample >= length) return 0;
  double sum = 0;
  for (auto i = static_cast<std::size_t>(sample); i < samples.size(); i += static_cast<std::size_t>(length)) {
    sum += static_cast<double>(std::norm(samples[i]));
  }
  return sum;
}

std::vector<ProbedReadout> read_readouts(const Context& ctx, const SortedFile& sorted, std::vector<Index> numbers) {
  std::vector<ProbedReadout> readouts(numbers.size());
  std::map<Index, std::size_t> place_of;
  for (std::size_t i = 0; i < numbers.size(); ++i) place_of.emplace(numbers[i], i);
  const auto wanted = [&](Index number) -> AcquisitionParts {
    return {.positions = false, .samples = place_of.contains(number)};
  };
  sorted.file.read_acquisitions(ctx, sorted.heads, wanted,
                                [&](Index number, std::span<const float> /*trajectory*/, auto data) {
                                  const auto place = place_of.find(number);
                                  if (place == place_of.end()) return;
                                  const AcquisitionHead& head = sorted.head(number);
                                  ProbedReadout& made = readouts[place->second];
                                  made.number = number;
                                  made.length = head.kept();
                                  for (Index coil = 0; coil < head.active_channels; ++coil) {
                                    const auto from = data.begin() + coil * head.number_of_samples + head.discard_pre;
                                    made.samples.insert(made.samples.end(), from, from + made.length);
                                  }
                                });
  return readouts;
}

std::vector<Index> nearest_to_center(const SortedFile& sorted, const EncodingHeader& header, std::vector<Index> numbers,
                                     std::size_t most) {
  const auto distance = [&](Index number) {
    const AcquisitionCounters& idx = sorted.head(number).idx;
    return std::abs(idx.kspace_encode_step_1 - header.center_1.value_or(header.encoded.matrix[1] / 2)) +
           std::abs(idx.kspace_encode_step_2 - header.center_2.value_or(header.encoded.matrix[2] / 2));
  };
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](Index one, Index other) { return distance(one) < distance(other); });
  numbers.resize(std::min(numbers.size(), most));
  return numbers;
}

ProbedReadout mirrored(const ProbedReadout& half) {
  const auto length = static_cast<std::size_t>(half.length);
  ProbedReadout whole{half.number, 2 * half.length - 1, {}};
  for (std::size_t line = 0; line < half.samples.size(); line += length) {
    const std::complex<float> center = half.samples[line];
    const std::complex<float> turn = std::abs(center) > 0 ? std::conj(center) / std::abs(center) : 1.0F;
    for (std::size_t i = length; i-- > 1;) whole.samples.push_back(std::conj(turn * half.samples[line + i]));
    for (std::size_t i = 0; i < length; ++i) whole.samples.push_back(turn * half.samples[line + i]);
  }
  return whole;
}

bool lies_within(const Context& ctx, const std::vector<ProbedReadout>& readouts, double part) {
  const std::vector<double> energy = profile(ctx, readouts);
  // The least fifth of the bins has noise alone, or the least of the object.
  std::vector<double> sorted = energy;
  std::sort(sorted.begin(), sorted.end());
  const double floor = sorted[sorted.size() / 5];
  const auto length = static_cast<double>(energy.size());
  double all = 0;
  double outside = 0;
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double above = std::max(0.0, energy[i] - floor);
    const double from_center = std::abs(static_cast<double>(i) - std::floor(length / 2));
    all += above;
    if (from_center > part * length / 2) outside += above;
  }
  constexpr double most_outside = 0.05;
  return outside <= most_outside * all;
}

bool any_in_column(const Context& ctx, const SortedFile& sorted, int column) {
  std::atomic<bool> found = false;
  visit_positions(ctx, sorted, [&](std::span<const float> positions, std::size_t columns) {
    for (auto i = static_cast<std::size_t>(column); i < positions.size(); i += columns) {
      if (positions[i] != 0) found = true;
    }
    return !found;
  });
  return found;
}

std::array<double, 3> largest_positions(const Context& ctx, const SortedFile& sorted, int dim) {
  std::array<double, 3> largest{};
  std::mutex guard;
  visit_positions(ctx, sorted, [&](std::span<const float> positions, std::size_t columns) {
    std::array<double, 3> here{};
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::size_t axis = i % columns;
      if (axis < static_cast<std::size_t>(dim))
        here[axis] = std::max(here[axis], static_cast<double>(std::abs(positions[i])));
    }
    const std::scoped_lock lock(guard);
    for (std::size_t axis = 0; axis < 3; ++axis) largest[axis] = std::max(largest[axis], here[axis]);
    return true;
  });
  return largest;
}

}  // namespace whorl::io
