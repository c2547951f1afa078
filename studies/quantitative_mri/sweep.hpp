// A search for the chapter's scan, which it does not describe: how sharp its phantom was, and how dense its samples.
#pragma once

#include <vector>

#include "studies/quantitative_mri/trial.hpp"
#include "studies/results.hpp"

namespace whorl::studies::quantitative_mri {

/// What figure 7.19 says of images without noise.
inline constexpr double published_gridding_db = 16.8;
inline constexpr double published_least_squares_db = 27.6;

/// A choice, and the SNR of its two reconstructions without noise.
struct SweepPoint {
  double blur = 0;
  double reach = 0;
  double gridding_db = 0;
  double least_squares_db = 0;

  /// Its distance from the published numbers in dB.
  double distance() const;
};

/// Bilinear gridding, and least squares by the NUFFT in double precision, for all pairs of blur and reach at a size;
/// the other options are those given.
std::vector<SweepPoint> sweep(const Context& ctx, const Options& options, Index size);

/// The point that comes nearest to the published numbers.
const SweepPoint& nearest_to_published(const std::vector<SweepPoint>& points);

Table sweep_table(const std::vector<SweepPoint>& points, Index size);

/// Gridding and least squares with the phantom and the density of a point beside those of the options, at their size.
Table found_table(const Context& ctx, const Options& options, const SweepPoint& point);

}  // namespace whorl::studies::quantitative_mri
