#include "whorl/filter/pipeline_plan.hpp"

#include <gtest/gtest.h>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(PipelinePlan, DoesWhatThePipelineDoes) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::uint8, Channels::rgb, 1, 1, 23, 41};
  for (const char* text :
       {"gamma 0.5 | flip | invert | flip y | gray | gamma 2", "gray-world | gamma 0.8", "flip",
        "flip | gray | gamma 0.5 | canny", "gray | gaussian 1.4 2 | canny sigma=0", "median 1 | unsharp | dilate 2",
        "gaussian 20 | median 4 | sobel-x", "rotate 10 | crop 2 2 20 10 | pad 2 1 3 0",
        "nlm patch=1 search=2 | perona-malik 3", "bilateral 1 20 2 | open 1 disc"}) {
    const Pipeline pipeline = Pipeline::parse(text);
    PipelinePlan plan(ctx, pipeline, format);
    EXPECT_EQ(plan.output(), pipeline.output(format));
    Image input(ctx, format);
    Image result(ctx, plan.output());
    Image other(ctx, plan.output());
    // Work is run, recorded, repeated; then for other images.
    for (std::uint64_t round = 0; round < 6; ++round) {
      const Image image = test::random_image(format, round);
      copy(ctx, image, input);
      Image& to = round < 4 ? result : other;
      plan.apply(input, to);
      EXPECT_EQ(test::largest_difference(to_host(ctx, to), to_host(ctx, pipeline.apply(ctx, clone(ctx, image)))), 0)
          << text << " " << round;
    }
  }
}

TEST(PipelinePlan, CopiesWhereThereIsNothingToDo) {
  const Context ctx = test::device_context();
  const Image image = test::random_image({PixelType::uint16, Channels::gray, 1, 1, 5, 7}, 3);
  const Pipeline pipeline = Pipeline::parse("gray");
  PipelinePlan plan(ctx, pipeline, image.format());
  Image result(ctx, image.format());
  plan.apply(clone(ctx, image), result);
  EXPECT_EQ(test::largest_difference(to_host(ctx, result), image), 0);
}

TEST(PipelinePlan, OutlivesThePipeline) {
  const Context& ctx = test::device_context();
  const ImageFormat format{.type = PixelType::uint8, .height = 3, .width = 5};
  const auto made_by = [&](const std::string& text) {
    const Pipeline pipeline = Pipeline::parse(text);
    return PipelinePlan(ctx, pipeline, format);
  };
  Image input(ctx, format);
  fill(ctx, input.pixels<std::uint8_t>(), 10);
  Image result(ctx, format);
  made_by("invert").apply(input, result);
  const Image here = to_host(ctx, result);
  EXPECT_EQ(here.pixels<std::uint8_t>().span()[7], 245);
}

TEST(PipelinePlan, ChecksItsImages) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::uint8, Channels::rgb, 1, 1, 5, 7};
  const Pipeline pipeline = Pipeline::parse("gray");
  PipelinePlan plan(ctx, pipeline, format);
  const Image image(ctx, format);
  Image same(ctx, format);
  EXPECT_THROW(plan.apply(image, same), ShapeError);
  EXPECT_THROW(PipelinePlan(ctx, Pipeline::parse("phase"), format), Unsupported);
}

}  // namespace
}  // namespace whorl
