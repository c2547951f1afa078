#include "whorl/filter/pipeline.hpp"

#include <gtest/gtest.h>

#include "filter/src/pipeline/pipeline_text.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline_plan.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl {
namespace {

using test::value_at;

std::string error_of(std::string_view text) {
  try {
    filters::split_pipeline(text);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "none";
}

TEST(Pipeline, RefusesNoFilter) {
  Pipeline pipeline;
  EXPECT_THROW(pipeline.add(nullptr), ValueError);
  EXPECT_TRUE(pipeline.empty());
}

TEST(Filter, TheImageForTheResultIsAnother) {
  const Context ctx({.threads = 1});
  Image image = test::random_image({PixelType::uint8, Channels::gray, 1, 1, 5, 7}, 3);
  EXPECT_THROW(FilterRegistry::global().find("invert").make({})->apply(ctx, image, image), ValueError);
  EXPECT_THROW(PipelinePlan(ctx, Pipeline::parse("invert"), image.format()).apply(image, image), ValueError);
}

class Stages : public ProgressSink {
 public:
  void begin(std::string_view stage, Index total) override { calls += std::string(stage) + std::to_string(total); }
  void update(Index done, std::string_view) override { calls += " " + std::to_string(done); }
  void end() override { calls += " end"; }
  std::string calls;
};

// Two passes: point operations fuse with the filters beside them.
TEST(Pipeline, ReportsItsPasses) {
  const auto stages = std::make_shared<Stages>();
  const Context ctx({.threads = 1, .progress = stages});
  const Image image = test::random_image({PixelType::uint8, Channels::gray, 1, 1, 5, 7}, 3);
  Pipeline::parse("median 3 | rotate 10").apply(ctx, image);
  EXPECT_EQ(stages->calls, "filter pipeline2 1 2 end");
}

TEST(PipelineText, IsTakenApart) {
  const auto parts =
      filters::split_pipeline(" gaussian 1.4 radius=3|custom kernel='0,1,0; 1,2,1; 0,1,0' \"a=b\" =x\n| x");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "gaussian");
  ASSERT_EQ(parts[0].arguments.size(), 2U);
  EXPECT_EQ(parts[0].arguments[0].name, "");
  EXPECT_EQ(parts[0].arguments[0].value, "1.4");
  EXPECT_EQ(parts[0].arguments[1].name, "radius");
  EXPECT_EQ(parts[0].arguments[1].value, "3");
  ASSERT_EQ(parts[1].arguments.size(), 3U);
  EXPECT_EQ(parts[1].arguments[0].name, "kernel");
  EXPECT_EQ(parts[1].arguments[0].value, "0,1,0; 1,2,1; 0,1,0");
  EXPECT_EQ(parts[1].arguments[1].value, "a=b");
  EXPECT_EQ(parts[1].arguments[2].value, "=x");
  EXPECT_EQ(parts[2].name, "x");
}

TEST(PipelineText, SaysWhatIsMissing) {
  EXPECT_EQ(error_of("  "), "filter pipeline '  ': no filter in it; expected NAME [PARAMETER=VALUE...] | NAME ...");
  for (const char* text : {"flip |", "| flip", "flip || flip"}) {
    EXPECT_NE(error_of(text).find("no filter on one side of a bar"), std::string::npos) << text;
  }
  EXPECT_EQ(error_of("custom '1,2"), "filter pipeline 'custom '1,2': a quote ' is opened and not closed");
}

TEST(Pipeline, AppliesItsFiltersInTheirOrder) {
  const Context ctx({.threads = 1});
  const Image image = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 5, 7}, 3);
  const Pipeline pipeline = Pipeline::parse("flip | flip axis=y");
  EXPECT_EQ(pipeline.output(image.format()), image.format());
  const Image result = pipeline.apply(ctx, image);
  EXPECT_EQ(value_at(result, 0, 1, 2, 1), value_at(image, 0, 3, 4, 1));
  EXPECT_EQ(test::largest_difference(Pipeline().apply(ctx, image), image), 0);
}

// A filter as users of the library write them: pixels mirrored along x, in a picture of one slice.
class Mirror : public Filter {
 public:
  Mirror() : Filter("mirror") {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }
  void do_apply(const Context& /*ctx*/, const Image& input, Image& result) const override {
    const Index width = input.format().width;
    const Index channels = count_of(input.format().channels);
    const std::uint8_t* const from = input.pixels<std::uint8_t>().data();
    for (Index i = 0; i < input.format().shape().size(); ++i) {
      const Index pixel = i / channels;
      const Index mirrored = pixel / width * width + (width - 1 - pixel % width);
      result.pixels<std::uint8_t>().data()[i] = from[mirrored * channels + i % channels];
    }
  }
};

TEST(Pipeline, TakesFiltersOfItsUsers) {
  const Context ctx({.threads = 1});
  const Image image = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 5, 7}, 3);
  Pipeline pipeline = Pipeline::parse("invert");
  pipeline.add(std::make_unique<Mirror>());
  pipeline.add(FilterRegistry::global().find("gamma").make(std::vector<FilterArgument>{{"", "0.5"}}));
  pipeline.add(FilterRegistry::global().find("gaussian").make(std::vector<FilterArgument>{{"", "1"}}));
  const Image expected = Pipeline::parse("flip x | invert | gamma 0.5 | gaussian 1").apply(ctx, image);
  EXPECT_EQ(test::largest_difference(pipeline.apply(ctx, image), expected), 0);
  PipelinePlan plan(ctx, pipeline, image.format());
  Image found(ctx, plan.output());
  plan.apply(image, found);
  EXPECT_EQ(test::largest_difference(found, expected), 0);
}

TEST(Pipeline, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(Pipeline::parse("flop"), ValueError);
  EXPECT_THROW(Pipeline::parse("flip sideways"), ValueError);
}

TEST(Pipeline, StopsOnRequest) {
  const Context ctx({.threads = 1});
  const Image image = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 5, 7}, 3);
  ctx.request_cancel();
  EXPECT_THROW(Pipeline::parse("flip").apply(ctx, image), Cancelled);
}

}  // namespace
}  // namespace whorl
