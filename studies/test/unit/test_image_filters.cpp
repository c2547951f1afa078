// The study of image filters: every version of every filter against double precision, and what it is checked by.
#include <gtest/gtest.h>

#include <limits>

#include "studies/image_filters/autocontrast.hpp"
#include "studies/image_filters/banks.hpp"
#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/filter_ladder.hpp"
#include "studies/image_filters/gray_world.hpp"
#include "studies/image_filters/plates/plates.hpp"
#include "studies/image_filters/resize.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::studies::image_filters {
namespace {

// No multiple of a block, a vector or a word in either direction.
constexpr Index height = 117;
constexpr Index width = 139;

void clear(const Context& ctx, Image& image) { fill<Byte>(ctx, image.pixels<Byte>(), 77); }

double error_of(const Context& ctx, const Bench& bench, const Check& check) {
  return check(to_host(ctx, bench.result), bench.result.format().height);
}

TEST(ImageFilters, EveryVersionIsTheFilter) {
  const Context ctx = test::device_context();
  for (const Subject& subject : all_subjects()) {
    SCOPED_TRACE(subject.name);
    Bench bench(ctx, subject, height, width);
    const Check check = check_of(ctx, subject, bench);
    const std::vector<Step> steps = subject.steps(ctx, bench.job);
    EXPECT_GE(steps.size(), subject.name == "convolved" ? 2U : 4U);
    for (const Step& step : steps) {
      SCOPED_TRACE(step.name);
      clear(ctx, bench.result);
      step.run(ctx, bench.job);
      if (step.same_result) {
        EXPECT_LE(error_of(ctx, bench, check), subject.tolerance);
      } else {
        EXPECT_GT(error_of(ctx, bench, check), 0);
      }
    }
  }
}

// The authors of the library's filters did not write these. A level more than a version: whole results that are rounded in
// two ways.
TEST(ImageFilters, ChecksAgreeWithTheLibrary) {
  const Context ctx = test::device_context();
  for (const Subject& subject : all_subjects()) {
    if (subject.library.empty()) continue;
    SCOPED_TRACE(subject.name);
    Bench bench(ctx, subject, height, width);
    const Check check = check_of(ctx, subject, bench);
    clear(ctx, bench.result);
    Pipeline::parse(subject.pipeline).filters().front()->apply(ctx, bench.picture, bench.result);
    EXPECT_LE(error_of(ctx, bench, check), subject.error == "pixels that differ" ? 25 : subject.tolerance + 1);
  }
}

TEST(ImageFilters, EveryLayoutOfATileIsTheMean) {
  const Context ctx = test::device_context();
  if (ctx.device().kind == DeviceKind::cpu) GTEST_SKIP() << "shared memory is a GPU's";
  Bench bench(ctx, identity_ladder(), height, width);
  const Image host = to_host(ctx, bench.picture);
  Job job = bench.job;
  job.from = host.pixels<Byte>().data();
  const Check check = largest_difference(ctx.host(), bench.result.format(), exact_convolution(job, mean_window()));
  ASSERT_EQ(bank_steps().size(), 3U);
  for (const Step& step : bank_steps()) {
    clear(ctx, bench.result);
    step.run(ctx, bench.job);
    // Half a level by rounding, and the roundings of 49 weights of 1/49 in the exact sum.
    EXPECT_LE(error_of(ctx, bench, check), 0.5 + 1e-9) << step.name;
  }
}

// Plates of odd extents that halve three times; the second trio is too small to halve.
TEST(ImageFilters, EverySearchFindsTheShiftsOfPlates) {
  const Context ctx = test::device_context();
  for (const auto& [plate_height, plate_width] : {std::pair{301, 517}, std::pair{97, 120}}) {
    const PlateTrio plates = make_plates(ctx, plate_height, plate_width);
    const std::vector<PlateStep> steps =
        ctx.device().kind == DeviceKind::cuda ? plate_steps_on_gpu() : plate_steps_on_host();
    ASSERT_EQ(steps.size(), 3U);
    for (const PlateStep& step : steps) {
      SCOPED_TRACE(step.name);
      for (const int plate : {0, 1, 2}) {
        EXPECT_EQ(step.run(ctx, plates.plate(1), plates.plate(plate)), plate_shifts[static_cast<std::size_t>(plate)])
            << plate;
      }
    }
  }
  const Table table = plates_table(ctx, 300);
  ASSERT_EQ(table.rows.size(), 4U);
  for (const auto& row : table.rows) EXPECT_EQ(std::get<double>(row[3]), 0) << std::get<std::string>(row[0]);
}

TEST(ImageFilters, TheTableOfSizesHasEverySizeOfEveryFilter) {
  const Context ctx = test::device_context();
  const Table table = sizes_table(ctx, {gaussian_ladder(), thinning_ladder()}, 512);
  ASSERT_EQ(table.rows.size(), 2U);  // 256 and 512; the thinning has no library's row
  for (const auto& row : table.rows) {
    // Milliseconds and nanoseconds a pixel are the same times.
    EXPECT_NEAR(std::get<double>(row[4]), 1e6 * std::get<double>(row[2]) / std::pow(std::get<double>(row[1]), 2), 1e-6);
  }
}

TEST(ImageFilters, PartsOfTheRowsAreTheSame) {
  const Context ctx = test::device_context().host();
  const Subject subject = gaussian_ladder();
  Bench bench(ctx, subject, height, width);
  constexpr int rows = 10;
  for (const Step& step : subject.steps(ctx, bench.job)) {
    SCOPED_TRACE(step.name);
    clear(ctx, bench.result);
    Job job = bench.job;
    job.rows = rows;
    step.run(ctx, job);
    EXPECT_LE(check_of(ctx, subject, bench)(bench.result, rows), subject.tolerance);
    EXPECT_EQ(test::value_at(bench.result, 0, rows, 0), 77) << "a row too many";
  }
}

TEST(ImageFilters, ChecksSeeWhatIsWrong) {
  const Context ctx({.threads = 2});
  const ImageFormat format{PixelType::uint8, Channels::rgb, 1, 1, 5, 7};
  Image image = test::make_image(format, [](Index, Index y, Index x, Index c) { return 10 * y + x + c; });
  const auto exact = [](int y, int x, int channel) { return 10 * y + x + channel + (y == 3 ? 0.25 : 0); };
  const Check levels = largest_difference(ctx, format, exact);
  EXPECT_EQ(levels(image, 5), 0.25);
  EXPECT_EQ(levels(image, 3), 0);
  std::vector<Byte> expected(image.pixels<Byte>().span().begin(), image.pixels<Byte>().span().end());
  const Check pixels = differing_pixels(expected);
  EXPECT_EQ(pixels(image, 5), 0);
  image.pixels<Byte>().span()[5] += 4;
  image.pixels<Byte>().span().back() += 4;
  EXPECT_EQ(levels(image, 1), 4);
  EXPECT_EQ(pixels(image, 5), 2);
  EXPECT_EQ(pixels(image, 4), 1);
}

TEST(ImageFilters, ArithmeticAtItsEnds) {
  EXPECT_EQ(wrapped(-3, 10), 7);
  EXPECT_EQ(wrapped(12, 10), 2);
  EXPECT_EQ(rounded_level(-0.7), 0);
  EXPECT_EQ(rounded_level(2.5), 3);
  EXPECT_EQ(rounded_level(300.0F), 255);
  EXPECT_EQ(luma(255, 255, 255), 255);
  EXPECT_EQ(luma(0, 1, 4), 1);  // 0.7154 + 0.2884 = 1.0038
  // A channel of mean 0.04 gets the mean of all, (4 + 0 + 600) / 300, added.
  EXPECT_EQ(balanced_level(1, 4, 604, 100), 3);
  EXPECT_EQ(balanced_level(200, 300, 604, 100), 134);  // 200 * 604 / 900 = 134.2
  EXPECT_EQ(balanced_level(255, 150, 604, 100), 255);
  // Four pixels of the luma 3, 5, 5, 9: without one at each end 5 to 5, one luma, which changes nothing.
  std::array<unsigned, levels> histogram{};
  histogram[3] = 1;
  histogram[5] = 2;
  histogram[9] = 1;
  EXPECT_EQ(range_of(histogram.data(), 0).low, 3);
  EXPECT_EQ(range_of(histogram.data(), 0).high, 9);
  EXPECT_EQ(range_of(histogram.data(), 1).low, 0);
  EXPECT_EQ(range_of(histogram.data(), 1).high, 255);
  EXPECT_EQ(place_of<double>(0, 5, 9).index, 0);
  EXPECT_EQ(place_of<double>(3, 5, 9).part, 0.5);
  EXPECT_EQ(place_of<double>(8, 5, 9).index, 3);
  EXPECT_EQ(place_of<double>(8, 5, 9).part, 1);
}

TEST(ImageFilters, DirectionsOfAnglesAndOfSlopesAreTheSame) {
  for (int y = -40; y <= 40; ++y) {
    for (int x = -40; x <= 40; ++x) {
      if (x == 0 && y == 0) continue;
      const double angle = std::atan2(y, x);
      EXPECT_EQ(direction_of_angle(angle), direction_of(x, y)) << x << " " << y;
      EXPECT_EQ(direction_of_angle(static_cast<float>(angle)), direction_of(x, y)) << x << " " << y;
    }
  }
  EXPECT_EQ(direction_of(1, 3), 2);
  EXPECT_EQ(direction_of(-2, 2), 3);
}

}  // namespace
}  // namespace whorl::studies::image_filters
