#include "whorl/calib/field_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "calib/echo_pairs.hpp"
#include "calib/median.hpp"
#include "calib/smooth_field.hpp"
#include "calib/unwrap.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double least_coherence = 0.2;  // of unrelated phases it is 0, with a spread of 1 / sqrt(2 pairs)
constexpr int most_multiples = 8;        // of 1 / spacing that are tried for a region
constexpr double clear_margin = 0.02;    // by which another multiple's agreement must be better

void check(ArrayRef<const std::complex<float>> echoes, std::span<const double> times, const FieldMapOptions& options) {
  check_options(options);
  const auto count = static_cast<Index>(times.size());
  if (echoes.rank() < 4 || echoes.rank() > 5 || echoes.extent(0) != count || echoes.size() == 0) {
    throw ShapeError(fmt::format("field map: echoes of shape {} for {} times; expected [echo, coil, (z,) y, x]",
                                 to_string(echoes.shape()), count));
  }
  if (count < 2) throw ValueError("field map: one echo, expected two or more: the field turns the phase between them");
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const bool finite = std::all_of(sorted.begin(), sorted.end(), [](double t) { return std::isfinite(t); });
  if (!finite || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw ValueError("field map: echo times that are equal or not finite; expected a time of its own for each echo");
  }
  const auto values = echoes.span();
  const auto wrong = std::find_if(values.begin(), values.end(), [](const std::complex<float>& value) {
    return !std::isfinite(value.real()) || !std::isfinite(value.imag());
  });
  if (wrong != values.end()) {
    throw ValueError(fmt::format("field map: value {} of the echoes is not finite", wrong - values.begin()));
  }
}

// How alike neighbors are: the mean of cos(difference of their phases), weighted by the smaller of both.
double coherence_of(const std::vector<std::complex<double>>& products, const std::vector<NeighborPair>& pairs) {
  double sum = 0;
  double total = 0;
  for (const auto& [first, second] : pairs) {
    const auto a = products[static_cast<std::size_t>(first)];
    const auto b = products[static_cast<std::size_t>(second)];
    const double size = std::abs(a) * std::abs(b);
    if (!(size > 0)) continue;
    const double weight = std::min(std::abs(a), std::abs(b));
    sum += weight * (std::conj(a) * b).real() / size;
    total += weight;
  }
  return total > 0 ? sum / total : 0;
}

// Adds to each region the multiple of 1 / spacing that the other pairs ask for, or else the one with the median nearest to 0.
void place_regions(const EchoPairs& pairs, const Unwrapped& unwrapped, std::vector<double>& field) {
  std::vector<std::vector<Index>> voxels(static_cast<std::size_t>(unwrapped.regions));
  for (std::size_t v = 0; v < field.size(); ++v) {
    if (unwrapped.region[v] >= 0) {
      voxels[static_cast<std::size_t>(unwrapped.region[v])].push_back(static_cast<Index>(v));
    }
  }
  const double step = 1 / pairs.shortest();
  for (const std::vector<Index>& region : voxels) {
    std::vector<double> of_region;
    for (const Index v : region) of_region.push_back(field[static_cast<std::size_t>(v)]);
    const double nearest = -std::round(median(std::move(of_region)) / step);
    double best = nearest;
    double best_agreement = pairs.agreement(region, field, nearest * step) + clear_margin;
    for (int k = -most_multiples; k <= most_multiples; ++k) {
      const double agreement = pairs.agreement(region, field, (nearest + k) * step);
      if (agreement <= best_agreement) continue;
      best = nearest + k;
      best_agreement = agreement;
    }
    for (const Index v : region) field[static_cast<std::size_t>(v)] += best * step;
  }
}

// Echo spacings in sets that double: the field of each is known well enough for the next.
std::vector<double> longest_spacings(const EchoPairs& pairs) {
  std::vector<double> longest;
  for (double spacing = pairs.shortest(); spacing < pairs.longest(); spacing *= 2) longest.push_back(spacing);
  longest.push_back(pairs.longest());
  return longest;
}

}  // namespace

