#include "whorl/op/exact_signal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

constexpr Index most_together = 32;    // samples of one time, for which a thread keeps the evolution
constexpr Index groups_per_step = 32;  // and thread: between two steps of progress

Complex turned(double turns) { return std::polar(1.0, -2 * std::numbers::pi * turns); }

void check(ArrayRef<const Complex> maps, ArrayRef<const Complex> image, const ExponentialSignal& signal,
           ArrayRef<const double> points, ArrayRef<const double> times) {
  check_trajectory(points);
  if (image.rank() != static_cast<int>(points.extent(1))) {
    throw ShapeError(
        fmt::format("exact signal: an image of shape {} for samples of {} dimensions; expected as many axes",
                    to_string(image.shape()), points.extent(1)));
  }
  if (maps.data() != nullptr && (maps.rank() < 2 || maps.shape().tail() != image.shape())) {
    throw ShapeError(fmt::format("exact signal: maps {} for an image of {}; expected [coil, image...]",
                                 to_string(maps.shape()), to_string(image.shape())));
  }
  if (times.shape() != Shape{points.extent(0)}) {
    throw ShapeError(fmt::format("exact signal: times of shape {} for {} samples; expected one time per sample",
                                 to_string(times.shape()), points.extent(0)));
  }
  const Shape& evolving = signal.amplitudes.shape();
  if (signal.amplitudes.size() > 0 &&
      (evolving.rank() < 2 || evolving.tail() != image.shape() || signal.decay_rates.shape() != evolving ||
       signal.off_resonance.shape() != evolving)) {
    throw ShapeError(
        fmt::format("exact signal: amplitudes {} for an image of {}; expected [component, image...], as for "
                    "decay rates and off-resonance",
                    to_string(evolving), to_string(image.shape())));
  }
}

// Samples of one time.
struct Group {
  double time = 0;
  std::vector<Index> samples;
};

std::vector<Group> groups_of(ArrayRef<const double> times) {
  std::vector<Index> order(static_cast<std::size_t>(times.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return times.data()[a] < times.data()[b]; });
  std::vector<Group> groups;
  for (const Index sample : order) {
    const double time = times.data()[sample];
    if (groups.empty() || groups.back().time != time ||
        static_cast<Index>(groups.back().samples.size()) == most_together) {
      groups.push_back({time, {}});
    }
    groups.back().samples.push_back(sample);
  }
  return groups;
}

// x e(., t)
void evolve(ArrayRef<const Complex> image, const ExponentialSignal& signal, double time,
            std::vector<Complex>& evolved) {
  const Index pixels = image.size();
  evolved.assign(image.data(), image.data() + pixels);
  if (signal.amplitudes.size() == 0) return;
  const Index components = signal.amplitudes.extent(0);
  for (Index r = 0; r < pixels; ++r) {
    Complex& value = evolved[static_cast<std::size_t>(r)];
    if (value == Complex(0)) continue;
    Complex sum = 0;
    for (Index p = 0; p < components; ++p) {
      const Index at = p * pixels + r;
      const double size = signal.amplitudes.data()[at] * std::exp(-signal.decay_rates.data()[at] * time);
      if (size != 0) sum += size * turned(signal.off_resonance.data()[at] * time);
    }
    value *= sum;
  }
}

// exp(-2 pi i k r) along each axis of the image, and the sums over it.
class SampleSum {
 public:
  SampleSum(ArrayRef<const Complex> maps, const Shape& image) : maps_(maps.data()), image_(image) {
    phases_.resize(static_cast<std::size_t>(image.rank()));
    line_.resize(static_cast<std::size_t>(image[-1]));
  }

  // Adds to sums [coil], with the distance `stride` between coils.
  void operator()(const std::vector<Complex>& evolved, const double* k, Index coils, Complex* sums, Index stride) {
    const int rank = image_.rank();
    for (int axis = 0; axis < rank; ++axis) {
      auto& phases = phases_[static_cast<std::size_t>(axis)];
      phases.resize(static_cast<std::size_t>(image_[axis]));
      const Index center = image_[axis] / 2;
      for (Index n = 0; n < image_[axis]; ++n) {
        phases[static_cast<std::size_t>(n)] = turned(k[rank - 1 - axis] * static_cast<double>(n - center));
      }
    }
    const Index width = image_[-1];
    const Index height = image_[-2];
    for (Index row = 0; row < image_.size() / width; ++row) {
      Complex phase = phases_[static_cast<std::size_t>(rank - 2)][static_cast<std::size_t>(row % height)];
      if (rank == 3) phase *= phases_[0][static_cast<std::size_t>(row / height)];
      if (!fill_line(evolved.data() + row * width, phase)) continue;
      for (Index c = 0; c < coils; ++c) {
        sums[c * stride] += maps_ == nullptr ? std::accumulate(line_.begin(), line_.end(), Complex(0))
                                             : line_sum(maps_ + c * image_.size() + row * width);
      }
    }
  }

 private:
  // The line's terms; false where all are 0.
  bool fill_line(const Complex* evolved, Complex phase) {
    const auto& along = phases_.back();
    bool any = false;
    for (std::size_t x = 0; x < line_.size(); ++x) {
      any = any || evolved[x] != Complex(0);
      line_[x] = product(evolved[x], product(phase, along[x]));
    }
    return any;
  }

  Complex line_sum(const Complex* map) const {
    double real = 0;
    double imaginary = 0;
    for (std::size_t x = 0; x < line_.size(); ++x) {
      const Complex term = product(map[x], line_[x]);
      real += term.real();
      imaginary += term.imag();
    }
    return {real, imaginary};
  }

  // Without the care for infinite numbers that the language's own takes.
  static Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  const Complex* maps_;
  Shape image_;
  std::vector<std::vector<Complex>> phases_;
  std::vector<Complex> line_;
};

}  // namespace

Array<Complex> exact_signal(const Context& ctx, ArrayRef<const Complex> maps, ArrayRef<const Complex> image,
                            const ExponentialSignal& signal, ArrayRef<const double> points,
                            ArrayRef<const double> times) {
  check(maps, image, signal, points, times);
  const Index coils = maps.data() == nullptr ? 1 : maps.extent(0);
  const Index samples = points.extent(0);
  const double scale = 1 / std::sqrt(static_cast<double>(image.size()));
  auto sums = zeros<Complex>(ctx.host(), {coils, samples});
  const std::vector<Group> groups = groups_of(times);
  const auto count = static_cast<Index>(groups.size());
  const Index step = groups_per_step * ctx.threads();
  ProgressStage stage(ctx, "exact signal", (count + step - 1) / step);
  for (Index first = 0; first < count; first += step) {
    detail::parallel_for(ctx, "exact signal", first, std::min(first + step, count), [&](Index number) {
      const Group& group = groups[static_cast<std::size_t>(number)];
      std::vector<Complex> evolved;
      evolve(image, signal, group.time, evolved);
      SampleSum sum(maps, image.shape());
      for (const Index j : group.samples) {
        sum(evolved, points.data() + j * points.extent(1), coils, sums.data() + j, samples);
      }
    });
    stage.advance();
  }
  for (Complex& value : sums.span()) value *= scale;
  return sums;
}

}  // namespace whorl
