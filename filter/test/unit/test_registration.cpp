#include "whorl/filter/geometry/registration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/geometry/align.hpp"

namespace whorl {
namespace {

using test::value_at;

// Waves of some directions, none shorter than ten pixels, so that cubic weights read between pixels well; in 0 to 1.
double scene(double y, double x) {
  double sum = 0;
  for (const auto& [fy, fx] : {std::pair{0.021, 0.034}, {0.047, -0.013}, {-0.063, 0.071}, {0.011, 0.09}}) {
    sum += std::sin(2 * std::numbers::pi * (fy * y + fx * x) + 40 * fy);
  }
  return 0.5 + sum / 8;
}

// What one sees at (y, x), where it is shifted by (dy, dx): scene(y - dy, x - dx).
Image shifted_scene(const ImageFormat& format, double dy, double dx) {
  const double levels = format.type == PixelType::float32 ? 1 : full_scale(format.type);
  return test::make_image(format, [&](Index slice, Index y, Index x, Index c) {
    const double shade = 1 - 0.1 * static_cast<double>(c + slice % format.depth);
    return levels * shade * scene(static_cast<double>(y) - dy, static_cast<double>(x) - dx);
  });
}

TEST(FindShift, FindsWholePixels) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels : {Channels::gray, Channels::rgb}) {
      const ImageFormat format{type, channels, 1, 2, 83, 121};
      const Image fixed = clone(ctx, shifted_scene(format, 0, 0));
      for (const auto& [dy, dx] : {std::pair<int, int>{0, 0}, {-7, 12}, {15, -15}, {3, 1}}) {
        const Image moving = clone(ctx, shifted_scene(format, dy, dx));
        for (const ShiftScore score : {ShiftScore::squared_difference, ShiftScore::correlation}) {
          ShiftOptions options;
          options.score = score;
          const Shift found = find_shift(ctx, fixed, moving, options);
          EXPECT_EQ(found.dy, dy);
          EXPECT_EQ(found.dx, dx);
          // Pixels are equal, but for float32 positions rounded to 2^-24 of a hundred pixels: 1e-5 of a value.
          EXPECT_NEAR(found.score, score == ShiftScore::correlation ? 1 : 0, 1e-9);
        }
      }
    }
  }
}

TEST(FindShift, GoesThroughAPyramid) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::uint8, Channels::gray, 1, 1, 321, 259};
  ShiftOptions options;
  options.coarsest = 60;  // halved twice: 15 pixels there are 60 here
  const Image fixed = clone(ctx, shifted_scene(format, 0, 0));
  const Image moving = clone(ctx, shifted_scene(format, 41, -23));
  const Shift found = find_shift(ctx, fixed, moving, options);
  EXPECT_EQ(found.dy, 41);
  EXPECT_EQ(found.dx, -23);
}

// Two pictures of a scene with waves of all lengths down to three pixels, seen at (dy, dx), each with noise of its own;
// the second one darker.
struct NoisyPair {
  Image fixed, moving;
};

NoisyPair noisy_pair(Index height, Index width, int dy, int dx, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> turn(0, 1);
  struct Wave {
    double fy, fx, phase, height;
  };
  std::vector<Wave> waves;
  for (double length = 300; length > 3; length /= 1.4) {
    const double direction = 2 * std::numbers::pi * turn(random);
    waves.push_back({std::sin(direction) / length, std::cos(direction) / length, turn(random), std::sqrt(length)});
  }
  std::normal_distribution<double> noise(0, 8);
  const auto picture = [&](double gain, int y0, int x0) {
    return test::make_image({PixelType::uint8, Channels::gray, 1, 1, height, width}, [&](Index, Index y, Index x,
                                                                                         Index) {
      double sum = 0;
      for (const Wave& wave : waves) {
        const double turns = wave.fy * static_cast<double>(y - y0) + wave.fx * static_cast<double>(x - x0) + wave.phase;
        sum += wave.height * std::sin(2 * std::numbers::pi * turns);
      }
      return std::clamp(std::round(gain * (128 + sum) + noise(random)), 0.0, 255.0);
    });
  };
  Image fixed = picture(1, 0, 0);
  Image moving = picture(0.8, dy, dx);
  return {std::move(fixed), std::move(moving)};
}

