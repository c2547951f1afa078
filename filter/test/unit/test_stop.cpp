// Filters stop within a stage when they are asked to. Work is counted in pages of memory that were used, not in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "filter/src/points/bound_points.hpp"
#include "support/images.hpp"
#include "support/watched_memory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/registry.hpp"
#include "whorl/filter/stream.hpp"

namespace whorl {
namespace {

using test::WatchedMemory;

// An image so tall that every filter cuts it into several parts.
constexpr Index stop_height = 2048;
constexpr Index stop_width = 160;

struct StopCase {
  std::string filter;
  PixelType type = PixelType::uint8;
  Channels channels = Channels::gray;
  Index volumes = 1;
};

ImageFormat format_of(const StopCase& what) {
  return {what.type, what.channels, what.volumes, 1, stop_height, stop_width};
}

std::string kernel_of(int side) {
  std::string numbers;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) numbers += std::to_string((x * 7 + y * 5 + x * y) % 11) + (x + 1 < side ? "," : "");
    numbers += y + 1 < side ? ";" : "";
  }
  return "custom kernel='" + numbers + "'";
}

using enum PixelType;

// A filter with its defaults, on the first of some formats that it takes.
StopCase case_of(const std::string& name) {
  const auto filter = Pipeline::parse(name);
  const std::vector<StopCase> all{
      {name}, {name, uint8, Channels::rgb}, {name, float32}, {name, float32, Channels::complex}};
  for (const StopCase& what : all) {
    try {
      static_cast<void>(filter.output(format_of(what)));
      return what;
    } catch (const Error&) {
      continue;
    }
  }
  throw ValueError(name + ": takes none of the formats; list what it takes");
}

// These, and all filters that are not among them.
std::vector<StopCase> stop_cases() {
  std::vector<StopCase> cases{
      {"gray", uint8, Channels::rgb},
      {"autocontrast"},
      {"autocontrast", float32},
      {"threshold 128"},
      {"window 10 200"},
      {"gamma 0.5"},
      {"scale 2"},
      {"clip 10 200"},
      {"convert float32"},
      {"gaussian 2"},
      {"gaussian 2", float32},
      {"gaussian 30", float32},
      {"median 1"},
      {"median 2", uint16},
      {"median 6", float32},
      {"median 40"},
      {kernel_of(3)},
      {kernel_of(3), float32},
      {kernel_of(5), uint16},
      {kernel_of(13), float32},
      {"sobel-y", float32},
      {"bilateral radius=12"},
      {"non-local-means search=12"},
      {"heat 4"},
      {"heat 4 method=implicit"},
      {"heat 4 dims=3d", float32},
      {"perona-malik 8"},
      {"gibbs shifts=4", float32},
      {"bias", float32},
      {"erode 200 shape=square"},
      {"dilate 30 shape=disc"},
      {"open 3"},
      {"close 3"},
      {"gradient 2"},
      {"tophat 2"},
      {"blackhat 2"},
      {"resize 3"},
      {"resize 3 method=lanczos", float32},
      {"resize 0.5 method=area"},
      {"rotate 20"},
      {"rotate 90"},
      {"crop 0 0 150 2000"},
      {"pad all=8"},
      {"align", uint8, Channels::rgb},
      {"register", uint8, Channels::gray, 2},
      {"root-sum-of-squares", float32, Channels::gray, 3},
  };
  std::set<std::string> listed;
  for (const StopCase& what : cases) listed.insert(Pipeline::parse(what.filter).filters().front()->name());
  for (const FilterDescriptor& filter : FilterRegistry::global().filters()) {
    if (!listed.contains(filter.name)) cases.push_back(case_of(filter.name));
  }
  return cases;
}

struct StopRun {
  bool stopped = false;
  Index used = 0, pages = 0;  // of the result
};

// Applies the filter and asks it to stop when as many pages of its input or its result were used.
StopRun run_until(const StopCase& what, std::optional<Index> of_input, std::optional<Index> of_result, double share) {
  const Context ctx({.threads = 2});
  const Pipeline pipeline = Pipeline::parse(what.filter);
  const Image image = test::random_image(format_of(what), 3);
  Image result(ctx, pipeline.output(image.format()));
  StopRun run;
  WatchedMemory input(raw_pixels(image), image.format().bytes());
  WatchedMemory output(raw_pixels(result), result.format().bytes());
  if (of_input) input.stop_at(ctx, std::max<Index>(*of_input, static_cast<Index>(share * double(input.pages()))));
  if (of_result) output.stop_at(ctx, *of_result);
  try {
    pipeline.filters().front()->apply(ctx, image, result);
  } catch (const Cancelled&) {
    run.stopped = true;
  }
  run.used = output.used();
  run.pages = output.pages();
  return run;
}

class FilterStops : public ::testing::TestWithParam<StopCase> {};

TEST_P(FilterStops, WhileItReads) {
  for (const double share : {0.0, 0.3}) {
    const StopRun run = run_until(GetParam(), 1, {}, share);
    EXPECT_TRUE(run.stopped) << share;
    EXPECT_LT(run.used, run.pages) << share;
  }
}

TEST_P(FilterStops, WhileItWrites) {
  const StopRun run = run_until(GetParam(), {}, 1, 0);
  EXPECT_TRUE(run.stopped);
  EXPECT_LT(run.used, run.pages);
}

std::string name_of(const ::testing::TestParamInfo<StopCase>& info) {
  std::string name = std::to_string(info.index) + "_";
  for (const char letter : info.param.filter.substr(0, info.param.filter.find(' '))) {
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, FilterStops, ::testing::ValuesIn(stop_cases()), name_of);

// Filters that read all of their input first and then work long: with none of them asking, these tests take hours.
class FilterStopsInside : public ::testing::TestWithParam<StopCase> {};

TEST_P(FilterStopsInside, WithNothingWritten) {
  const StopRun run = run_until(GetParam(), 1, {}, 1);
  EXPECT_TRUE(run.stopped);
  EXPECT_EQ(run.used, 0);
}

INSTANTIATE_TEST_SUITE_P(All, FilterStopsInside,
                         ::testing::Values(StopCase{"perona-malik 100000"}, StopCase{"perona-malik 100000 dims=3d"},
                                           StopCase{"heat 100000"}, StopCase{"heat 1000000 method=implicit"},
                                           StopCase{"non-local-means search=100"},
                                           StopCase{"gibbs shifts=200", float32}),
                         name_of);

TEST(FilterStops, InABandOfAStream) {
  const Context ctx({.threads = 2});
  const ImageFormat format = format_of({"flip"});
  const Pipeline pipeline = Pipeline::parse("gaussian 1");
  bool written = false;
  ImageStream stream{format, [&](RowRange, Image&) { ctx.request_cancel(); },
                     [&](RowRange, const Image&) { written = true; }};
  EXPECT_THROW(apply_in_bands(ctx, pipeline, stream, 1 << 20), Cancelled);
  EXPECT_FALSE(written);
}

}  // namespace
}  // namespace whorl
