#include "whorl/plot/figure.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

struct PngPicture {
  int width = 0;
  int height = 0;
  std::vector<png_byte> rgb;

  std::array<int, 3> at(int x, int y) const {
    const auto first = static_cast<std::size_t>(3 * (y * width + x));
    return {rgb[first], rgb[first + 1], rgb[first + 2]};
  }
};

PngPicture read_picture(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  PngPicture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  return picture;
}

// Pixels of a color, and the box around them.
struct Blot {
  int count = 0;
  int left = 1 << 20;
  int right = -1;
  int top = 1 << 20;
  int bottom = -1;
};

Blot find_color(const PngPicture& picture, const std::array<int, 3>& color) {
  Blot blot;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (picture.at(x, y) != color) continue;
      ++blot.count;
      blot.left = std::min(blot.left, x);
      blot.right = std::max(blot.right, x);
      blot.top = std::min(blot.top, y);
      blot.bottom = std::max(blot.bottom, y);
    }
  }
  return blot;
}

constexpr std::array<int, 3> blue{0, 114, 178};
constexpr std::array<int, 3> vermillion{213, 94, 0};

class FigureFile : public ::testing::Test {
 protected:
  PngPicture draw(const Figure& figure) {
    write_figure(ctx_, path_, figure);
    return read_picture(path_);
  }
  const Context ctx_;
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "figure.png";
};

TEST_F(FigureFile, LegendsCoverNoLines) {
  Figure figure;
  figure.panel_width = 400;
  figure.panel_height = 300;
  Panel panel;
  panel.x_range = {{0, 1}};
  panel.y_range = {{0, 1}};
  // Near the top all along, with both points beyond any legend there.
  panel.series.push_back({.x = {0, 1}, .y = {0.92, 0.92}, .size = 4});
  figure.panels = {panel};
  const Blot line = find_color(draw(figure), blue);
  EXPECT_GT(line.count, 250);
  figure.panels[0].series[0].label = "a line";
  const Blot with_legend = find_color(draw(figure), blue);
  EXPECT_GT(with_legend.count, line.count);  // that of the legend too
}

TEST_F(FigureFile, PointsAreWhereTheRangeSays) {
  Figure figure;
  figure.panel_width = 400;
  figure.panel_height = 300;
  Panel panel;
  panel.x_range = {{0, 10}};
  panel.y_range = {{-1, 1}};
  panel.series = {{{5}, {0}, SeriesStyle::dots, PlotColor::vermillion, 12},
                  {{10}, {1}, SeriesStyle::dots, PlotColor::blue, 24}};
  figure.panels = {panel};
  const PngPicture picture = draw(figure);
  EXPECT_EQ(picture.width, 400);
  EXPECT_EQ(picture.height, 300);
  const Blot dot = find_color(picture, vermillion);
  // Whole pixels of a disc of 12: its area 113 without the rim, about 38 pixels.
  EXPECT_GT(dot.count, 70);
  EXPECT_LT(dot.count, 114);
  const Blot corner = find_color(picture, blue);
  // A quarter of the dot at the corner is inside; the frame covers a line of it.
  EXPECT_GT(corner.count, 60);
  EXPECT_LT(corner.count, 114);
  // The center of the frame: left margin 74, right 18, top 34, bottom 52.
  EXPECT_NEAR((dot.left + dot.right) / 2.0, (74 + 400 - 18) / 2.0, 1);
  EXPECT_NEAR((dot.top + dot.bottom) / 2.0, (34 + 300 - 52) / 2.0, 1);
}

TEST_F(FigureFile, PictureHasThePixelsOfTheFile) {
  Figure figure;
  figure.panel_width = 240;
  figure.panel_height = 210;
  figure.panels = {{.series = {{{0, 1, 2}, {1, 3, 2}, SeriesStyle::line, PlotColor::blue, 3}}}};
  const PngPicture file = draw(figure);
  const Picture picture = draw_figure(ctx_, figure);
  ASSERT_EQ(picture.width, file.width);
  ASSERT_EQ(picture.height, file.height);
  EXPECT_GT(find_color(file, blue).count, 100);
  for (int y = 0; y < file.height; ++y) {
    for (int x = 0; x < file.width; ++x) {
      const Color& color = picture.at(y, x);
      ASSERT_EQ(file.at(x, y), (std::array<int, 3>{color[0], color[1], color[2]})) << x << " " << y;
    }
  }
}

TEST_F(FigureFile, EqualAspectMakesCirclesRound) {
  Series circle;
  for (int i = 0; i <= 2000; ++i) {
    circle.x.push_back(3 * std::cos(i * 0.01));
    circle.y.push_back(3 * std::sin(i * 0.01));
  }
  circle.size = 3;
  Figure figure;
  figure.panel_width = 600;
  figure.panel_height = 300;
  figure.panels = {{.equal_aspect = true, .series = {circle}}};
  Blot blot = find_color(draw(figure), blue);
  EXPECT_NEAR(blot.right - blot.left, blot.bottom - blot.top, 2);
  figure.panels[0].equal_aspect = false;
  blot = find_color(draw(figure), blue);
  EXPECT_GT(blot.right - blot.left, 2 * (blot.bottom - blot.top));
}

