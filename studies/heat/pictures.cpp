#include "studies/heat/pictures.hpp"

#include <fmt/format.h>

#include <array>

#include "studies/heat/adi_steps.hpp"
#include "studies/heat/orders.hpp"
#include "whorl/plot/caption.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/figure.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::studies::heat {

namespace {

struct Row {
  PlaneStep step;
  Domain domain;
  double rate;
  std::array<Index, 4> steps;
  DisplayWindow window;
};

Array<float> first_plane(const Context& ctx, const Setting& setting) {
  const Array<double> wide = first_temperature(ctx.host(), setting);
  Array<float> narrow(ctx.host(), wide.shape());
  for (Index i = 0; i < wide.size(); ++i) narrow.data()[i] = static_cast<float>(wide.data()[i]);
  return clone(ctx, narrow.ref());
}

constexpr std::array colors{PlotColor::blue, PlotColor::vermillion, PlotColor::green, PlotColor::orange,
                            PlotColor::purple};

// Lines are the equation's temperature, dots that of the steps.
Panel profiles(const Context& host) {
  constexpr Index points = 47;
  constexpr std::array<Index, 4> steps{0, 2, 10, 40};
  Panel panel{.title = "Implicit steps (dots) and the equation (lines)", .x_label = "x", .y_label = "temperature"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Setting setting{.domain = Domain::walls, .axes = 1, .n = points, .rate = 4, .steps = steps[i]};
    Series line{.color = colors[i], .label = fmt::format("t = {:.3g}", setting.time())};
    Series dots{.style = SeriesStyle::dots, .color = colors[i], .size = 5};
    const Array<double> exact = temperature(host, setting, continuous_decay(setting));
    const Array<double> here = solve(host, setting, Scheme::crank_nicolson);
    for (Index at = 0; at < points; ++at) {
      const double x = static_cast<double>(at + 1) * setting.spacing();
      for (Series* const series : {&line, &dots}) series->x.push_back(x);
      line.y.push_back(exact.data()[at]);
      dots.y.push_back(here.data()[at]);
    }
    panel.series.push_back(std::move(line));
    panel.series.push_back(std::move(dots));
  }
  return panel;
}

Panel error_lines(const Table& time_orders) {
  Panel panel{.title = "Errors of the steps alone",
              .x_label = "dt/h^2",
              .y_label = "relative l2 error",
              .x_scale = AxisScale::logarithmic,
              .y_scale = AxisScale::logarithmic,
              .y_range = {{1e-6, 1}}};
  for (const auto& row : time_orders.rows) {
    const auto& name = std::get<std::string>(row[0]);
    if (panel.series.empty() || panel.series.back().label != name) {
      panel.series.push_back({.color = colors[panel.series.size()], .label = name});
    }
    panel.series.back().x.push_back(std::get<double>(row[2]));
    panel.series.back().y.push_back(std::get<double>(row[4]));
  }
  return panel;
}

}  // namespace

NamedPicture temperature_picture(const Context& ctx) {
  constexpr Index n = 128;
  const std::array rows{
      Row{library_plane_step(), Domain::torus, 0.1875, {0, 100, 300, 900}, {0, 2}},
      Row{library_adi_step(), Domain::walls, 4, {0, 25, 75, 225}, {-1, 1.5}},
  };
  std::vector<Picture> pictures;
  for (const Row& row : rows) {
    Setting setting{.domain = row.domain, .n = n, .rate = row.rate};
    const Array<float> first = first_plane(ctx, setting);
    Array<float> last(ctx, first.shape());
    for (const Index steps : row.steps) {
      setting.steps = steps;
      row.step.run(ctx, {first, last, n, static_cast<float>(row.rate), steps});
      MontageOptions options{.colormap = Colormap::hot, .window = row.window, .zoom = 2};
      const Picture picture = montage_picture(ctx.host(), to_host(ctx, last.ref()), options);
      pictures.push_back(
          with_caption(with_colorbar(picture, Colormap::hot, row.window),
                       {fmt::format("{}, t = {:.2g}", row.domain == Domain::torus ? "torus" : "walls", setting.time()),
                        fmt::format("{} steps", steps)}));
    }
  }
  constexpr Index gap = 4;
  return {"temperature", in_rows(pictures, static_cast<Index>(rows.front().steps.size()), gap)};
}

NamedPicture line_picture(const Context& host, const Table& time_orders) {
  return {"line", draw_figure(host, {.panels = {profiles(host), error_lines(time_orders)}})};
}

}  // namespace whorl::studies::heat
