#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/image_center.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {
namespace {

using test::message_of;
using ::testing::HasSubstr;

const EncodedGrid grid{{96, 64, 40}, {240, 160, 100}};  // pixels of 2.5 mm

TEST(TrajectoryUnit, NamesGoBothWays) {
  const std::vector<std::string> names{"auto", "cycles/fov", "cycles/pixel", "rad/pixel", "nyquist",
                                       "1/m",  "1/cm",       "1/mm",         "rad/m",     "rad/mm"};
  EXPECT_EQ(trajectory_unit_names(), names);
  for (const std::string& name : names) {
    EXPECT_EQ(to_string(trajectory_unit_from_string(name)), name);
  }
  EXPECT_THAT(message_of<ValueError>([] { trajectory_unit_from_string("furlong"); }), HasSubstr("cycles/fov"));
}

TEST(TrajectoryUnit, FactorsBringNyquistToHalf) {
  // Nyquist: N/2 cycles per field of view, pi radians per pixel, 1/(2 * 2.5 mm) = 200 1/m.
  const auto per_fov = cycles_per_pixel_factors(TrajectoryUnit::cycles_per_fov, grid);
  EXPECT_DOUBLE_EQ(per_fov[0] * 48, 0.5);
  EXPECT_DOUBLE_EQ(per_fov[1] * 32, 0.5);
  EXPECT_DOUBLE_EQ(per_fov[2] * 20, 0.5);
  for (const double factor : cycles_per_pixel_factors(TrajectoryUnit::radians_per_pixel, grid)) {
    EXPECT_DOUBLE_EQ(factor * std::numbers::pi, 0.5);
  }
  for (const double factor : cycles_per_pixel_factors(TrajectoryUnit::inverse_meter, grid)) {
    EXPECT_DOUBLE_EQ(factor * 200, 0.5);
  }
  EXPECT_THROW(cycles_per_pixel_factors(TrajectoryUnit::automatic, grid), ValueError);
  EXPECT_THROW(cycles_per_pixel_factors(TrajectoryUnit::inverse_meter, {{96, 64, 1}, {240, 0, 0}}), ValueError);
}

TEST(TrajectoryUnit, EachIsDetected) {
  const auto detect = [](std::array<double, 3> largest) { return detect_trajectory_unit(largest, grid, "file"); };
  EXPECT_EQ(detect({0.5, 0.49, 0.3}), TrajectoryUnit::cycles_per_pixel);
  EXPECT_EQ(detect({0.13, 0.02, 0}), TrajectoryUnit::cycles_per_pixel);
  EXPECT_EQ(detect({48, 30, 20}), TrajectoryUnit::cycles_per_fov);
  EXPECT_EQ(detect({12.5, 0, 0}), TrajectoryUnit::cycles_per_fov);
  EXPECT_EQ(detect({3.1416, 3, 1}), TrajectoryUnit::radians_per_pixel);
  EXPECT_EQ(detect({199, 150, 100}), TrajectoryUnit::inverse_meter);
  EXPECT_EQ(detect({1257, 1200, 600}), TrajectoryUnit::radians_per_meter);  // 2 pi 200
}

// Nyquist is 0.2 1/mm, 1.257 rad/mm and 2 1/cm: 0.4 of that in cycles/pixel and rad/pixel, 0.64 in rad/pixel.
TEST(TrajectoryUnit, MetricOnesAreNotTakenForPartsOfOthers) {
  const auto of_pixels = [](double largest, double mm) {
    return detect_trajectory_unit({largest, largest, 0}, {{64, 64, 1}, {64 * mm, 64 * mm, 5}}, "file");
  };
  for (const double largest : {0.2, 1.257, 2.0}) {
    EXPECT_THAT(message_of<ValueError>([&] { of_pixels(largest, 2.5); }), HasSubstr("ambiguous")) << largest;
  }
  EXPECT_EQ(of_pixels(0.5 / 5, 5), TrajectoryUnit::inverse_millimeter);    // 0.2 of Nyquist in cycles/pixel
  EXPECT_EQ(of_pixels(5 / 0.9, 0.9), TrajectoryUnit::inverse_centimeter);  // 1.8 of Nyquist in rad/pixel
  // With pixels of 1 mm or nearly so they are cycles/pixel.
  for (const double mm : {0.95, 1.0, 1.05}) EXPECT_EQ(of_pixels(0.5, mm), TrajectoryUnit::cycles_per_pixel) << mm;
  for (const double factor : cycles_per_pixel_factors(TrajectoryUnit::radians_per_millimeter, grid)) {
    EXPECT_DOUBLE_EQ(factor * std::numbers::pi / 2.5, 0.5);
  }
  EXPECT_DOUBLE_EQ(cycles_per_pixel_factors(TrajectoryUnit::inverse_centimeter, grid)[0] * 2, 0.5);
}

TEST(TrajectoryUnit, PositionsThatEndAtOneAreNyquists) {
  const auto detect = [](double largest) { return detect_trajectory_unit({largest, largest, 0}, grid, "file"); };
  for (const double largest : {1.0, 0.98, 1.0005}) EXPECT_EQ(detect(largest), TrajectoryUnit::nyquist) << largest;
  for (const double factor : cycles_per_pixel_factors(TrajectoryUnit::nyquist, grid)) EXPECT_EQ(factor, 0.5);
  // From pi/4 on it may be rad/pixel, a quarter of Nyquist.
  const std::string message = message_of<ValueError>([&] { detect(0.9); });
  EXPECT_THAT(message, HasSubstr("ambiguous"));
  EXPECT_THAT(message, HasSubstr("nyquist: 0.9 of Nyquist"));
  EXPECT_EQ(detect(1.1), TrajectoryUnit::radians_per_pixel);
  EXPECT_EQ(detect(0.5), TrajectoryUnit::cycles_per_pixel);
}

TEST(TrajectoryUnit, EachAxisHasItsOwnNyquist) {
  // 32 cycles/fov is 0.67 of Nyquist along x (48), but all of it along y (32), and 1.6 along z (20).
  EXPECT_EQ(detect_trajectory_unit({0, 32, 0}, grid, "file"), TrajectoryUnit::cycles_per_fov);
  EXPECT_THROW(detect_trajectory_unit({0, 0, 32}, grid, "file"), ValueError);
}

TEST(TrajectoryUnit, NoneOrSeveralIsRefusedWithTheReadings) {
  const std::string none = message_of<ValueError>([] { detect_trajectory_unit({0.05, 0.05, 0}, grid, "file.h5"); });
  EXPECT_THAT(none, HasSubstr("not recognized"));
  EXPECT_THAT(none, HasSubstr("file.h5"));
  EXPECT_THAT(none, HasSubstr("cycles/pixel: 0.1 of Nyquist"));
  EXPECT_THAT(none, HasSubstr("trajectory-unit"));
  // On a matrix of 6 pixels, 3 is Nyquist in cycles/fov and 0.95 of Nyquist in rad/pixel.
  const std::string several = message_of<ValueError>([] {
    detect_trajectory_unit({3, 3, 0}, {{6, 6, 1}, {0, 0, 0}}, "file.h5");
  });
  EXPECT_THAT(several, HasSubstr("ambiguous"));
  EXPECT_THAT(several, HasSubstr("1/m: no field of view; 1/cm: no field of view"));
}

TEST(TrajectoryUnit, ScalingMovesRoundingToNyquistAndRefusesMore) {
  const Context ctx;
  Array<double> points(ctx, {2, 2});
  const auto k = points.view<2>();
  k(0, 0) = std::numbers::pi * (1 + 0.9e-3);
  k(0, 1) = -std::numbers::pi * (1 + 0.9e-3);
  k(1, 0) = 0.5 * std::numbers::pi;
  k(1, 1) = 0;
  const auto factors = cycles_per_pixel_factors(TrajectoryUnit::radians_per_pixel, grid);
  EXPECT_EQ(scale_trajectory(Context(), points, factors, "file"), 2);
  EXPECT_EQ(k(0, 0), 0.5);
  EXPECT_EQ(k(0, 1), -0.5);
  EXPECT_DOUBLE_EQ(k(1, 0), 0.25);

  k(1, 1) = 0.5 * (1 + 1.1e-3);
  EXPECT_THAT(message_of<ValueError>([&] {
                scale_trajectory(Context(), points, {1, 1, 1}, "file");
              }),
              HasSubstr("ky of sample 1 is 0.50055"));
  k(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of<ValueError>([&] {
                scale_trajectory(Context(), points, {1, 1, 1}, "file");
              }),
              HasSubstr("finite"));
}

TEST(TrajectoryColumns, NamesSayWhatTheyHold) {
  const std::vector<std::string> names{"auto", "xy", "xyz", "xyw", "xyzw"};
  EXPECT_EQ(trajectory_columns_names(), names);
  for (const std::string& text : names) {
    const TrajectoryColumns columns = trajectory_columns_from_string(text);
    EXPECT_EQ(to_string(columns), text);
    EXPECT_EQ(has_kz(columns), text.find('z') != std::string::npos);
    EXPECT_EQ(weight_column(columns), text.find('w') == std::string::npos ? -1 : static_cast<int>(text.find('w')));
    EXPECT_EQ(column_count(columns), text == "auto" ? 0 : static_cast<int>(text.size()));
  }
  EXPECT_THAT(message_of<ValueError>([] { trajectory_columns_from_string("zyx"); }), HasSubstr("xyzw"));
}

TEST(ImageCenter, NamesGoBothWays) {
  const std::vector<std::string> names{"voxel", "middle"};
  EXPECT_EQ(image_center_names(), names);
  for (const std::string& name : names) EXPECT_EQ(to_string(image_center_from_string(name)), name);
}

}  // namespace
}  // namespace whorl
