#include "whorl/fit/water_fat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "fit/choose_field.hpp"
#include "fit/fat_signal.hpp"
#include "fit/field_candidates.hpp"
#include "fit/series_fit.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

constexpr double proton_mhz_per_t = 42.577478;
constexpr double default_turns = 0.75;  // of the shortest spacing, to each side of 0

void check(ArrayRef<const std::complex<float>> echoes, std::span<const double> times, const std::vector<FatPeak>& peaks,
           const WaterFatOptions& options) {
  check_options(options);
  const auto count = static_cast<Index>(times.size());
  if (echoes.rank() < 3 || echoes.rank() > 4 || echoes.extent(0) != count || echoes.size() == 0) {
    throw ShapeError(fmt::format("water and fat: echoes of shape {} for {} times; expected [echo, (z,) y, x]",
                                 to_string(echoes.shape()), count));
  }
  const Index least = options.noise ? 3 : 4;
  if (count < least) {
    throw ValueError(
        fmt::format("water and fat: {} echoes, expected {} or more: six parameters of two numbers an echo{}", count,
                    least, options.noise ? "" : ", and one echo for the error, unless the noise is given"));
  }
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const bool finite = std::all_of(sorted.begin(), sorted.end(), [](double t) { return std::isfinite(t); });
  if (!finite || sorted.front() < 0 || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw ValueError("water and fat: expected echo times that are finite, 0 or more and all different");
  }
  const double sum = std::accumulate(peaks.begin(), peaks.end(), 0.0,
                                     [](double all, const FatPeak& peak) { return all + peak.amplitude; });
  if (!(std::abs(sum - 1) < 0.01)) {
    throw ValueError(fmt::format("water and fat: {} peaks of fat, whose amplitudes have the sum {:.4g}; expected 1",
                                 peaks.size(), sum));
  }
}

// What the steps share: echoes in the order of their times, with phases that turn as the model's.
struct Problem {
  std::vector<double> times;
  std::vector<Complex> fat;           // signal of F = 1 without decay
  Array<std::complex<float>> echoes;  // [echo, voxel]; 0 outside the mask
  std::vector<char> mask;
  double spacing = 0;  // the shortest
};

Problem prepare(const Context& ctx, ArrayRef<const std::complex<float>> echoes, std::span<const double> times,
                const std::vector<FatPeak>& peaks, const WaterFatOptions& options) {
  Problem made;
  const auto count = static_cast<Index>(times.size());
  const Index voxels = echoes.size() / count;
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  for (const std::size_t n : order) made.times.push_back(times[n]);
  made.spacing = made.times.back() - made.times.front();
  for (std::size_t n = 1; n < order.size(); ++n) {
    made.spacing = std::min(made.spacing, made.times[n] - made.times[n - 1]);
  }
  for (const double t : made.times) {
    made.fat.push_back(fat_signal(peaks, options.field_strength, t));
  }
  float largest = 0;
  Index wrong = echoes.size();
  const std::complex<float>* const from = echoes.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads()) reduction(max : largest) reduction(min : wrong)
  for (Index i = 0; i < echoes.size(); ++i) {
    const float size = std::abs(from[i]);
    largest = std::max(largest, size);
    if (!std::isfinite(size)) wrong = std::min(wrong, i);
  }
  if (wrong < echoes.size())
    throw ValueError(fmt::format("water and fat: value {} of the echoes is not finite", wrong));
  if (!(largest > 0)) throw ValueError("water and fat: the echoes are 0");
  made.echoes = Array<std::complex<float>>(ctx.host(), {count, voxels});
  made.mask.resize(static_cast<std::size_t>(voxels));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index v = 0; v < voxels; ++v) {
    float most = 0;
    for (Index n = 0; n < count; ++n) most = std::max(most, std::abs(from[n * voxels + v]));
    const bool inside = static_cast<double>(most) > options.threshold * static_cast<double>(largest);
    made.mask[static_cast<std::size_t>(v)] = inside ? 1 : 0;
    for (Index n = 0; n < count; ++n) {
      const std::complex<float> value = from[static_cast<Index>(order[static_cast<std::size_t>(n)]) * voxels + v];
      made.echoes.data()[n * voxels + v] = !inside ? 0 : options.opposite ? std::conj(value) : value;
    }
  }
  return made;
}

// |numerator| / |denominator| of sums of W and F, with its slopes by Re W, Im W, Re F, Im F.
struct Magnitudes {
  double value = 0;
  std::array<double, 4> slope{};
};

Magnitudes magnitude_of(Complex sum, double of_water, double of_fat) {
  const double size = std::abs(sum);
  const Complex unit = size > 0 ? sum / size : Complex(std::numbers::sqrt2 / 2, std::numbers::sqrt2 / 2);
  return {size, {of_water * unit.real(), of_water * unit.imag(), of_fat * unit.real(), of_fat * unit.imag()}};
}

Magnitudes ratio(const Magnitudes& a, const Magnitudes& b) {
  Magnitudes made{a.value / b.value, {}};
  for (std::size_t k = 0; k < 4; ++k) made.slope[k] = (a.slope[k] - made.value * b.slope[k]) / b.value;
  return made;
}

double error_of(const FittedVoxels& voxels, Index v, const Magnitudes& what) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    for (int l = 0; l < 4; ++l) {
      sum += what.slope[static_cast<std::size_t>(k)] * what.slope[static_cast<std::size_t>(l)] *
             voxels.covariance(k, l, v);
    }
  }
  return std::sqrt(std::max(sum, 0.0));
}

