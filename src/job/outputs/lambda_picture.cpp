#include "whorl/job/lambda_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "whorl/plot/figure.hpp"

namespace whorl {

namespace {

constexpr double mark_size = 11;

// Between two points of the grid a logarithm is taken for straight.
double at(const LambdaCurve& curve, const std::vector<double>& values, double lambda) {
  std::size_t i = 1;
  while (i + 1 < curve.points.size() && curve.points[i].lambda < lambda) ++i;
  const double before = curve.points[i - 1].lambda;
  const double part = std::log(lambda / before) / std::log(curve.points[i].lambda / before);
  return values[i - 1] * std::pow(values[i] / values[i - 1], part);
}

struct Columns {
  std::vector<double> lambda;
  std::vector<double> residual;  // |A x - d|^2 / m
  std::vector<double> residual_norm;
  std::vector<double> penalty_norm;
};

Columns columns_of(const LambdaCurve& curve) {
  Columns columns;
  for (const LambdaPoint& point : curve.points) {
    columns.lambda.push_back(point.lambda);
    columns.residual.push_back(point.residual / static_cast<double>(curve.samples));
    columns.residual_norm.push_back(std::sqrt(point.residual));
    columns.penalty_norm.push_back(std::sqrt(point.penalty));
  }
  return columns;
}

// A curve and its points.
std::vector<Series> drawn(const std::vector<double>& x, const std::vector<double>& y) {
  return {{x, y, SeriesStyle::line, PlotColor::blue, 1.5}, {x, y, SeriesStyle::dots, PlotColor::blue, 5}};
}

Panel l_curve_panel(const LambdaChoice& choice, const Columns& columns) {
  Panel panel{.title = "L-curve", .x_label = "residual |A x - d|", .y_label = "penalty |W x|"};
  panel.x_scale = AxisScale::logarithmic;
  panel.y_scale = AxisScale::logarithmic;
  panel.series = drawn(columns.residual_norm, columns.penalty_norm);
  panel.series.push_back({{at(choice.curve, columns.residual_norm, choice.lambda)},
                          {at(choice.curve, columns.penalty_norm, choice.lambda)},
                          SeriesStyle::dots,
                          PlotColor::vermillion,
                          mark_size,
                          fmt::format("lambda {:.2e}", choice.lambda)});
  return panel;
}

// Quantity that the method compares, over lambda.
Panel method_panel(const LambdaChoice& choice, const Columns& columns) {
  Panel panel{.x_label = "lambda"};
  panel.x_scale = AxisScale::logarithmic;
  panel.y_scale = AxisScale::logarithmic;
  std::vector<double> values;
  switch (choice.method) {
    case LambdaMethod::gcv:
      panel.title = "Generalized cross-validation";
      panel.y_label = "m |A x - d|^2 / (m - T)^2";
      values = gcv_values(choice.curve);
      break;
    case LambdaMethod::discrepancy:
      panel.title = "Discrepancy principle";
      panel.y_label = "residual |A x - d|^2 / m";
      values = columns.residual;
      break;
    case LambdaMethod::l_curve:
      panel.title = "Curvature of the L-curve";
      panel.y_label = "curvature";
      panel.y_scale = AxisScale::linear;  // it has a sign
      values = l_curve_curvatures(choice.curve);
      break;
    case LambdaMethod::spectrum:  // without a curve: nobody asks for its picture
      break;
  }
  panel.series = drawn(columns.lambda, values);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  panel.series.push_back({{choice.lambda, choice.lambda},
                          {low, high},
                          SeriesStyle::line,
                          PlotColor::vermillion,
                          2,
                          fmt::format("lambda {:.2e}", choice.lambda)});
  if (choice.method == LambdaMethod::discrepancy) {
    panel.series.push_back({{columns.lambda.front(), columns.lambda.back()},
                            {choice.noise_energy, choice.noise_energy},
                            SeriesStyle::line,
                            PlotColor::gray,
                            1.5,
                            "noise"});
  }
  return panel;
}

}  // namespace

void write_lambda_picture(const Context& ctx, const std::string& path, const LambdaChoice& choice) {
  const Columns columns = columns_of(choice.curve);
  write_figure(ctx, path, {.panels = {method_panel(choice, columns), l_curve_panel(choice, columns)}});
}

}  // namespace whorl