FieldMap estimate_field_map(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                            std::span<const double> times, const FieldMapOptions& options) {
  check(echoes, times, options);
  const Shape image = echoes.shape().tail().tail();
  const std::array<Index, 3> extent{image.rank() == 3 ? image[0] : 1, image[-2], image[-1]};
  const auto voxels = static_cast<std::size_t>(image.size());
  const EchoPairs pairs(ctx, echoes, times);
  std::vector<char> mask(voxels);
  const double largest = *std::max_element(pairs.magnitude().begin(), pairs.magnitude().end());
  if (!(largest > 0)) throw ValueError("field map: the echoes are 0");
  for (std::size_t v = 0; v < voxels; ++v) mask[v] = pairs.magnitude()[v] > options.threshold * largest ? 1 : 0;
  const std::vector<NeighborPair> neighbors = neighbors_in(extent, mask);
  const std::vector<std::complex<double>> shortest = pairs.products_of_shortest();
  FieldMap map;
  map.coherence = coherence_of(shortest, neighbors);
  if (!(map.coherence > least_coherence)) {
    throw ValueError(
        fmt::format("field map: the phases of neighbors have little in common (mean cosine {:.2f}, expected more than "
                    "{}): noise, or echoes {:.3g} ms apart, too far for this field; give a higher threshold, or echoes "
                    "closer together",
                    map.coherence, least_coherence, 1e3 * pairs.shortest()));
  }
  const auto longest = longest_spacings(pairs);
  ProgressStage stage(ctx, "field map", 1 + static_cast<Index>(longest.size()));
  const Unwrapped unwrapped = unwrap_phases(shortest, neighbors, mask);
  ctx.check_cancel("field map");
  map.regions = unwrapped.regions;
  std::vector<double> field(voxels);
  for (std::size_t v = 0; v < voxels; ++v) {
    if (mask[v] == 0) continue;
    field[v] =
        -(std::arg(shortest[v]) / (2 * std::numbers::pi) + static_cast<double>(unwrapped.turns[v])) / pairs.shortest();
  }
  place_regions(pairs, unwrapped, field);
  continue_outside(extent, mask, field);
  stage.advance();
  for (const double spacing : longest) {
    smooth_field(ctx, pairs, {extent, mask, options.smoothness, options.iterations, spacing}, field);
    stage.advance();
  }

  std::vector<Index> object;
  for (std::size_t v = 0; v < voxels; ++v) {
    if (mask[v] != 0) object.push_back(static_cast<Index>(v));
  }
  map.agreement = pairs.agreement(object, field, 0);
  map.hertz = Array<float>(ctx.host(), image);
  map.mask = Array<float>(ctx.host(), image);
  std::transform(field.begin(), field.end(), map.hertz.span().begin(), [](double f) { return static_cast<float>(f); });
  std::transform(mask.begin(), mask.end(), map.mask.span().begin(), [](char m) { return m != 0 ? 1.0F : 0.0F; });
  if (options.noise) {
    map.error = zeros<float>(ctx.host(), image);
    for (const Index v : object) map.error.data()[v] = static_cast<float>(*options.noise * pairs.spread(v));
  }
  return map;
}

template <>
const OptionTable<FieldMapOptions>& option_table<FieldMapOptions>() {
  using Options = FieldMapOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("field map")
          .group("Field map")
          .real("threshold", &Options::threshold, OptionRange{0, 1}, "",
                "Voxels below this part of the largest magnitude say nothing of the field")
          .real("smoothness", &Options::smoothness, OptionRange{0, 100}, "pixels",
                "Length over which the field is smoothed where the signal is median (0: not at all)")
          .real("noise", &Options::noise, OptionRange::more_than(0), "",
                "Standard deviation of the real and of the imaginary part of the images, for the error bars")
          .integer("iterations", &Options::iterations, OptionRange::at_least(1), "", "Iterations at most")
          .for_programs();
  return table;
}

}  // namespace whorl