TEST_F(FigureFile, DecadesAreEquallyLong) {
  Figure figure;
  figure.panel_width = 492;   // 400 between the axes
  figure.panel_height = 386;  // 300
  Panel panel{.x_scale = AxisScale::logarithmic, .y_scale = AxisScale::logarithmic};
  panel.x_range = {{1e-3, 10}};
  panel.y_range = {{1, 1000}};
  panel.series = {{{1e-2}, {100}, SeriesStyle::dots, PlotColor::blue, 12},
                  {{1}, {10}, SeriesStyle::dots, PlotColor::vermillion, 12}};
  figure.panels = {panel};
  const PngPicture picture = draw(figure);
  // One and three of four decades across, one and two of three from the top; whole pixels.
  for (const auto& [color, across, down] : {std::tuple{blue, 100, 100}, std::tuple{vermillion, 300, 200}}) {
    const Blot dot = find_color(picture, color);
    EXPECT_NEAR((dot.left + dot.right) / 2.0, 74 + across, 1);
    EXPECT_NEAR((dot.top + dot.bottom) / 2.0, 34 + down, 1);
  }
  figure.panels[0].series[0].x = {std::nan("")};
  EXPECT_EQ(find_color(draw(figure), blue).count, 0);
}

TEST_F(FigureFile, NotANumberBreaksTheLine) {
  const double nan = std::nan("");
  Figure figure;
  figure.panels = {
      {.x_range = {{0, 4}}, .y_range = {{0, 1}}, .series = {{{0, 1, nan, 3, 4}, {0.5, 0.5, 0.5, 0.5, 0.5}}}}};
  figure.panels[0].series[0].size = 4;
  const int broken = find_color(draw(figure), blue).count;
  figure.panels[0].series[0].x[2] = 2;
  const int whole = find_color(draw(figure), blue).count;
  // Two of four parts are left; ends are anti-aliased.
  EXPECT_NEAR(broken, whole / 2, 12);
  figure.panels[0].series[0].style = SeriesStyle::dots;
  figure.panels[0].series[0].y[1] = nan;
  EXPECT_GT(find_color(draw(figure), blue).count, 0);
}

TEST_F(FigureFile, PanelsTitlesAndLegends) {
  Figure figure{.title = "all", .columns = 2, .panel_width = 250, .panel_height = 220};
  const Series line{{0, 1}, {0, 1}, SeriesStyle::line, PlotColor::gray, 1, "a line"};
  const Series dots{{0}, {5}, SeriesStyle::dots, PlotColor::green, 3, "dots"};
  figure.panels = {{.title = "one", .x_label = "x", .y_label = "y", .series = {line, dots}}, {.series = {line}}, {}};
  const PngPicture with = draw(figure);
  EXPECT_EQ(with.width, 500);
  EXPECT_EQ(with.height, 470);
  figure.panels[0].title.clear();
  const PngPicture without = draw(figure);
  // The title is where it was and nothing else is.
  for (int y = 0; y < with.height; ++y) {
    for (int x = 0; x < with.width; ++x) {
      if (y >= 30 && y < 64 && x < 250) continue;
      ASSERT_EQ(with.at(x, y), without.at(x, y));
    }
  }
  EXPECT_NE(with.rgb, without.rgb);
}

TEST_F(FigureFile, LongLinesAreWhole) {
  Series wave;
  for (int i = 0; i <= 3000; ++i) {
    wave.x.push_back(i);
    wave.y.push_back(0);
  }
  Figure figure;
  figure.panels = {{.x_range = {{0, 3000}}, .series = {wave}}};
  figure.panels[0].series[0].size = 5;
  const PngPicture picture = draw(figure);
  const Blot blot = find_color(picture, blue);
  // No seam between the parts in which it is drawn; the ends are round.
  for (int x = blot.left + 3; x <= blot.right - 3; ++x) {
    for (int y = blot.top; y <= blot.bottom; ++y) ASSERT_EQ(picture.at(x, y), blue) << x << ' ' << y;
  }
}

TEST_F(FigureFile, WhatCanNotBeDrawnIsRefused) {
  const Figure good{.panels = {{.series = {{{0, 1}, {0, 1}}}}}};
  const auto refused = [&](auto change) {
    Figure bad = good;
    change(bad);
    EXPECT_THROW(write_figure(ctx_, path_, bad), ValueError);
  };
  refused([](Figure& bad) { bad.panels.clear(); });
  refused([](Figure& bad) { bad.columns = 0; });
  refused([](Figure& bad) { bad.panel_width = 199; });
  refused([](Figure& bad) { bad.panel_height = 16384; });
  refused([](Figure& bad) { bad.panel_width = std::numeric_limits<int>::max(); });
  refused([](Figure& bad) { bad.panels[0].series[0].x.pop_back(); });
  refused([](Figure& bad) { bad.panels[0].series[0].y[1] = std::numeric_limits<double>::infinity(); });
  refused([](Figure& bad) { bad.panels[0].series[0].size = 0; });
  refused([](Figure& bad) { bad.panels[0].x_range = {{1, 1}}; });
  refused([](Figure& bad) { bad.panels[0].x_scale = AxisScale::logarithmic; });
  refused([](Figure& bad) { bad.panels[0].y_scale = AxisScale::logarithmic; });
  refused([](Figure& bad) { bad.panels[0] = {.x_scale = AxisScale::logarithmic, .x_range = {{-1, 1}}}; });
  refused([](Figure& bad) { bad.panels[0].y_range = {{0, std::nan("")}}; });
  EXPECT_EQ(folder_.entries(), 0);
  EXPECT_THROW(write_figure(ctx_, folder_ / "missing" / "a.png", good), IoError);
  ctx_.request_cancel();
  EXPECT_THROW(write_figure(ctx_, path_, good), Cancelled);
}

}  // namespace
}  // namespace whorl
