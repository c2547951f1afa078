// Several threads use one pipeline, plan or registry at once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sharing/at_once.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/filter/describe.hpp"
#include "whorl/filter/pipeline_plan.hpp"

namespace whorl {
namespace {

constexpr int thread_count = 4;

// On the host.
Image random_image(const Context& ctx, std::uint64_t seed) {
  Image picture(ctx.host(), {PixelType::uint8, Channels::rgb, 1, 1, 61, 50});
  const ArrayRef<std::uint8_t> pixels = picture.pixels<std::uint8_t>();
  for (Index i = 0; i < pixels.size(); ++i) {
    pixels.data()[i] = static_cast<std::uint8_t>(256 * random_uniform(seed, static_cast<std::uint64_t>(i)));
  }
  return picture;
}

bool same_pixels(const Image& a, const Image& b) {
  const auto left = a.pixels<std::uint8_t>().span();
  const auto right = b.pixels<std::uint8_t>().span();
  return a.format() == b.format() && std::equal(left.begin(), left.end(), right.begin());
}

constexpr const char* texts[] = {"gaussian 1.4 | unsharp", "resize 0.6 method=bicubic | median 5",
                                 "gray | autocontrast | clahe", "gray | canny low=40 high=90",
                                 "bilateral | open 3 | rotate 12"};

TEST(FilterThreads, ApplyOnePipeline) {
  const Context ctx = test::device_context();
  const Image input = random_image(ctx, 3);
  const auto filtered = [&](const Context& own, const Pipeline& pipeline) {
    return to_host(own, pipeline.apply(own, clone(own, input)));
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    const Pipeline pipeline = Pipeline::parse(text);
    const Image expected = filtered(ctx, pipeline);
    std::vector<int> wrong(thread_count);
    test::at_once(thread_count, [&](int thread) {
      const Context own = test::device_context();
      for (int repetition = 0; repetition < 3; ++repetition) {
        wrong[static_cast<std::size_t>(thread)] += same_pixels(filtered(own, pipeline), expected) ? 0 : 1;
      }
    });
    EXPECT_EQ(wrong, std::vector<int>(thread_count));
  }
}

// One filter with images of several sizes: what it keeps of one must not serve another.
TEST(FilterThreads, ApplyOneFilterToImagesOfSeveralSizes) {
  const Context ctx = test::device_context();
  const Pipeline resize = Pipeline::parse("resize 0.6 method=lanczos");
  const auto filtered = [&](const Context& own, Index height) {
    Image input(own.host(), {PixelType::uint8, Channels::gray, 1, 1, height, 40});
    fill(input.pixels<std::uint8_t>(), 200);
    return to_host(own, resize.apply(own, clone(own, input)));
  };
  const Image expected[] = {filtered(ctx, 30), filtered(ctx, 31), filtered(ctx, 37)};
  std::vector<int> wrong(thread_count);
  test::at_once(thread_count, [&](int thread) {
    const Context own = test::device_context();
    for (int i = 0; i < 12; ++i) {
      const int size = (i + thread) % 3;
      constexpr Index heights[] = {30, 31, 37};
      wrong[static_cast<std::size_t>(thread)] += same_pixels(filtered(own, heights[size]), expected[size]) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(thread_count));
}

TEST(FilterThreads, TakeTurnsWithOnePlan) {
  const Context ctx = test::device_context();
  if (ctx.device().kind != DeviceKind::cpu) GTEST_SKIP() << "a plan has the context of its thread on a GPU";
  PipelinePlan plan(ctx, Pipeline::parse("gaussian 1.4 | unsharp | median 5"), random_image(ctx, 1).format());
  Image expected[thread_count];
  for (int i = 0; i < thread_count; ++i) {
    expected[i] = Image(ctx, plan.output());
    plan.apply(random_image(ctx, static_cast<std::uint64_t>(i)), expected[i]);
  }
  std::vector<int> wrong(thread_count);
  test::at_once(thread_count, [&](int thread) {
    const Image input = random_image(ctx, static_cast<std::uint64_t>(thread));
    Image result(ctx, plan.output());
    for (int repetition = 0; repetition < 5; ++repetition) {
      plan.apply(input, result);
      wrong[static_cast<std::size_t>(thread)] += same_pixels(result, expected[thread]) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(thread_count));
}

struct NoOptions {};

TEST(FilterThreads, AddToOneRegistryAndReadIt) {
  FilterRegistry registry;
  const std::size_t before = registry.filters().size();
  const auto describe = [](const std::string& name) {
    return DescribeFilter<NoOptions>(name, [](const NoOptions&) { return std::unique_ptr<Filter>(); })
        .summary("nothing")
        .build();
  };
  std::vector<int> refused(thread_count);
  test::at_once(thread_count, [&](int thread) {
    for (int i = 0; i < 10; ++i) {
      registry.add(describe("own-" + std::to_string(10 * thread + i)));
      try {
        registry.add(describe("all-" + std::to_string(i)));
      } catch (const ValueError&) {
        ++refused[static_cast<std::size_t>(thread)];
      }
      registry.find("gaussian");
      for (const FilterDescriptor& filter : registry.filters()) static_cast<void>(filter.name.size());
    }
  });
  EXPECT_EQ(registry.filters().size(), before + 10 * thread_count + 10);
  EXPECT_EQ(refused[0] + refused[1] + refused[2] + refused[3], 10 * (thread_count - 1));
}

}  // namespace
}  // namespace whorl