// The shift of least mean square difference over the central 80 % of the fixed picture, of all up to `range`.
std::pair<int, int> least_of_all(const NoisyPair& pair, int range) {
  const Index height = pair.fixed.format().height;
  const Index width = pair.fixed.format().width;
  const std::uint8_t* const a = pair.fixed.pixels<std::uint8_t>().data();
  const std::uint8_t* const b = pair.moving.pixels<std::uint8_t>().data();
  double least = std::numeric_limits<double>::infinity();
  std::pair<int, int> best;
  for (int dy = -range; dy <= range; ++dy) {
    for (int dx = -range; dx <= range; ++dx) {
      std::int64_t sum = 0;
      std::int64_t count = 0;
      for (Index y = std::max<Index>(height / 10, -dy); y < std::min(height - height / 10, height - dy); ++y) {
        for (Index x = std::max<Index>(width / 10, -dx); x < std::min(width - width / 10, width - dx); ++x) {
          const int difference = a[y * width + x] - b[(y + dy) * width + x + dx];
          sum += difference * difference;
          ++count;
        }
      }
      const double cost = static_cast<double>(sum) / static_cast<double>(count);
      if (cost < least) {
        least = cost;
        best = {dy, dx};
      }
    }
  }
  return best;
}

// Large enough that the shifts are looked for on halved pictures first: once for 211 rows, twice for 405.
TEST(FindShift, FindsWhatAllShiftsFind) {
  const Context ctx = test::device_context();
  struct Case {
    Index height, width;
    int dy, dx;
  };
  unsigned seed = 1;
  for (const Case& known :
       {Case{211, 290, -15, 15}, {211, 290, 0, 0}, {211, 290, 30, 1}, {405, 389, 9, -14}, {405, 389, -1, 3}}) {
    const NoisyPair pair = noisy_pair(known.height, known.width, known.dy, known.dx, seed++);
    const Image fixed = clone(ctx, pair.fixed);
    const Image moving = clone(ctx, pair.moving);
    // Light and contrast differ, so the least difference may lie beside the true shift; 30 pixels are beyond the range.
    const Shift found = find_shift(ctx, fixed, moving, {});
    const std::pair<int, int> expected = least_of_all(pair, 15);
    EXPECT_EQ(found.dy, expected.first) << "shifted by " << known.dy << ", " << known.dx;
    EXPECT_EQ(found.dx, expected.second) << "shifted by " << known.dy << ", " << known.dx;
    if (std::abs(known.dy) > 15) continue;
    // Correlation asks for neither.
    ShiftOptions correlation;
    correlation.score = ShiftScore::correlation;
    const Shift same = find_shift(ctx, fixed, moving, correlation);
    EXPECT_EQ(same.dy, known.dy);
    EXPECT_EQ(same.dx, known.dx);
  }
}

TEST(FindShift, FindsPartsOfPixels) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::float32}) {
    const ImageFormat format{type, Channels::gray, 1, 1, 90, 110};
    const Image fixed = clone(ctx, shifted_scene(format, 0, 0));
    for (const auto& [dy, dx] : {std::pair{0.375, -2.25}, {-3.5, 1.125}, {0.3, 0.55}}) {
      const Image moving = clone(ctx, shifted_scene(format, dy, dx));
      for (const int parts : {3, 8}) {
        ShiftOptions options;
        options.subpixel = parts;
        const Shift found = find_shift(ctx, fixed, moving, options);
        // Half a step.
        EXPECT_NEAR(found.dy, dy, 0.5 / parts + 1e-4);
        EXPECT_NEAR(found.dx, dx, 0.5 / parts + 1e-4);
      }
    }
  }
}

TEST(FindShift, PrefersNoShiftWhereNothingTells) {
  const Context ctx = test::device_context();
  const Image flat = clone(ctx, test::make_image({PixelType::uint8, Channels::gray, 1, 1, 20, 30},
                                                 [](Index, Index, Index, Index) { return 7; }));
  for (const ShiftScore score : {ShiftScore::squared_difference, ShiftScore::correlation}) {
    ShiftOptions options;
    options.score = score;
    const Shift found = find_shift(ctx, flat, flat, options);
    EXPECT_EQ(found.dy, 0);
    EXPECT_EQ(found.dx, 0);
  }
}

TEST(FindShift, RefusesWhatDoesNotFit) {
  const Context ctx({.threads = 1});
  const Image a = test::random_image({PixelType::uint8, Channels::gray, 1, 1, 20, 30}, 1);
  const Image b = test::random_image({PixelType::uint8, Channels::gray, 1, 1, 20, 31}, 1);
  EXPECT_THROW(find_shift(ctx, a, b, {}), ShapeError);
  ShiftOptions options;
  options.range = -1;
  EXPECT_THROW(find_shift(ctx, a, a, options), ValueError);
  options.range = 3;
  options.subpixel = 0;
  EXPECT_THROW(find_shift(ctx, a, a, options), ValueError);
}

