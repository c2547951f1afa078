// Filters that a program adds: texts of pipelines, help and reference know them as the library's own.
#include "whorl/filter/registry.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/filter/describe.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/reference.hpp"

namespace whorl {
namespace {

struct SpeckOptions : BorderOptions {
  double brightness = 0.5;
  Index every = 3;
};

// Sets every n-th pixel of a float image.
class Speck final : public Filter {
 public:
  explicit Speck(const SpeckOptions& options) : Filter("speck"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override { return input; }
  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    copy(ctx, input, result);
    const ArrayRef<float> pixels = result.pixels<float>();
    for (Index i = 0; i < pixels.size(); i += options_.every) {
      pixels.data()[i] = static_cast<float>(options_.brightness);
    }
  }

  SpeckOptions options_;
};

FilterDescriptor speck(const std::string& name = "speck") {
  return DescribeFilter<SpeckOptions>(name,
                                      [](const SpeckOptions& options) { return std::make_unique<Speck>(options); })
      .alias(name + "-of-light")
      .summary("Set some of the pixels")
      .text("For tests.")
      .real("brightness", &SpeckOptions::brightness, {0, 1}, "", "of these pixels")
      .integer("every", &SpeckOptions::every, {1, 100}, "pixels", "from one to the next")
      .border()
      .build();
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

Image black(const Context& ctx) {
  Image image(ctx, {PixelType::float32, Channels::gray, 1, 1, 2, 4});
  fill(image.pixels<float>(), 0);
  return image;
}

float sum_of(const Image& image) {
  float sum = 0;
  for (const float pixel : image.pixels<float>().span()) sum += pixel;
  return sum;
}

TEST(FilterRegistry, TextsFindAddedFilters) {
  const Context ctx;
  FilterRegistry registry;
  registry.add(speck());
  // 8 pixels: 0, 2, 4 and 6 are set, then doubled.
  const Pipeline pipeline = Pipeline::parse("speck 0.25 every=2 | scale 2", registry);
  EXPECT_EQ(sum_of(pipeline.apply(ctx, black(ctx))), 2);
  EXPECT_EQ(sum_of(Pipeline::parse("speck-of-light brightness=1", registry).apply(ctx, black(ctx))), 3);
  EXPECT_EQ(message_of([&] { Pipeline::parse("speck 2", registry); }),
            "speck: brightness is 2, expected a number, 0 to 1");
  EXPECT_EQ(message_of([&] { Pipeline::parse("speck size=2", registry); }),
            "speck: no parameter for 'size=2'; it has brightness, every, border, border-value");
  EXPECT_EQ(message_of([&] { Pipeline::parse("speck evry=2", registry); }),
            "speck: no parameter for 'evry=2' (did you mean every=2?); it has brightness, every, border, border-value");
  EXPECT_EQ(message_of([&] { Pipeline::parse("speck border-value=2", registry); }),
            "speck: border-value applies only with border=constant");
  // The filter is in this registry alone.
  EXPECT_EQ(message_of([&] { Pipeline::parse("speck"); }),
            "no filter is called 'speck'; docs/reference/filters.md has all");
  // A filter is suggested once, by its own name, where an alias is close too.
  EXPECT_NE(message_of([&] { Pipeline::parse("spek", registry); }).find("did you mean speck?"), std::string::npos);
  EXPECT_NE(message_of([&] { Pipeline::parse("gausian"); }).find("(did you mean gaussian?)"), std::string::npos);
}

TEST(FilterRegistry, HelpAndReferenceShowAddedFilters) {
  FilterRegistry registry;
  const std::size_t of_the_library = registry.filters().size();
  EXPECT_EQ(filter_table(registry).find("speck"), std::string::npos);
  registry.add(speck());
  ASSERT_EQ(registry.filters().size(), of_the_library + 1);
  EXPECT_EQ(registry.filters().back().get().name, "speck");
  EXPECT_NE(filter_table(registry).find("\nspeck                 Set some of the pixels\n"), std::string::npos);
  EXPECT_EQ(
      filter_help(registry.find("speck")),
      "speck: Set some of the pixels\n"
      "also called speck-of-light\n\n"
      "For tests.\n\n"
      "Parameters, in the order in which they may be given without their names:\n"
      "  brightness    of these pixels; 0 to 1 (default: 0.5)\n"
      "  every         from one to the next; 1 to 100 pixels (default: 3)\n"
      "  border        how the image continues beyond its edge; reflect, replicate, wrap, constant (default: reflect); "
      "by name only\n"
      "  border-value  value beyond the edge, in the image's numbers (with border=constant) (default: 0); by name "
      "only\n");
  const std::string reference = filter_reference(registry);
  EXPECT_NE(reference.find("### speck\n\nSet some of the pixels. For tests. Also called `speck-of-light`.\n"),
            std::string::npos);
  EXPECT_NE(reference.find("| `every` | from one to the next | 1 to 100 pixels | 3 |\n"), std::string::npos);
}

TEST(FilterRegistry, WhatIsInTheGlobalOneIsKnownEverywhere) {
  FilterRegistry::global().add(speck("speck-everywhere"));
  const Context ctx;
  EXPECT_EQ(sum_of(Pipeline::parse("speck-everywhere 1 every=4").apply(ctx, black(ctx))), 2);
  EXPECT_NE(filter_table().find("speck-everywhere"), std::string::npos);
  EXPECT_NO_THROW(ComplexImageFilter("magnitude | speck-everywhere 1").check({1, 1, 2, 4}));
}

TEST(FilterRegistry, DuplicatesAndWrongNamesAreRefused) {
  FilterRegistry registry;
  const std::size_t before = registry.filters().size();
  EXPECT_EQ(message_of([&] { registry.add(speck("gaussian")); }),
            "filter registry: 'gaussian' is there already; expected another name");
  EXPECT_EQ(message_of([&] { registry.add(speck("median-linear")); }),
            "filter registry: 'median-linear' is there already, as another name of median; expected another name");
  registry.add(speck());
  EXPECT_EQ(message_of([&] { registry.add(speck()); }),
            "filter registry: 'speck' is there already; expected another name");
  FilterDescriptor alias = speck("other");
  alias.aliases = {"speck"};
  EXPECT_THROW(registry.add(std::move(alias)), ValueError);
  FilterDescriptor twice = speck("twice");
  twice.aliases = {"twice"};
  EXPECT_EQ(message_of([&] { registry.add(std::move(twice)); }), "filter registry: 'twice' has the name twice");
  FilterDescriptor parameters = speck("parameters");
  parameters.parameters.push_back(parameters.parameters.front());
  EXPECT_EQ(message_of([&] { registry.add(std::move(parameters)); }),
            "filter registry: 'parameters' has the parameter brightness twice");
  FilterDescriptor without = speck("without");
  without.make = nullptr;
  EXPECT_EQ(message_of([&] { registry.add(std::move(without)); }),
            "filter registry: 'without' comes without a function make");
  for (const char* name : {"", "two words", "a|b", "a=b", "'a'", "-a", "A"}) {
    EXPECT_THROW(registry.add(speck(name)), ValueError) << name;
  }
  EXPECT_EQ(registry.filters().size(), before + 1);
}

// A reference stays valid while other filters come.
TEST(FilterRegistry, FiltersStayWhereTheyAre) {
  FilterRegistry registry;
  const FilterDescriptor& first = registry.find("gaussian");
  const auto list = registry.filters();
  const std::string front = list.front().get().name;
  for (int i = 0; i < 100; ++i) registry.add(speck("speck-" + std::to_string(i)));
  EXPECT_EQ(&registry.find("gaussian"), &first);
  EXPECT_EQ(list.front().get().name, front);
}

}  // namespace
}  // namespace whorl
