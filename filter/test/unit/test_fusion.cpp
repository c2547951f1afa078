// Filters that do point operations of their neighbors: the pixels are those of one filter after the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "filter/src/pipeline/stages.hpp"
#include "support/device.hpp"
#include "support/images.hpp"

namespace whorl {
namespace {

std::size_t passes_of(const Pipeline& pipeline, const ImageFormat& format, DeviceKind device) {
  return filters::stages_of(pipeline.filters(), format, device).size();
}

// Whether this build has kernels for GPUs: what they take is then known, with or without a GPU.
bool knows_gpus() { return kernels::can_fuse.is_for(DeviceKind::cuda); }

// One filter after the other, each as it is alone.
Image one_by_one(const Context& ctx, const Pipeline& pipeline, const Image& image) {
  Image result = clone(ctx, image);
  for (const auto& filter : pipeline.filters()) result = filter->apply(ctx, result);
  return to_host(ctx, result);
}

void check(const std::string& text, const ImageFormat& format) {
  const Context ctx = test::device_context();
  const Pipeline pipeline = Pipeline::parse(text);
  // Slopes leave alpha as it is, which takes a pass of its own.
  const bool slope = text.find("sobel") != std::string::npos || text.find("laplacian") != std::string::npos;
  if (!slope || !has_alpha(format.channels)) {
    EXPECT_EQ(passes_of(pipeline, format, DeviceKind::cpu), 1U) << text;
  }
  const Image image = test::random_image(format, 11);
  const Image found = to_host(ctx, pipeline.apply(ctx, clone(ctx, image)));
  EXPECT_EQ(test::largest_difference(found, one_by_one(ctx, pipeline, image)), 0)
      << text << " of " << to_string(format);
  EXPECT_GT(test::largest_difference(found, image), 0) << text << " changes nothing";
}

// Before, behind, and on both sides; operations of several steps that change the channels.
void check_places(const std::string& filter, const ImageFormat& format) {
  const bool color = format.channels == Channels::rgb || format.channels == Channels::rgba;
  const std::string gray = color ? "gray | " : "";
  check("gamma 0.6 | " + gray + "invert | " + filter, format);
  check(filter + " | scale 0.7 0.1 | " + gray + "gamma 1.4", format);
  check("invert | " + filter + " | scale 0.7 0.1", format);
}

class Fusion : public testing::TestWithParam<const char*> {};

// Widths that are no multiple of a vector; rows of several strips; and an image of less than a window.
TEST_P(Fusion, IsOneFilterAfterTheOther) {
  const std::string filter = GetParam();
  check_places(filter, {PixelType::uint8, Channels::gray, 1, 2, 71, 53});
  check_places(filter, {PixelType::uint8, Channels::rgba, 1, 1, 45, 53});
  check_places(filter, {PixelType::uint8, Channels::rgb, 1, 1, 41, 1203});
  check_places(filter, {PixelType::uint16, Channels::gray_alpha, 1, 1, 37, 531});
  check_places(filter, {PixelType::float32, Channels::gray, 2, 1, 41, 1203});
  check_places(filter, {PixelType::float32, Channels::rgba, 1, 1, 39, 29});
  check_places(filter, {PixelType::uint8, Channels::rgb, 1, 1, 2, 3});
}

// From one type and number of channels to another on both sides.
TEST_P(Fusion, ChangesTheType) {
  const std::string filter = GetParam();
  check("convert float32 | " + filter + " | convert uint8", {PixelType::uint16, Channels::rgb, 1, 1, 33, 67});
  check("gray | convert uint8 | " + filter + " | convert uint16", {PixelType::float32, Channels::rgba, 1, 1, 33, 67});
  check("magnitude | " + filter + " | convert uint16", {PixelType::float32, Channels::complex, 1, 2, 33, 67});
}

// Operations that kernels on a GPU do on words: tables of bytes, and steps that are the same for all numbers.
void check_words(const std::string& filter, const ImageFormat& format) {
  const bool bytes = format.type == PixelType::uint8;
  const std::string first = bytes ? "gamma 0.6" : "window -0.3 0.7";
  const std::string second = bytes ? "invert | scale 0.7 20" : "scale -0.7 0.3 | scale 1.5 0.1";
  for (const std::string& text :
       {first + " | " + filter, filter + " | " + second, second + " | " + filter + " | " + first}) {
    check(text, format);
    if (knows_gpus()) {
      EXPECT_EQ(passes_of(Pipeline::parse(text), format, DeviceKind::cuda), 1U) << text;
    }
  }
}

class WordFusion : public testing::TestWithParam<const char*> {};

// Rows of whole vectors, with ends of strips and of warps within them, and others; images smaller than a window.
TEST_P(WordFusion, IsOneFilterAfterTheOther) {
  const std::string filter = GetParam();
  for (const Index width : {16, 53, 64, 1008}) {
    check_words(filter, {PixelType::uint8, Channels::gray, 1, 2, 71, width});
    check_words(filter, {PixelType::uint8, Channels::rgb, 1, 1, 70, width});
    check_words(filter, {PixelType::float32, Channels::gray, 2, 1, 69, width});
    check_words(filter, {PixelType::float32, Channels::rgb, 1, 1, 37, width});
  }
  check_words(filter, {PixelType::uint8, Channels::rgb, 1, 1, 2, 16});
  check_words(filter, {PixelType::uint8, Channels::gray, 1, 1, 1, 32});
  check_words(filter, {PixelType::float32, Channels::gray, 1, 1, 2, 4});
}

class LinearFusion : public testing::TestWithParam<const char*> {};

TEST_P(LinearFusion, TakesComplexImages) {
  const std::string filter = GetParam();
  check(filter + " | magnitude", {PixelType::float32, Channels::complex, 1, 2, 33, 67});
  check(filter + " | phase | scale 0.5", {PixelType::float32, Channels::complex, 1, 1, 33, 667});
}

INSTANTIATE_TEST_SUITE_P(Gaussian, Fusion,
                         testing::Values("gaussian 1 2", "gaussian 2.5 7 border=wrap",
                                         "gaussian 1 3 border=constant border-value=0.4",
                                         "gaussian 0.8 1 dims=3d border=replicate"));
// Small sums of bytes; sums of columns and rows; those of 53 bits; and four rows at a time.
INSTANTIATE_TEST_SUITE_P(Stencil, Fusion,
                         testing::Values("sobel-x output=absolute", "unsharp border=wrap",
                                         "laplacian output=signed border=constant border-value=0.3",
                                         "custom '1,2,0,3,1;-3,5,1,2,2;0,-1,2,1,0;2,2,1,1,3;1,0,4,-2,1' divisor=20",
                                         "custom '0.11,0.37,0.123456789;0.2,-0.3,0.1;0.01,0.05,0.3' border=replicate"));
INSTANTIATE_TEST_SUITE_P(Median, Fusion,
                         testing::Values("median 1", "median 2 border=wrap",
                                         "median 3 border=constant border-value=0.3", "median 4 border=replicate"));
INSTANTIATE_TEST_SUITE_P(Morphology, Fusion,
                         testing::Values("erode 1", "dilate 5 border=wrap", "dilate 2 disc border=constant",
                                         "erode 3 cross border=replicate"));
INSTANTIATE_TEST_SUITE_P(Resize, Fusion,
                         testing::Values("resize 1.5", "resize 0.37 method=area", "resize 0.6",
                                         "resize 2 method=bicubic", "resize 1.3 method=nearest"));

INSTANTIATE_TEST_SUITE_P(Gaussian, WordFusion,
                         testing::Values("gaussian 0.8 1 border=wrap", "gaussian 1 2",
                                         "gaussian 1 2 border=constant border-value=30", "gaussian 1.5 3 dims=3d",
                                         "gaussian 1.3 4 border=replicate"));
INSTANTIATE_TEST_SUITE_P(Stencil, WordFusion,
                         testing::Values("sobel-x output=absolute", "unsharp border=wrap",
                                         "laplacian border=constant border-value=0.3",
                                         "custom '1,2,0;-3,5,1;0,-1,2' divisor=6 border=constant border-value=30",
                                         "custom '1,2,0,3,1;-3,5,1,2,2;0,-1,2,1,0;2,2,1,1,3;1,0,4,-2,1' divisor=20",
                                         "custom '1,2,0,3,1;-3,5,1,2,2;0,-1,2,1,0' border=constant border-value=0.4"));

INSTANTIATE_TEST_SUITE_P(Median, WordFusion,
                         testing::Values("median 1", "median 1 border=constant border-value=30", "median 2 border=wrap",
                                         "median 2 border=constant border-value=30",
                                         "median 3 border=constant border-value=0.4"));
INSTANTIATE_TEST_SUITE_P(Morphology, WordFusion,
                         testing::Values("erode 1 border=wrap", "dilate 1 border=constant border-value=30",
                                         "dilate 3 border=replicate", "erode 5 border=constant border-value=0.4",
                                         "erode 3 disc border=constant border-value=30"));

INSTANTIATE_TEST_SUITE_P(Linear, LinearFusion,
                         testing::Values("gaussian 1 2", "custom '1,2,3;4,5,6;7,8,10' divisor=46", "resize 1.5"));

// Resizing reads a pixel for several results: on a GPU it does what follows alone.
TEST(FusionPlan, ResizesWithWhatFollows) {
  for (const char* filter :
       {"resize 1.5", "resize 1.5 align=centers", "resize 2 method=bicubic", "resize 0.5 method=area", "resize 0.37"}) {
    for (const ImageFormat& format : {ImageFormat{PixelType::uint8, Channels::rgb, 1, 1, 41, 203},
                                      ImageFormat{PixelType::uint8, Channels::gray, 1, 2, 33, 64},
                                      ImageFormat{PixelType::float32, Channels::gray, 2, 1, 41, 203}}) {
      const std::string text = fmt::format("{} | invert | scale 0.7 0.1", filter);
      check(text, format);
      if (!knows_gpus()) continue;
      EXPECT_EQ(passes_of(Pipeline::parse(text), format, DeviceKind::cuda), 1U) << text;
      const Pipeline after = Pipeline::parse(fmt::format("invert | {}", filter));
      EXPECT_EQ(passes_of(after, format, DeviceKind::cuda), 2U) << filter;
    }
  }
}

// Edges take what is done before them. On a GPU a pass of its own and the kernel that goes down rows are faster than the
// one of tiles, which alone takes point operations.
TEST(FusionPlan, CannyTakesWhatGoesBefore) {
  const ImageFormat format{PixelType::uint8, Channels::rgb, 1, 1, 41, 64};
  for (const char* filter : {"canny", "canny sigma=0", "canny radius=3", "canny border=constant"}) {
    const std::string text = fmt::format("gamma 0.45 | gray | {}", filter);
    check(text, format);
    if (!knows_gpus()) continue;
    const bool by_rows = text.find("radius") == std::string::npos && text.find("constant") == std::string::npos;
    EXPECT_EQ(passes_of(Pipeline::parse(text), format, DeviceKind::cuda), by_rows ? 2U : 1U) << text;
  }
}

// What one filter on a GPU does not take is left to the next.
TEST(FusionPlan, LeavesToTheNextFilter) {
  if (!knows_gpus()) GTEST_SKIP() << "no kernels for GPUs in this build";
  const ImageFormat format{PixelType::uint8, Channels::rgb, 1, 1, 41, 64};
  const std::string text = "gaussian 2.5 7 | invert | median 1";
  const Pipeline pipeline = Pipeline::parse(text);
  const std::vector<filters::Stage> stages = filters::stages_of(pipeline.filters(), format, DeviceKind::cuda);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_FALSE(stages[0].store.has_value());
  EXPECT_TRUE(stages[1].load.has_value());
}

// A median of large windows and a recursive Gaussian read their image in another way than by rows.
TEST(FusionPlan, LeavesAloneWhatItDoesNotPayFor) {
  const ImageFormat format{PixelType::uint8, Channels::rgb, 1, 1, 41, 53};
  for (const char* text : {"invert | median 7 | gamma 0.5", "invert | gaussian 20 | gamma 0.5"}) {
    const Pipeline pipeline = Pipeline::parse(text);
    EXPECT_EQ(passes_of(pipeline, format, DeviceKind::cpu), 3U) << text;
  }
}

}  // namespace
}  // namespace whorl
