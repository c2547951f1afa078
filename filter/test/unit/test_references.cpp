// Filters beside files of other programs, which the reconstruction's library reads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/filter/ordered/morphology.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

using Make = std::unique_ptr<Filter> (*)(const MorphologyOptions&);

// scikit-image's references of its rank filters (BSD-3, rank_filter_tests.npz): a window that is a cross of radius 1
// and has only what lies within the image, which `replicate` adds nothing to. Its test's image is numpy.random.rand(25,
// 25) after seed(0), in 53 bits of two numbers of the Mersenne Twister each, times 255 and rounded.
TEST(Morphology, GivesWhatScikitImageGives) {
  const char* folder = std::getenv("WHORL_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: scikit-image's references are not there";
  const Context ctx = test::device_context();
  std::mt19937 twister(0);  // NOLINT(bugprone-random-generator-seed): the numbers of the reference
  const Image image =
      test::make_image({PixelType::uint8, Channels::gray, 1, 1, 25, 25}, [&](Index, Index, Index, Index) {
        const auto high = static_cast<double>(twister() >> 5);
        const auto low = static_cast<double>(twister() >> 6);
        return std::nearbyint(255 * (high * 0x1p26 + low) / 0x1p53);
      });
  const std::string file = std::string(folder) + "/images/rank_filter_tests.npz";
  for (const auto& [member, make] : {std::pair<const char*, Make>{"maximum", &make_dilate},
                                     {"minimum", &make_erode},
                                     {"gradient", &make_gradient}}) {
    const NamedArray reference = read_array(ctx.host(), file + ":" + member);
    const float* numbers = std::get<Array<float>>(reference.values).data();
    const Image expected = test::make_image(image.format(), [&](Index, Index, Index, Index) { return *numbers++; });
    const MorphologyOptions options{{Border::replicate}, 1, WindowShape::cross};
    const Image result = to_host(ctx, make(options)->apply(ctx, clone(ctx, image)));
    EXPECT_EQ(test::largest_difference(result, expected), 0) << member;
  }
}

}  // namespace
}  // namespace whorl
