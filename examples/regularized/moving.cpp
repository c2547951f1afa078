#include <fmt/format.h>

#include <cmath>

#include "cases.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/plot/figure.hpp"
#include "whorl/scan/regroup.hpp"
#include "whorl/trajectory/radial.hpp"

namespace regularized {

using whorl::Array;
using whorl::ArrayRef;
using whorl::Context;
using whorl::Index;

namespace {

constexpr double readout_interval_ms = 12;

// Each frame at the middle of its time.
Array<float> moving_truth(const Context& ctx, const Settings& settings, Index n, Index spokes) {
  Array<float> truth(ctx, {settings.frames, 1, n, n});
  for (Index t = 0; t < settings.frames; ++t) {
    const double readout = (static_cast<double>(t) + 0.5) * static_cast<double>(spokes) - 0.5;
    const auto image = true_image(ctx, settings, whorl::beating_phantom(1e-3 * readout_interval_ms * readout), n);
    whorl::copy<float>(image, truth.slice(t));
  }
  return truth;
}

// The mean over the middle of the vessel, frame by frame.
std::vector<double> vessel_curve(ArrayRef<const float> series, Index n) {
  std::vector<double> curve;
  const double half = static_cast<double>(n) / 2;
  for (Index t = 0; t < series.extent(0); ++t) {
    double sum = 0;
    double count = 0;
    for (Index r = 0; r < n * n; ++r) {
      const double x = (static_cast<double>(r % n) - std::floor(half)) / half;
      const double y = (static_cast<double>(r / n) - std::floor(half)) / half;
      if (std::hypot((x + 0.15) / 0.1, (y + 0.45) / 0.08) > 0.7) continue;
      sum += static_cast<double>(series.data()[t * n * n + r]);
      ++count;
    }
    curve.push_back(sum / count);
  }
  return curve;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0;
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a[i] - b[i], 2);
    square += b[i] * b[i];
  }
  return std::sqrt(difference / square);
}

// A line of pixels through the ventricle over time, [frame, y], three times as high as there are frames.
Array<float> course(const Context& ctx, ArrayRef<const float> series, Index n) {
  constexpr Index each = 3;
  Array<float> lines(ctx, {each * series.extent(0), n});
  for (Index t = 0; t < series.extent(0); ++t) {
    for (Index row = 0; row < each; ++row) {
      for (Index y = 0; y < n; ++y) lines.data()[(t * each + row) * n + y] = series.data()[(t * n + y) * n + n / 2];
    }
  }
  return lines;
}

}  // namespace

Study moving_images(const Context& ctx, const Settings& settings) {
  const Context host = ctx.host();
  const Index n = settings.size / 2;
  const Index spokes = 10;
  whorl::Scan plan;
  plan.matrix = {n, n, 1};
  plan.trajectory_kind = "radial";
  plan.readout_interval_ms = readout_interval_ms;
  plan.frames.emplace_back().trajectory = std::make_shared<whorl::Trajectory>(
      whorl::radial_trajectory(host, settings.frames * spokes, 2 * n, whorl::SpokeOrder::golden_angle));
  const whorl::Scan scan = with_true_maps(
      host, whorl::split_frames(host,
                                whorl::dynamic_phantom_scan(
                                    host, [](double time) { return whorl::beating_phantom(time); }, std::move(plan),
                                    {.coils = settings.coils, .noise_standard_deviation = settings.noise}),
                                spokes));
  const Array<float> truth = moving_truth(host, settings, n, spokes);
  const std::vector<double> true_curve = vessel_curve(truth, n);

  Study study{"moving", {}, {}};
  constexpr double high = 1.1;
  constexpr Index zoom = 3;
  const Index shown = settings.frames / 2;
  std::vector<whorl::Picture> frames{panel(host, "truth", truth.slice(shown).slice(0), high, zoom)};
  std::vector<whorl::Picture> courses{panel(host, "truth, over time", course(host, truth, n), high, zoom)};
  whorl::Panel curves{.title = "contrast agent in the vessel", .x_label = "frame", .y_label = "mean intensity"};
  std::vector<double> numbers;
  for (Index t = 0; t < settings.frames; ++t) numbers.push_back(static_cast<double>(t));
  curves.series.push_back({numbers, true_curve, whorl::SeriesStyle::line, whorl::PlotColor::black, 3, "truth"});
  const std::vector<double> weights{1e-3, 3e-3, 1e-2};
  const std::vector<Candidates> all{{"", {1e-3, 1e-2, 1e-1}},
                                    {"tv:{:g},unit=largest,axes=t", weights},
                                    {"tv:{:g},unit=largest,axes=xyt", {3e-4, 1e-3, 3e-3}},
                                    {"ictv:{:g},unit=largest,time=2", {3e-4, 1e-3, 3e-3}},
                                    {"llr:{:g},unit=largest", {3e-3, 1e-2, 3e-2}},
                                    {"low-rank-sparse:{:g},unit=largest", {1e-3, 3e-3, 1e-2}},
                                    {"low-rank-sparse:{:g},unit=largest,matrix=patches", {1e-3, 3e-3, 1e-2}}};
  const std::vector<whorl::PlotColor> colors{
      whorl::PlotColor::gray,   whorl::PlotColor::blue,  whorl::PlotColor::sky,       whorl::PlotColor::purple,
      whorl::PlotColor::orange, whorl::PlotColor::green, whorl::PlotColor::vermillion};
  for (std::size_t i = 0; i < all.size(); ++i) {
    Result best = best_of(host, "beating", all[i], known_maps(settings), truth, of_scan(ctx, scan));
    const std::vector<double> curve = vessel_curve(best.magnitude, n);
    best.row.other = fmt::format("vessel's curve: {:.1f} %", 100 * distance(curve, true_curve));
    study.rows.push_back(best.row);
    frames.push_back(panel(host, caption_of(best), best.magnitude.slice(shown).slice(0), high, zoom));
    courses.push_back(panel(host, "over time", course(host, best.magnitude, n), high, zoom));
    curves.series.push_back({numbers, curve, whorl::SeriesStyle::line, colors[i], 1.5, best.row.method});
  }
  const auto columns = static_cast<Index>(frames.size());
  frames.insert(frames.end(), courses.begin(), courses.end());
  study.picture = whorl::stacked(whorl::in_rows(frames, columns, 6),
                                 whorl::draw_figure(host, {.panels = {curves}, .columns = 1, .panel_width = 1200}), 6);
  return study;
}

}  // namespace regularized
