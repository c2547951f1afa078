// The samples of the study, on the host and on a device.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "studies/gridding_2d/layout.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::gridding_2d {

/// Samples in the order of acquisition. Their positions are multiples of 1/256 cell: 16 bits for 256 cells, like a
/// scanner's gradients. Distances to grid points are exact in float.
struct Scan {
  std::string name;
  Extents grid;
  std::vector<Sample> samples;
};

/// Rounds a position, in cells of a periodic axis, to these multiples.
float sample_place(double cells, int extent);

/// Uniformly distributed, as in the paper; random values of E|v|^2 = 1.
Scan uniform_scan(const Context& ctx, Extents grid, Index samples);
/// 24 interleaved arms, and spokes through the center, both for an image of half the grid's size, fully sampled.
Scan spiral_scan(const Context& ctx, Extents grid);
Scan radial_scan(const Context& ctx, Extents grid);

/// The places in cycles per grid point, |k| <= 1/2: [sample, 2], x first.
Array<double> points_of(const Context& ctx, const Scan& scan);
Array<std::complex<double>> values_of(const Context& ctx, const Scan& scan);

/// The data on a context's device, made before the timing.
struct Problem {
  Extents grid;
  Sizes sizes;
  double b = 0;           ///< of the window
  Array<Sample> samples;  ///< in the order of acquisition
  Array<Sample> sorted;   ///< by sector
  Array<int> first;       ///< [sectors + 1]: of each sector's samples in sorted
  Array<float> table;     ///< of the window
};
Problem make_problem(const Context& ctx, const Scan& scan, double b, const Sizes& sizes = {});

}  // namespace whorl::studies::gridding_2d
