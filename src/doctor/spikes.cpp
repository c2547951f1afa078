// Single samples that do not belong to the signal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "doctor/check.hpp"

namespace whorl::doctor {

namespace {

constexpr double above_ring = 500;      // squared difference from the neighbors, over its median at this radius
constexpr double above_neighbors = 25;  // over the energy of the neighbors
constexpr Index bin = 64;               // samples of similar radius
constexpr Index least_samples = 4 * bin;
constexpr double nothing = 1e-12;  // of the largest energy: rounding of float

// Whether a sample is there: one that is 0 in all coils stands for one that was not measured.
bool is_measured(View<const std::complex<float>, 2> data, Index sample) {
  for (Index c = 0; c < data.extent(0); ++c) {
    if (data(c, sample) != std::complex<float>()) return true;
  }
  return false;
}

// The neighbors of a sample in its readout that were measured; -1 for others, and beyond its end.
std::array<Index, 2> neighbors(const ScanFrame& frame, Index sample) {
  const auto data = std::as_const(frame.data).view<2>();
  const Index samples = data.extent(1);
  const Index length = frame.trajectory->readout_length;
  const Index readout = length > 0 ? length : samples;
  const Index before = sample % readout > 0 ? sample - 1 : -1;
  const Index after = sample % readout + 1 < readout && sample + 1 < samples ? sample + 1 : -1;
  return {before >= 0 && is_measured(data, before) ? before : -1, after >= 0 && is_measured(data, after) ? after : -1};
}

struct Spike {
  std::size_t frame;
  Index sample;
};

// |y_j - mean of its neighbors|^2 and the mean energy of the neighbors, over all coils.
struct Jump {
  double difference = 0;
  double beside = 0;
};

Jump jump_at(const ScanFrame& frame, Index sample) {
  const auto data = frame.data.view<2>();
  const auto beside = neighbors(frame, sample);
  Jump jump;
  for (Index c = 0; c < data.extent(0); ++c) {
    std::complex<double> mean;
    double energy = 0;
    int count = 0;
    for (const Index other : beside) {
      if (other < 0) continue;
      mean += std::complex<double>(data(c, other));
      energy += std::norm(std::complex<double>(data(c, other)));
      ++count;
    }
    if (count == 0) return {};
    jump.difference += std::norm(std::complex<double>(data(c, sample)) - mean / static_cast<double>(count));
    jump.beside += energy / count;
  }
  return jump;
}

void find_in(const Context& ctx, const Scan& scan, std::size_t number, std::vector<Spike>& found) {
  const ScanFrame& frame = scan.frames[number];
  const auto k = frame.trajectory->points.view<2>();
  const Index samples = k.extent(0);
  if (samples < least_samples) return;
  std::vector<double> radius(static_cast<std::size_t>(samples));
  std::vector<Jump> jumps(static_cast<std::size_t>(samples));
  double largest = 0;
  for (Index j = 0; j < samples; ++j) {
    const auto at = static_cast<std::size_t>(j);
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      radius[at] += std::pow(k(j, axis) * static_cast<double>(scan.matrix[static_cast<std::size_t>(axis)]), 2);
    }
    jumps[at] = jump_at(frame, j);
    largest = std::max(largest, jumps[at].beside);
  }
  ctx.check_cancel("spikes");
  std::vector<Index> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return radius[static_cast<std::size_t>(a)] < radius[static_cast<std::size_t>(b)];
  });
  std::vector<double> ring;
  for (Index first = 0; first < samples; first += bin) {
    ring.clear();
    for (Index i = std::max<Index>(0, first - bin); i < std::min(samples, first + 2 * bin); ++i) {
      ring.push_back(jumps[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])].difference);
    }
    const auto middle = ring.begin() + static_cast<std::ptrdiff_t>(ring.size() / 2);
    std::nth_element(ring.begin(), middle, ring.end());
    const double usual = std::max(*middle, nothing * largest);
    for (Index i = first; i < std::min(samples, first + bin); ++i) {
      const Index sample = order[static_cast<std::size_t>(i)];
      const Jump& jump = jumps[static_cast<std::size_t>(sample)];
      if (jump.difference > above_ring * usual && jump.difference > above_neighbors * jump.beside) {
        found.push_back({number, sample});
      }
    }
  }
}

void take_out(Scan& scan, const std::vector<Spike>& spikes) {
  for (const Spike& spike : spikes) {
    ScanFrame& frame = scan.frames[spike.frame];
    const auto data = frame.data.view<2>();
    const auto beside = neighbors(frame, spike.sample);
    for (Index c = 0; c < data.extent(0); ++c) {
      std::complex<float> sum;
      float count = 0;
      for (const Index other : beside) {
        if (other < 0) continue;
        sum += data(c, other);
        ++count;
      }
      data(c, spike.sample) = sum / count;
    }
  }
}

}  // namespace

// A spike stands out from its neighbors in the readout, and from what samples of the same |k| differ from theirs by.
Findings find_spikes(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  std::vector<Spike> spikes;
  for (std::size_t frame = 0; frame < scan.frames.size(); ++frame) find_in(ctx, scan, frame, spikes);
  if (spikes.empty()) return {};
  std::string places;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, spikes.size()); ++i) {
    places += fmt::format("{}{} of frame {}", i > 0 ? ", " : "", spikes[i].sample, spikes[i].frame);
  }
  return {{.check = "spikes",
           .what = fmt::format("{} samples stand out from all that surround them in k-space (sample {}{})",
                               spikes.size(), places, spikes.size() > 3 ? ", ..." : ""),
           .value = static_cast<double>(spikes.size()),
           .unit = "samples",
           .confidence = 1 - 1 / std::sqrt(above_ring),
           .remedy = "whorl doctor --fix",
           .mend_text = fmt::format("{} spikes replaced by the mean of their neighbors in the readout", spikes.size()),
           .mend = [spikes](const Context&, Scan& of) { take_out(of, spikes); }}};
}

}  // namespace whorl::doctor
