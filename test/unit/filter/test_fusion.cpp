// Filters that do point operations of their neighbors: the pixels are those of one filter after the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "filter/stages.hpp"
#include "support/device.hpp"
#include "support/images.hpp"

namespace whorl {
namespace {

constexpr PixelType types[] = {PixelType::uint8, PixelType::uint16, PixelType::float32};

// One filter after the other, each as it is alone.
Image one_by_one(const Context& ctx, const Pipeline& pipeline, const Image& image) {
  Image result = clone(ctx, image);
  for (const auto& filter : pipeline.filters()) result = filter->apply(ctx, result);
  return to_host(ctx, result);
}

// `passes`: over the image, on a CPU.
void check(const std::string& text, const ImageFormat& format, std::size_t passes = 1) {
  const Context ctx = test::device_context();
  const Pipeline pipeline = Pipeline::parse(text);
  EXPECT_EQ(filters::stages_of(pipeline.filters(), format, DeviceKind::cpu).size(), passes) << text;
  const Image image = test::random_image(format, 11);
  const Image expected = one_by_one(ctx, pipeline, image);
  const Image found = to_host(ctx, pipeline.apply(ctx, clone(ctx, image)));
  EXPECT_EQ(test::largest_difference(found, expected), 0) << text << " of " << to_string(format);
  EXPECT_GT(test::largest_difference(found, Image(clone(ctx.host(), image))), 0) << text << " changes nothing";
}

// Before, behind, and on both sides; in each place an operation of several steps that changes the channels.
void check_places(const std::string& filter, const ImageFormat& format) {
  const bool color = format.channels == Channels::rgb || format.channels == Channels::rgba;
  const std::string before = color ? "gamma 0.6 | gray | invert" : "gamma 0.6 | invert";
  const std::string behind = color ? "scale 0.7 0.1 | gray | gamma 1.4" : "scale 0.7 0.1 | gamma 1.4";
  check("gamma 0.6 | " + filter, format);
  check(before + " | " + filter, format);
  check(filter + " | " + behind, format);
  check("invert | " + filter + " | " + behind, format);
}

// Widths that are no multiple of a vector. Rows of several strips and bands; and an image of less than a window.
void check_all(const std::string& filter) {
  for (const PixelType type : types) {
    for (const Channels channels : {Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba}) {
      check_places(filter, {type, channels, 1, 2, 71, 53});
    }
    check_places(filter, {type, Channels::rgb, 1, 1, 2, 3});
    check("gamma 0.6 | " + filter + " | invert", {type, Channels::rgb, 1, 1, 41, 1203});
  }
}

class Fusion : public testing::TestWithParam<const char*> {};

TEST_P(Fusion, IsOneFilterAfterTheOther) { check_all(GetParam()); }

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
                         testing::Values("median 1", "median 2 border=wrap", "median 3 border=constant border-value=0.3",
                                         "median 4 border=replicate"));
INSTANTIATE_TEST_SUITE_P(Morphology, Fusion,
                         testing::Values("erode 1", "dilate 5 border=wrap", "dilate 2 disc border=constant",
                                         "erode 3 cross border=replicate"));
INSTANTIATE_TEST_SUITE_P(Resize, Fusion,
                         testing::Values("resize 1.5", "resize 0.37 method=area", "resize 0.6", "resize 2 method=bicubic",
                                         "resize 1.3 method=nearest"));

}  // namespace
}  // namespace whorl