void store(const FittedVoxels& voxels, Index v, WaterFatMaps& maps) {
  const Index r = voxels.first() + v;
  const auto put = [r](Array<float>& map, double value) { map.data()[r] = static_cast<float>(value); };
  const Complex w(voxels.parameter(0, v), voxels.parameter(1, v));
  const Complex f(voxels.parameter(2, v), voxels.parameter(3, v));
  const Magnitudes water = magnitude_of(w, 1, 0);
  const Magnitudes fat = magnitude_of(f, 0, 1);
  const Magnitudes both = magnitude_of(w + f, 1, 1);
  put(maps.water, water.value);
  put(maps.water_error, error_of(voxels, v, water));
  put(maps.fat, fat.value);
  put(maps.fat_error, error_of(voxels, v, fat));
  if (both.value > 0) {
    const Magnitudes part = ratio(water.value >= fat.value ? water : fat, both);
    put(maps.fraction, water.value >= fat.value ? 1 - part.value : part.value);
    put(maps.fraction_error, error_of(voxels, v, part));
  }
  put(maps.field, voxels.parameter(4, v));
  put(maps.field_error, voxels.error(4, v));
  put(maps.r2_star, voxels.parameter(5, v));
  put(maps.r2_star_error, voxels.error(5, v));
}

}  // namespace

std::complex<double> fat_signal(const std::vector<FatPeak>& peaks, double tesla, double t) {
  Complex sum = 0;
  for (const FatPeak& peak : peaks) {
    const double hertz = proton_mhz_per_t * tesla * peak.ppm;
    sum += std::polar(peak.amplitude, -2 * std::numbers::pi * hertz * t);
  }
  return sum;
}

std::vector<FatPeak> liver_fat() {
  return {{0.9 - 4.7, 0.088},  {1.3 - 4.7, 0.700}, {2.1 - 4.7, 0.120},
          {2.75 - 4.7, 0.006}, {4.2 - 4.7, 0.039}, {5.3 - 4.7, 0.047}};
}

WaterFatMaps fit_water_fat(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                           std::span<const double> times, const std::vector<FatPeak>& peaks,
                           const WaterFatOptions& options) {
  check(echoes, times, peaks, options);
  const Problem problem = prepare(ctx, echoes, times, peaks, options);
  const Shape image = echoes.shape().tail();
  const Index voxels = image.size();
  const double range = options.range ? *options.range : default_turns / problem.spacing;
  std::vector<double> start(static_cast<std::size_t>(2 * voxels));
  {
    const auto candidates = field_candidates(ctx, problem.echoes, problem.times, problem.fat, problem.mask, range);
    const std::array<Index, 3> extent{image.rank() == 3 ? image[0] : 1, image[-2], image[-1]};
    const auto chosen = choose_fields(ctx, extent, candidates, options.smoothness, problem.spacing);
    for (std::size_t v = 0; v < chosen.size(); ++v) {
      if (chosen[v] < 0) continue;
      const FieldCandidate& one = candidates[v].list[static_cast<std::size_t>(chosen[v])];
      start[v] = static_cast<double>(one.field);
      start[static_cast<std::size_t>(voxels) + v] = static_cast<double>(one.rate);
    }
  }
  SeriesFit fit{kernels::SignalModel::water_fat, {}};
  fit.frequency = start.data();
  Array<float> series(ctx.host(), {2 * static_cast<Index>(times.size()), voxels});
  for (Index n = 0; n < static_cast<Index>(problem.times.size()); ++n) {
    const Complex fat = problem.fat[static_cast<std::size_t>(n)];
    fit.settings.insert(fit.settings.end(), {problem.times[static_cast<std::size_t>(n)], fat.real(), fat.imag()});
    for (Index v = 0; v < voxels; ++v) {
      const std::complex<float> value = problem.echoes.data()[n * voxels + v];
      series.data()[2 * n * voxels + v] = value.real();
      series.data()[(2 * n + 1) * voxels + v] = value.imag();
    }
  }
  const auto empty = [&] { return zeros<float>(ctx.host(), image); };
  WaterFatMaps maps{empty(), empty(), empty(), empty(), empty(), empty(), empty(), empty(), empty(), empty()};
  const FitOptions each{.threshold = 0, .noise = options.noise, .iterations = options.iterations};
  const FitCounts counts = fit_series(ctx, "water and fat", fit, series, 1, each, {}, [&](const FittedVoxels& fitted) {
    for_fitted(ctx, fitted, [&](Index v) { store(fitted, v, maps); });
  });
  maps.fitted = counts.fitted;
  maps.failed = counts.failed;
  return maps;
}

template <>
const OptionTable<WaterFatOptions>& option_table<WaterFatOptions>() {
  using Options = WaterFatOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("water and fat")
          .real("field-strength", &Options::field_strength, OptionRange::more_than(0), "T",
                "Strength of the main field")
          .real("threshold", &Options::threshold, OptionRange{0, 1}, "",
                "Leave out voxels below this part of the largest magnitude")
          .real("smoothness", &Options::smoothness, OptionRange{0, 100}, "",
                "What a jump of the field by a turn between neighbors costs, as a part of the signal's energy")
          .real("range", &Options::range, OptionRange::more_than(0), "Hz",
                "The field lies within this distance of 0 (default: 0.75 over the shortest spacing of the echoes)")
          .flag("opposite", &Options::opposite, "Phases turn the other way, by exp(+2 pi i f t)")
          .real("noise", &Options::noise, OptionRange::more_than(0), "",
                "Standard deviation of the real and of the imaginary part (default: from what each fit leaves)")
          .integer("iterations", &Options::iterations, OptionRange::at_least(1), "",
                   "Iterations of each voxel's fit at most")
          .for_programs();
  return table;
}

}  // namespace whorl
