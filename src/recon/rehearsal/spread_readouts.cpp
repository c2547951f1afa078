#include "recon/rehearsal/spread_readouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "whorl/core/integer.hpp"

namespace whorl::recon {

namespace {

// Where a readout lies: some of its samples, as one point of a space of more axes.
class Places {
 public:
  Places(const Trajectory& trajectory, const std::vector<Index>& readouts)
      : axes_(trajectory.points.extent(1) * (trajectory.readout_length > 1 ? along : 1)),
        all_(readouts.size() * static_cast<std::size_t>(axes_)) {
    const auto dim = trajectory.points.extent(1);
    const Index length = std::max<Index>(trajectory.readout_length, 1);
    double* to = all_.data();
    for (const Index readout : readouts) {
      double* const place = to;
      for (Index i = 0; i < axes_ / dim; ++i) {
        const Index sample = readout * length + (axes_ > dim ? i * (length - 1) / (along - 1) : 0);
        to = std::copy_n(trajectory.points.data() + sample * dim, dim, to);
      }
      if (axes_ > dim) turn(place, dim);
    }
  }

  Index axes() const { return axes_; }
  double at(Index readout, Index axis) const { return all_[static_cast<std::size_t>(readout * axes_ + axis)]; }

 private:
  // First and last sample, and two between.
  static constexpr Index along = 4;

  // A line through the center starts on the side where its first coordinate that is not 0 is above 0.
  void turn(double* place, Index dim) const {
    constexpr double nearly = 0.05;  // of its length: echoes do not fall on a sample
    double* const last = place + axes_ - dim;
    double sum = 0;
    double difference = 0;
    for (Index axis = 0; axis < dim; ++axis) {
      sum += std::abs(place[axis] + last[axis]);
      difference += std::abs(place[axis] - last[axis]);
    }
    if (sum > nearly * difference) return;
    constexpr double rounding = 1e-3;
    const double* const first =
        std::find_if(place, place + dim, [&](double k) { return std::abs(k) > rounding * difference; });
    if (first != place + dim && *first > 0) return;
    for (Index i = 0; i < along / 2; ++i) std::swap_ranges(place + i * dim, place + (i + 1) * dim, last - i * dim);
  }

  Index axes_;
  std::vector<double> all_;
};

// The order of the leaves of a k-d tree, in which neighbors are near each other.
void sort_by_place(const Places& places, std::vector<Index>::iterator begin, std::vector<Index>::iterator end) {
  while (end - begin > 1) {
    Index widest = 0;
    double width = -1;
    for (Index axis = 0; axis < places.axes(); ++axis) {
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (auto i = begin; i != end; ++i) {
        low = std::min(low, places.at(*i, axis));
        high = std::max(high, places.at(*i, axis));
      }
      if (high - low <= width) continue;
      width = high - low;
      widest = axis;
    }
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](Index a, Index b) { return places.at(a, widest) < places.at(b, widest); });
    sort_by_place(places, begin, middle);
    begin = middle;
  }
}

}  // namespace

std::vector<Index> spread_readouts(const Trajectory& trajectory, const std::vector<Index>& samples, double part) {
  const Index length = std::max<Index>(trajectory.readout_length, 1);
  std::vector<Index> readouts;
  for (const Index sample : samples) {
    if (readouts.empty() || readouts.back() != sample / length) readouts.push_back(sample / length);
  }
  std::vector<Index> order(readouts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  sort_by_place(Places(trajectory, readouts), order.begin(), order.end());
  const auto all = static_cast<double>(order.size());
  const auto kept = std::clamp<Index>(std::lround(part * all), 1, std::ssize(order));
  std::vector<char> is_kept(order.size(), 0);
  for (Index i = 0; i < kept; ++i) {
    const auto middle = static_cast<std::size_t>((static_cast<double>(i) + 0.5) * all / static_cast<double>(kept));
    is_kept[static_cast<std::size_t>(order[middle])] = 1;
  }
  std::vector<Index> places;
  std::size_t readout = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    while (readouts[readout] != samples[i] / length) ++readout;
    if (is_kept[readout] != 0) places.push_back(static_cast<Index>(i));
  }
  return places;
}

}  // namespace whorl::recon
