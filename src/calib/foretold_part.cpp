#include "calib/foretold_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "calib/channels.hpp"
#include "calib/median.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl::detail {

namespace {

constexpr std::array<Index, 5> around{0, -2, -1, 1, 2};  // the sample itself, and what predicts it
constexpr Index before_and_after = std::ssize(around) - 1;
static_assert(std::ssize(around) == taken_for_one);
constexpr Index most_together = 16;  // coils: the time is proportional to their square
constexpr double ridge = 1e-6;       // of the energy of each neighbor: data may be singular

double distance(const View<const double, 2>& k, Index a, Index b) {
  double square = 0;
  for (Index axis = 0; axis < k.extent(1); ++axis) square += std::pow(k(a, axis) - k(b, axis), 2);
  return std::sqrt(square);
}

// Twice the usual distance of neighbors. Beyond, a sample belongs to another readout.
double longest_step(const View<const double, 2>& k, std::span<const Index> places) {
  std::vector<double> steps;
  for (const Index place : places) {
    if (place > 0) steps.push_back(distance(k, place - 1, place));
  }
  return steps.empty() ? 0 : 2 * median(std::move(steps));
}

// Whether the samples from two before to two after lie in a row.
bool has_neighbors(const View<const double, 2>& k, Index place, double longest) {
  if (place < 2 || place + 2 >= k.extent(0)) return false;
  for (Index j = place - 2; j < place + 2; ++j) {
    if (distance(k, j, j + 1) > longest) return false;
  }
  return true;
}

// Every n-th of them, in order.
std::vector<Index> thinned(std::vector<Index> places, std::size_t most) {
  const std::size_t step = (places.size() + most - 1) / std::max<std::size_t>(most, 1);
  if (step < 2) return places;
  std::vector<Index> some;
  for (std::size_t i = 0; i < places.size(); i += step) some.push_back(places[i]);
  return some;
}

// Coils from `first` up to `end`.
struct Group {
  Index first = 0;
  Index end = 0;

  Index coils() const { return end - first; }
  Index weights() const { return coils() * before_and_after; }
};

// As large as each other, but for one coil.
std::vector<Group> groups_of(Index coils) {
  const Index count = (coils + most_together - 1) / most_together;
  std::vector<Group> groups;
  for (Index g = 0; g < count; ++g) groups.push_back({g * coils / count, (g + 1) * coils / count});
  return groups;
}

// Whether a sample of these is zero in all coils of the group, or beyond the limit in one.
template <class Real>
bool is_odd(ArrayRef<const std::complex<Real>> taken, const Group& group, Index first, std::span<const double> limits) {
  for (Index j = first; j < first + std::ssize(around); ++j) {
    bool is_zero = true;
    for (Index c = group.first; c < group.end; ++c) {
      const double power = std::norm(std::complex<double>(taken.slice(c).data()[j]));
      if (power > limits[static_cast<std::size_t>(c)]) return true;
      is_zero = is_zero && power == 0;
    }
    if (is_zero) return true;
  }
  return false;
}

// The parts of the group's coils. `taken` has the samples of `around` for one place after the other.
template <class Real>
std::vector<double> parts_of(ArrayRef<const std::complex<Real>> taken, const Group& group,
                             std::span<const double> limits) {
  const Index places = taken.extent(1) / std::ssize(around);
  const Index coils = group.coils();
  const Index weights = group.weights();
  if (places < 3 * weights) return {};
  // X w = y: rows are places; columns of X are the neighbors of all coils, those of y the coils. Powers of each coil are
  // near 1, so that no coil's ridge is another's signal.
  Matrix<double> x(places, weights);
  Matrix<double> y(places, coils);
  Index rows = 0;
  for (Index i = 0; i < places; ++i) {
    const Index first = i * std::ssize(around);
    if (is_odd<Real>(taken, group, first, limits)) continue;
    for (Index c = 0; c < coils; ++c) {
      const double scale = 1 / std::sqrt(limits[static_cast<std::size_t>(group.first + c)]);
      const std::complex<Real>* const of_coil = taken.slice(group.first + c).data() + first;
      y(rows, c) = scale * std::complex<double>(of_coil[0]);
      for (Index n = 1; n <= before_and_after; ++n) {
        x(rows, c * before_and_after + n - 1) = scale * std::complex<double>(of_coil[n]);
      }
    }
    ++rows;
  }
  if (rows < 3 * weights) return {};
  const auto some_x = x.topRows(rows);
  const auto some_y = y.topRows(rows);
  // Eigen's own products take 128 kB of the stack, which ends the program where memory is short and the stack cannot grow.
  const Matrix<double> adjoint = some_x.adjoint();
  Matrix<double> gram = adjoint.lazyProduct(some_x);
  const Matrix<double> product = adjoint.lazyProduct(some_y);
  gram.diagonal() *= 1 + ridge;
  const Matrix<double> solution = solve_semidefinite(gram, product);
  Matrix<double> left = some_x.lazyProduct(solution);
  left = some_y - left;
  std::vector<double> parts;
  for (Index c = 0; c < coils; ++c) {
    const double ratio = static_cast<double>(rows) / static_cast<double>(rows - weights);
    const double energy = some_y.col(c).squaredNorm();
    parts.push_back(energy > 0 ? std::clamp(1 - ratio * left.col(c).squaredNorm() / energy, 0.0, 1.0) : 0);
  }
  return parts;
}

}  // namespace

template <class Real>
std::vector<double> foretold_parts(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                   ArrayRef<const double> points, std::span<const Index> places,
                                   std::span<const double> limits) {
  const auto k = points.view<2>();
  const double longest = longest_step(k, places);
  std::vector<Index> centers;
  std::ranges::copy_if(places, std::back_inserter(centers),
                       [&](Index place) { return has_neighbors(k, place, longest); });
  std::ranges::sort(centers);
  centers = thinned(std::move(centers), static_cast<std::size_t>(most_foretold));
  std::vector<Index> wanted;
  for (const Index center : centers) {
    for (const Index step : around) wanted.push_back(center + step);
  }
  if (wanted.empty()) return {};
  const Array<std::complex<Real>> there = take_samples<Real>(ctx, data, wanted);
  const OnDevice<std::complex<Real>> on_host(ctx.host(), there);
  const ArrayRef<const std::complex<Real>> taken = on_host.get();
  std::vector<double> parts;
  for (const Group& group : groups_of(data.extent(0))) {
    const std::vector<double> some = parts_of<Real>(taken, group, limits);
    if (some.empty()) return {};
    parts.insert(parts.end(), some.begin(), some.end());
  }
  return parts;
}

std::string why_foretold(std::span<const double> parts, double most) {
  const auto largest = std::ranges::max_element(parts);
  if (largest == parts.end() || !(*largest > most)) return {};
  return fmt::format("coil {} has samples that their neighbors predict to {:.0f} %, as those of a signal",
                     largest - parts.begin(), 100 * *largest);
}

template std::vector<double> foretold_parts(const Context&, ArrayRef<const std::complex<float>>, ArrayRef<const double>,
                                            std::span<const Index>, std::span<const double>);
template std::vector<double> foretold_parts(const Context&, ArrayRef<const std::complex<double>>,
                                            ArrayRef<const double>, std::span<const Index>, std::span<const double>);

}  // namespace whorl::detail