TEST(Register, ShiftsVolumesOntoOne) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::float32, Channels::gray, 3, 2, 60, 75};
  const int shifts[3][2] = {{4, -6}, {0, 0}, {-5, 3}};
  const Image series = test::make_image(format, [&](Index slice, Index y, Index x, Index) {
    const auto& shift = shifts[slice / 2];
    return scene(static_cast<double>(y) - shift[0] + 9 * static_cast<double>(slice % 2),
                 static_cast<double>(x) - shift[1]);
  });
  RegisterOptions options;
  options.reference = 1;
  const Image result = to_host(ctx, make_register(options)->apply(ctx, clone(ctx, series)));
  for (Index slice = 0; slice < 6; ++slice) {
    const auto& shift = shifts[slice / 2];
    for (Index y = 0; y < 60; ++y) {
      for (Index x = 0; x < 75; ++x) {
        const bool there = y + shift[0] >= 0 && y + shift[0] < 60 && x + shift[1] >= 0 && x + shift[1] < 75;
        const double expected = there ? value_at(series, slice, y + shift[0], x + shift[1]) : 0;
        EXPECT_EQ(value_at(result, slice, y, x), expected);
      }
    }
  }
  options.reference = 3;
  EXPECT_THROW(make_register(options)->output(format), ShapeError);
}

TEST(Align, PutsPlatesOnTopOfEachOther) {
  const Context ctx = test::device_context();
  for (const Channels channels : {Channels::gray, Channels::rgb}) {
    // Two rows are left over; blue is shifted by (3, -2) and red by (-4, 5), and each has its own contrast.
    const Index rows = 70;
    const double shifts[3][2] = {{3, -2}, {0, 0}, {-4, 5}};
    const Image picture =
        test::make_image({PixelType::uint8, channels, 1, 1, 3 * rows + 2, 90}, [&](Index, Index y, Index x, Index c) {
          const auto& shift = shifts[std::min<Index>(y / rows, 2)];
          const double value = scene(static_cast<double>(y % rows) - shift[0], static_cast<double>(x) - shift[1]);
          return c == 0 ? 255 * value : 0;
        });
    const Image result = to_host(ctx, make_align({})->apply(ctx, clone(ctx, picture)));
    ASSERT_EQ(result.format(), (ImageFormat{PixelType::uint8, Channels::rgb, 1, 1, rows, 90}));
    const Image expected = test::make_image(result.format(), [&](Index, Index y, Index x, Index c) {
      const auto& shift = shifts[2 - c];
      const Index row = y + static_cast<Index>(shift[0]);
      const Index column = x + static_cast<Index>(shift[1]);
      if (row < 0 || row >= rows || column < 0 || column >= 90) return 0.0;
      return value_at(picture, 0, row + (2 - c) * rows, column);
    });
    EXPECT_EQ(test::largest_difference(result, expected), 0);
    const PlateShifts found = find_plate_shifts(ctx, clone(ctx, picture), {});
    EXPECT_EQ(found.red.dy, -4);
    EXPECT_EQ(found.red.dx, 5);
    EXPECT_EQ(found.blue.dy, 3);
    EXPECT_EQ(found.blue.dx, -2);
  }
}

// Plates in dark frames of other widths each, blue shifted by (3, -2), red by (-4, 5): the frames do not move with them.
constexpr Index plate_rows = 120;
constexpr Index plate_columns = 150;
constexpr PlateFrame drawn[3] = {{6, 9, 5, 7}, {4, 8, 10, 6}, {9, 5, 7, 11}};  // blue, green, red
constexpr double plate_shifts[3][2] = {{3, -2}, {0, 0}, {-4, 5}};

double framed(Index plate, Index y, Index x) {
  const PlateFrame& frame = drawn[plate];
  const bool inside =
      y >= frame.top && y < plate_rows - frame.bottom && x >= frame.left && x < plate_columns - frame.right;
  if (!inside) return 0;
  const auto& shift = plate_shifts[plate];
  return 120 + 130 * scene(static_cast<double>(y) - shift[0], static_cast<double>(x) - shift[1]);
}

Image framed_plates() {
  return test::make_image({PixelType::uint8, Channels::gray, 1, 1, 3 * plate_rows, plate_columns},
                          [](Index, Index y, Index x, Index) { return framed(y / plate_rows, y % plate_rows, x); });
}

