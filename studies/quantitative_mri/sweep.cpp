#include "studies/quantitative_mri/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "studies/quantitative_mri/rows.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

// FWHM in voxels, and cycles per voxel: the samples of 7/32 are a Nyquist step apart along a spoke, those of 7/64 half a
// step. Sparser ones (9/32) give 6 dB.
constexpr std::array blurs{2.0, 3.0, 3.5, 4.0, 6.0};
constexpr std::array reaches{7.0 / 64, 9.0 / 64, 10.0 / 64, 11.0 / 64, 7.0 / 32};

Trial trial_of(const Context& ctx, const Options& options) {
  Trial trial{ctx, options, {}};
  trial.scan = simulate(ctx.host(), options);
  return trial;
}

SweepPoint measured(const Context& ctx, const Options& options) {
  Trial trial = trial_of(ctx, options);
  trial.scan.data.resize(1);  // without noise
  return {options.blur, options.reach, bilinear_row(trial).quality.front().snr_db,
          nufft_double_row(trial).quality.front().snr_db};
}

}  // namespace

double SweepPoint::distance() const {
  return std::hypot(gridding_db - published_gridding_db, least_squares_db - published_least_squares_db);
}

std::vector<SweepPoint> sweep(const Context& ctx, const Options& options, Index size) {
  std::vector<SweepPoint> points;
  ProgressStage progress(ctx, "phantoms and densities", static_cast<Index>(blurs.size() * reaches.size()));
  Options chosen = options;
  chosen.size = size;
  for (const double blur : blurs) {
    for (const double reach : reaches) {
      chosen.blur = blur;
      chosen.reach = reach;
      points.push_back(measured(ctx, chosen));
      progress.advance();
    }
  }
  return points;
}

const SweepPoint& nearest_to_published(const std::vector<SweepPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const SweepPoint& a, const SweepPoint& b) { return a.distance() < b.distance(); });
}

Table sweep_table(const std::vector<SweepPoint>& points, Index size) {
  Table table{"sweep",
              fmt::format("SNR without noise at {}^3 voxels by the blur of the phantom and the reach of the samples "
                          "(published: {} and {} dB)",
                          size, published_gridding_db, published_least_squares_db),
              {"blur voxels", "reach cycles per voxel", "bilinear gridding dB", "least squares dB",
               "distance from published dB"},
              {}};
  for (const SweepPoint& point : points) {
    table.rows.push_back({point.blur, point.reach, point.gridding_db, point.least_squares_db, point.distance()});
  }
  return table;
}

Table found_table(const Context& ctx, const Options& options, const SweepPoint& point) {
  Table table{"found",
              fmt::format("The study's scan and the one of the sweep that comes nearest to the chapter, at {}^3 voxels",
                          options.size),
              {"scan", "blur voxels", "reach cycles per voxel", "bilinear gridding dB", "least squares dB"},
              {}};
  const auto add = [&](const std::string& name, const Options& chosen) {
    const SweepPoint here = measured(ctx, chosen);
    table.rows.push_back({name, here.blur, here.reach, here.gridding_db, here.least_squares_db});
  };
  add("the study's", options);
  Options found = options;
  found.blur = point.blur;
  found.reach = point.reach;
  add("nearest of the sweep", found);
  table.rows.push_back({"published", {}, {}, published_gridding_db, published_least_squares_db});
  return table;
}

}  // namespace whorl::studies::quantitative_mri
