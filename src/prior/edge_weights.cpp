#include "whorl/prior/edge_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/prior/option_tables.hpp"

namespace whorl {

namespace {

using Reference = ArrayRef<const float>;

void check(std::span<const Reference> references, const EdgeOptions& options) {
  if (references.empty()) throw ValueError("anatomical prior: no reference image, expected at least one");
  check_options(options);
  const Shape& shape = references.front().shape();
  if (shape.rank() != 2 && shape.rank() != 3) {
    throw ShapeError(
        fmt::format("anatomical prior: a reference of shape {}, expected [y, x] or [z, y, x]", to_string(shape)));
  }
  for (const Reference& reference : references) {
    if (reference.shape() != shape) {
      throw ShapeError(fmt::format("anatomical prior: references of shapes {} and {}, expected one grid for all",
                                   to_string(shape), to_string(reference.shape())));
    }
    const auto values = reference.span();
    const auto wrong = std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
    if (wrong != values.end()) {
      throw ValueError(fmt::format("anatomical prior: value {} of a reference is {}, expected finite numbers",
                                   wrong - values.begin(), *wrong));
    }
  }
}

// The quantile of some values; 0 if there are none.
double quantile(std::vector<float>& values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<Index>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Calls work(difference, pixel, next pixel) for every pair of neighbors; `difference` is the index of the weight.
template <class Work>
void for_neighbors(const Shape& shape, const Work& work) {
  Index step = shape.size();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Index block = step;
    step /= shape[axis];
    for (Index start = 0; start < shape.size(); start += block) {
      for (Index r = start; r < start + block - step; ++r) work(axis * shape.size() + r, r, r + step);
    }
  }
}

double delta_of(const Reference& reference, const EdgeOptions& options) {
  std::vector<float> magnitudes;
  magnitudes.reserve(static_cast<std::size_t>(reference.size()));
  for (const float value : reference.span()) magnitudes.push_back(std::abs(value));
  const double level = 0.1 * quantile(magnitudes, 0.99);
  std::erase_if(magnitudes, [&](float value) { return value <= level; });
  if (magnitudes.empty()) {
    throw ValueError("anatomical prior: a reference is 0 everywhere; it shows nothing to go by");
  }
  const float* x = reference.data();
  std::vector<float> differences;
  for_neighbors(reference.shape(), [&](Index /*difference*/, Index here, Index next) {
    if (std::abs(x[here]) > level && std::abs(x[next]) > level) differences.push_back(std::abs(x[next] - x[here]));
  });
  // Standard deviation of a normal number over the lower quartile of its magnitude, which is 0.31864 of it. The median
  // would be far off in a folded cortex, where half of the differences go across edges.
  constexpr double over_quartile = 3.13835;
  return std::max(options.noise_factor * quantile(differences, 0.25) * over_quartile,
                  options.contrast * quantile(magnitudes, 0.5));
}

}  // namespace

EdgeWeights edge_weights(const Context& ctx, std::span<const Reference> references, const EdgeOptions& options) {
  check(references, options);
  const Shape& shape = references.front().shape();
  EdgeWeights result;
  result.weights = zeros<float>(ctx.host(), shape.with_front(shape.rank()));
  const auto weights = result.weights.span();
  for (const Reference& reference : references) {
    const double delta = delta_of(reference, options);
    const float* x = reference.data();
    for_neighbors(shape, [&](Index difference, Index here, Index next) {
      const double relative = (static_cast<double>(x[next]) - static_cast<double>(x[here])) / delta;
      weights[static_cast<std::size_t>(difference)] += static_cast<float>(relative * relative);
    });
    result.deltas.push_back(delta);
  }
  for (float& weight : weights) weight = 1 / std::sqrt(1 + weight);
  Index count = 0;
  Index halved = 0;
  for_neighbors(shape, [&](Index difference, Index /*here*/, Index /*next*/) {
    const float weight = weights[static_cast<std::size_t>(difference)];
    ++count;
    if (weight * weight < 0.5F) ++halved;
  });
  result.halved = count > 0 ? static_cast<double>(halved) / static_cast<double>(count) : 0;
  return result;
}

}  // namespace whorl
