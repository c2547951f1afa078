#include "studies/gridding_2d/listing.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include "studies/cited.hpp"
#include "studies/gridding_2d/layout.hpp"
#include "whorl/core/random.hpp"

namespace whorl::studies::gridding_2d {

namespace {

constexpr double radius = 8;
constexpr double bin = 0.5;
// exp(-(d / 8)^2 / 2)
double gaussian(double distance) { return std::exp(-distance * distance / (2 * radius * radius)); }

constexpr int edge = 128;  // of a periodic grid: 16 of the listing's 256 blocks, with as many samples
constexpr int block = 32;

using Grid = std::vector<std::complex<double>>;

/// Adds the window around a place, whose values `weight` gives by the distance.
template <class Weight>
void add(Grid& grid, double x, double y, std::complex<double> value, const Weight& weight) {
  for (int v = static_cast<int>(std::ceil(y - radius)); v <= std::floor(y + radius); ++v) {
    for (int u = static_cast<int>(std::ceil(x - radius)); u <= std::floor(x + radius); ++u) {
      const int point = wrapped(v, edge) * edge + wrapped(u, edge);
      grid[static_cast<std::size_t>(point)] += weight(std::hypot(u - x, v - y)) * value;
    }
  }
}

/// `on_bins`: at multiples of half a cell and 0.001. `within`: the part of a bin at which its value is taken.
double listing_error(bool on_bins, double within) {
  constexpr std::uint64_t seed = 1338;
  constexpr double off = 0.001;
  constexpr auto points = static_cast<std::size_t>(edge) * edge;
  Grid exact(points);
  Grid found(points);
  std::uint64_t number = 0;
  const auto place = [&] {
    const double anywhere = (block - 1) * random_uniform(seed, number++);
    return on_bins ? bin * std::floor(anywhere / bin) + off : anywhere;
  };
  for (int sample = 0; sample < edge * edge / block; ++sample) {
    const int sector = sample / block;
    const int row = sector / (edge / block);
    const int column = sector % (edge / block);
    const double x = column * block + place();
    const double y = row * block + place();
    const std::complex<double> value(random_uniform(seed, number), random_uniform(seed, number + 1));
    number += 2;
    add(exact, x, y, value, gaussian);
    add(found, x, y, value,
        [within](double distance) { return gaussian(bin * (std::floor(distance / bin) + within)); });
  }
  double difference = 0;
  double total = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    difference += std::norm(found[i] - exact[i]);
    total += std::norm(exact[i]);
  }
  return std::sqrt(difference / total);
}

}  // namespace

Table accesses_table() {
  Table table{"accesses",
              "Accesses to memory: the loop as written, and with a perfect cache",
              {"sizes", "samples n", "window m", "grid r", "3nm^2", "n + r^2", "gain", "m^2", "published"},
              {}};
  const auto row = [&](const char* what, double n, double m, double r, const Cell& published) {
    const double written = 3 * n * m * m;
    const double perfect = n + r * r;
    table.rows.push_back({what, n, m, r, written, perfect, written / perfect, m * m, published});
  };
  constexpr double grid = 512;
  row("the paper's", 5000, 8, grid, {});
  row("the listing's", 8192, 2 * radius, grid, {});
  row("as many samples as points", grid * grid, 2 * radius, grid, Cited("gridding_2d", "256").text());
  return table;
}

Table listing_table() {
  Table table{"listing",
              "The listing's table of the window: 16 cells wide, bins of half a cell; relative l2 error of the grid",
              {"samples", "value of a bin", "error %"},
              {}};
  constexpr double percent = 100;
  constexpr double middle = 0.5;
  for (const bool on_bins : {true, false}) {
    for (const double within : {0.0, middle}) {
      table.rows.push_back({on_bins ? "at multiples of half a cell, as in the listing" : "anywhere",
                            within == 0 ? "at its lower edge, as in the listing" : "in its middle",
                            percent * listing_error(on_bins, within)});
    }
  }
  return table;
}

}  // namespace whorl::studies::gridding_2d
