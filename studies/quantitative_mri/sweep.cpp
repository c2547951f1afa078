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
  const auto quality = [](const Row& row) {
    const ErrorMeasures& measures = row.quality.front();
    return Quality{measures.percent_error, measures.psnr_db};
  };
  return {options.blur, options.reach, quality(bilinear_row(trial)), quality(nufft_double_row(trial))};
}

double difference(const Quality& a, const Quality& b) {
  return std::hypot(20 * std::log10(a.percent_error / b.percent_error), a.psnr_db - b.psnr_db);
}

const std::vector<std::string> measures{"bilinear gridding error %", "bilinear gridding PSNR dB",
                                        "least squares error %", "least squares PSNR dB"};

std::vector<std::string> columns(std::vector<std::string> first) {
  first.insert(first.end(), measures.begin(), measures.end());
  return first;
}

void add_measures(std::vector<Cell>& row, const Quality& gridding, const Quality& least_squares) {
  row.insert(row.end(), {gridding.percent_error, gridding.psnr_db, least_squares.percent_error, least_squares.psnr_db});
}

}  // namespace

double SweepPoint::distance() const {
  return std::hypot(difference(gridding, published_gridding), difference(least_squares, published_least_squares));
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
              fmt::format("Without noise at {}^3 voxels by the blur of the phantom and the reach of the samples "
                          "(published: {} %, {} dB and {} %, {} dB)",
                          size, published_gridding.percent_error, published_gridding.psnr_db,
                          published_least_squares.percent_error, published_least_squares.psnr_db),
              columns({"blur voxels", "reach cycles per voxel"}),
              {}};
  table.columns.emplace_back("distance from published dB");
  for (const SweepPoint& point : points) {
    std::vector<Cell> row{point.blur, point.reach};
    add_measures(row, point.gridding, point.least_squares);
    row.emplace_back(point.distance());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table found_table(const Context& ctx, const Options& options, const SweepPoint& point) {
  Table table{"found",
              fmt::format("The study's scan and the one of the sweep that comes nearest to the chapter, at {}^3 voxels",
                          options.size),
              columns({"scan", "blur voxels", "reach cycles per voxel"}),
              {}};
  const auto add = [&](const std::string& name, const Options& chosen) {
    const SweepPoint here = measured(ctx, chosen);
    std::vector<Cell> row{name, here.blur, here.reach};
    add_measures(row, here.gridding, here.least_squares);
    table.rows.push_back(std::move(row));
  };
  add("the study's", options);
  Options found = options;
  found.blur = point.blur;
  found.reach = point.reach;
  add("nearest of the sweep", found);
  std::vector<Cell> published{"published", {}, {}};
  add_measures(published, published_gridding, published_least_squares);
  table.rows.push_back(std::move(published));
  return table;
}

}  // namespace whorl::studies::quantitative_mri