TEST(Align, FindsFramesWithinTwoLines) {
  const Context ctx = test::device_context();
  for (const Index plate : {0, 1, 2}) {
    const Image one = test::make_image({PixelType::uint8, Channels::gray, 1, 1, plate_rows, plate_columns},
                                       [plate](Index, Index y, Index x, Index) { return framed(plate, y, x); });
    const PlateFrame found = find_plate_frame(ctx, clone(ctx, one));
    for (const auto side : {&PlateFrame::top, &PlateFrame::bottom, &PlateFrame::left, &PlateFrame::right}) {
      EXPECT_GE(found.*side, drawn[plate].*side);
      EXPECT_LE(found.*side, drawn[plate].*side + 2);
    }
  }
  // No frame: waves have edges, but none as long as a side.
  const Image waves = shifted_scene({PixelType::uint8, Channels::gray, 1, 1, plate_rows, plate_columns}, 0, 0);
  const PlateFrame none = find_plate_frame(ctx, clone(ctx, waves));
  EXPECT_EQ(none.top + none.bottom + none.left + none.right, 0);
  // Too small for any.
  const Image dot =
      test::make_image({PixelType::uint8, Channels::gray, 1, 1, 1, 1}, [](Index, Index, Index, Index) { return 9; });
  EXPECT_EQ(find_plate_frame(ctx, clone(ctx, dot)).top, 0);
}

TEST(Align, LeavesFramesOutWhereAsked) {
  const Context ctx = test::device_context();
  const Image plates = framed_plates();
  AlignOptions options;
  options.trim = true;
  options.central = 1;  // nothing but trim keeps the frames out of the search
  const PlateShifts found = find_plate_shifts(ctx, clone(ctx, plates), options);
  EXPECT_EQ(found.red.dy, -4);
  EXPECT_EQ(found.red.dx, 5);
  EXPECT_EQ(found.blue.dy, 3);
  EXPECT_EQ(found.blue.dx, -2);
  const Image result = to_host(ctx, make_align(options)->apply(ctx, clone(ctx, plates)));
  ASSERT_EQ(result.format().height, plate_rows);
  ASSERT_EQ(result.format().width, plate_columns);
  Index shown = 0;
  for (Index y = 0; y < plate_rows; ++y) {
    for (Index x = 0; x < plate_columns; ++x) {
      const bool black =
          value_at(result, 0, y, x, 0) == 0 && value_at(result, 0, y, x, 1) == 0 && value_at(result, 0, y, x, 2) == 0;
      if (black) continue;
      ++shown;
      for (const Index plate : {0, 1, 2}) {
        const Index row = y + static_cast<Index>(plate_shifts[plate][0]);
        const Index column = x + static_cast<Index>(plate_shifts[plate][1]);
        ASSERT_EQ(value_at(result, 0, y, x, 2 - plate), value_at(plates, 0, row + plate * plate_rows, column));
        ASSERT_NE(framed(plate, row, column), 0) << "a frame at " << y << ", " << x;
      }
    }
  }
  // No frame covers rows 13 (red: 9 + 4) to 108 (blue: 120 - 9 - 3) and columns 10 (green) to 134 (red: 150 - 11 - 5);
  // two lines may go with each frame.
  EXPECT_GE(shown, (95 - 4) * (124 - 4));
  // Without trim frames stay.
  const Image all = to_host(ctx, make_align({})->apply(ctx, clone(ctx, plates)));
  EXPECT_NE(value_at(all, 0, 5, 60, 1), 0);
  EXPECT_EQ(value_at(result, 0, 5, 60, 1), 0);
  // With parts of a pixel nothing of a frame bleeds in.
  options.subpixel = 2;
  const Image parts = to_host(ctx, make_align(options)->apply(ctx, clone(ctx, plates)));
  for (Index i = 0; i < plate_rows * plate_columns; ++i) {
    const Index y = i / plate_columns;
    const Index x = i % plate_columns;
    for (Index c = 0; c < 3; ++c) {
      const double value = value_at(parts, 0, y, x, c);
      ASSERT_TRUE(value == 0 || value > 100) << y << ", " << x;
    }
  }
}

TEST(Align, RefusesWhatHoldsNoPlates) {
  EXPECT_THROW(make_align({})->output({PixelType::uint8, Channels::gray, 1, 1, 2, 9}), ShapeError);
  EXPECT_THROW(make_align({})->output({PixelType::uint8, Channels::gray, 1, 2, 9, 9}), ShapeError);
  EXPECT_THROW(make_align({})->output({PixelType::float32, Channels::complex, 1, 1, 9, 9}), Unsupported);
}

}  // namespace
}  // namespace whorl
