// One sample after the other, each added to the points around it: the obvious program.
//
// The three steps differ in two things. An exponential takes as long as dozens of multiplications, so a table pays
// even though its index needs a square root. Separate arrays for real and imaginary parts let a loop over points load
// and store neighbors at once, if the rest of the loop allows it.
#include <cmath>
#include <complex>

#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/window.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// step: input-driven, exp() at each point; window from the table; real and imaginary parts apart
/// Calls add(point, weight) for the points in reach of a sample.
template <class Weight, class Add>
void for_points(const Extents& grid, const Sample& sample, const Weight& weight, const Add& add) {
  const int x0 = first_point(sample.x);
  const int y0 = first_point(sample.y);
  for (int y = y0; y < y0 + width; ++y) {
    const Index row = Index{wrapped(y, grid.y)} * grid.x;
    for (int x = x0; x < x0 + width; ++x) {
      add(row + wrapped(x, grid.x), weight(static_cast<float>(x) - sample.x, static_cast<float>(y) - sample.y));
    }
  }
}
// end of step

// step: input-driven, exp() at each point; window from the table
template <class Weight>
void interleaved(const Problem& problem, const Weight& weight, ArrayRef<float> grid) {
  auto* const points = reinterpret_cast<std::complex<float>*>(grid.data());
  fill<float>(grid, 0);
  for (const Sample& sample : problem.samples.span()) {
    const std::complex<float> value(sample.real, sample.imag);
    for_points(problem.grid, sample, weight, [&](Index point, float w) { points[point] += w * value; });
  }
}
// end of step

// step: real and imaginary parts apart
template <class Weight>
void split(const Problem& problem, const Weight& weight, ArrayRef<float> grid) {
  float* const real = grid.data();
  float* const imag = real + problem.grid.points();
  fill<float>(grid, 0);
  for (const Sample& sample : problem.samples.span()) {
    for_points(problem.grid, sample, weight, [&](Index point, float w) {
      real[point] += w * sample.real;
      imag[point] += w * sample.imag;
    });
  }
}
// end of step

// step: input-driven, exp() at each point
struct Exponential {
  float scale;  // -1 / b
  float operator()(float dx, float dy) const { return std::exp(scale * (dx * dx + dy * dy)); }
};
// end of step

// step: window from the table; real and imaginary parts apart
struct TableOfDistances {
  const float* table;
  float operator()(float dx, float dy) const { return table[entry_at(std::sqrt(dx * dx + dy * dy))]; }
};
// end of step

}  // namespace

// step: input-driven, exp() at each point
void exponential_on_host(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> grid) {
  interleaved(problem, Exponential{static_cast<float>(-1 / problem.b)}, grid);
}
// end of step

// step: window from the table
void table_on_host(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> grid) {
  interleaved(problem, TableOfDistances{problem.table.data()}, grid);
}
// end of step

// step: real and imaginary parts apart
void split_on_host(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> grid) {
  split(problem, TableOfDistances{problem.table.data()}, grid);
}
// end of step

void looked_up_on_host(Lookup lookup, const Problem& problem, ArrayRef<float> grid) {
  const float* const table = problem.table.data();
  switch (lookup) {
    case Lookup::exact:
      split(problem, Exponential{static_cast<float>(-1 / problem.b)}, grid);
      break;
    case Lookup::distance:
      split(problem, TableOfDistances{table}, grid);
      break;
    case Lookup::estimated:
      split(
          problem, [table](float dx, float dy) { return table[entry_at(estimated_distance(dx, dy))]; }, grid);
      break;
    case Lookup::axes:
      split(
          problem,
          [table](float dx, float dy) { return table[entry_at(std::abs(dx))] * table[entry_at(std::abs(dy))]; }, grid);
      break;
  }
}

}  // namespace whorl::studies::gridding_2d
