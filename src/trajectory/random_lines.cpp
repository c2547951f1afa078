#include <algorithm>
#include <cmath>
#include <numeric>

#include "trajectory/line_grid.hpp"
#include "whorl/core/random.hpp"

namespace whorl::detail {

namespace {

constexpr const char* drawing = "Cartesian mask";

// Lines in an order that is random, line by line with the largest key first.
template <class Key>
std::vector<Index> sorted_lines(Index lines, const Key& key_of) {
  std::vector<double> keys(static_cast<std::size_t>(lines));
  for (Index line = 0; line < lines; ++line) keys[static_cast<std::size_t>(line)] = key_of(line);
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] > keys[static_cast<std::size_t>(b)];
  });
  return order;
}

// Throws darts in a given order; the least distance between lines grows from `distance` at the center.
std::vector<std::uint8_t> throw_darts(const Context& ctx, const LineGrid& grid, const std::vector<Index>& order,
                                      double distance, double variation) {
  std::vector<std::uint8_t> taken(order.size(), 0);
  for (const Index line : order) {
    ctx.check_cancel(drawing);
    const double apart = distance * (1 + variation * grid.radius(line));
    const auto reach = static_cast<Index>(std::ceil(apart)) - 1;
    const Index y = line % grid.y;
    const Index z = line / grid.y;
    bool free = true;
    for (Index other_z = std::max<Index>(0, z - reach); free && other_z <= std::min(grid.z - 1, z + reach); ++other_z) {
      for (Index other_y = std::max<Index>(0, y - reach); other_y <= std::min(grid.y - 1, y + reach); ++other_y) {
        if (taken[static_cast<std::size_t>(other_z * grid.y + other_y)] == 0) continue;
        const auto square = static_cast<double>((other_z - z) * (other_z - z) + (other_y - y) * (other_y - y));
        if (square < apart * apart) {
          free = false;
          break;
        }
      }
    }
    if (free) taken[static_cast<std::size_t>(line)] = 1;
  }
  return taken;
}

}  // namespace

void take_random(const Context& ctx, const LineGrid& grid, const CartesianOptions& options, Index wanted,
                 std::vector<std::uint8_t>& taken) {
  ctx.check_cancel(drawing);
  double farthest = 0;
  for (Index line = 0; line < grid.lines(); ++line) farthest = std::max(farthest, grid.radius(line));
  // Efraimidis and Spirakis: the largest u^(1 / weight) are a weighted sample without replacement. Lines of weight 0
  // come last.
  constexpr double least_weight = 1e-12;
  const std::vector<Index> order = sorted_lines(grid.lines(), [&](Index line) {
    const double part = farthest > 0 ? 1 - grid.radius(line) / farthest : 1;
    return std::log(random_uniform(options.seed, static_cast<std::uint64_t>(line))) /
           std::max(least_weight, std::pow(part, options.variation));
  });
  Index count = std::accumulate(taken.begin(), taken.end(), Index{0});
  for (const Index line : order) {
    auto& mark = taken[static_cast<std::size_t>(line)];
    if (count >= wanted) break;
    if (mark == 0) ++count;
    mark = 1;
  }
}

void take_poisson_disc(const Context& ctx, const LineGrid& grid, const CartesianOptions& options, Index wanted,
                       std::vector<std::uint8_t>& taken) {
  const std::vector<Index> order = sorted_lines(
      grid.lines(), [&](Index line) { return random_uniform(options.seed, static_cast<std::uint64_t>(line)); });
  const std::vector<std::uint8_t> marked = taken;
  // The number of lines falls with the distance, from all of them at 0. On a grid it falls in steps, so the search is
  // for the smallest number above the wanted one, and the last darts are removed.
  double low = 0;
  double high = std::hypot(static_cast<double>(grid.y), static_cast<double>(grid.z));
  Index least = grid.lines();
  std::fill(taken.begin(), taken.end(), std::uint8_t{1});
  constexpr int tries = 24;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const double distance = (low + high) / 2;
    std::vector<std::uint8_t> darts = throw_darts(ctx, grid, order, distance, options.variation);
    for (std::size_t line = 0; line < darts.size(); ++line) darts[line] |= marked[line];
    const Index count = std::accumulate(darts.begin(), darts.end(), Index{0});
    (count >= wanted ? low : high) = distance;
    if (count < wanted || count > least) continue;
    least = count;
    taken = darts;
  }
  for (auto line = order.rbegin(); line != order.rend() && least > wanted; ++line) {
    const auto at = static_cast<std::size_t>(*line);
    if (taken[at] == 0 || marked[at] != 0) continue;
    taken[at] = 0;
    --least;
  }
}

}  // namespace whorl::detail
