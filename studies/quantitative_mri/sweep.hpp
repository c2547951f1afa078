// A search for the chapter's scan, which it does not describe: how sharp its phantom was, and how dense its samples.
#pragma once

#include <vector>

#include "studies/quantitative_mri/trial.hpp"
#include "studies/results.hpp"

namespace whorl::studies::quantitative_mri {

/// How good an image is, in the two measures of figure 7.19.
struct Quality {
  double percent_error = 0;
  double psnr_db = 0;
};

/// What figure 7.19 has for images without noise.
inline constexpr Quality published_gridding{published_gridding_error, published_gridding_psnr};
inline constexpr Quality published_least_squares{published_error, published_psnr};

/// A choice, and its two reconstructions without noise.
struct SweepPoint {
  double blur = 0;
  double reach = 0;
  Quality gridding;
  Quality least_squares;

  /// Its distance from the published numbers in dB: the root of the sum of squares of four differences, percent errors
  /// as 20 log10.
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
