// Parameters of filters as their users write them.
#include "whorl/filter/descriptor.hpp"

#include <gtest/gtest.h>

#include <set>

#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl {
namespace {

struct Options : BorderOptions {
  double sigma = 1.5;
  std::optional<Index> radius;
  bool exact = false;
  std::string kernel;
};

Options made;

std::unique_ptr<Filter> make(const Options& options) {
  made = options;
  return nullptr;
}

FilterDescriptor descriptor() {
  return DescribeFilter<Options>("probe", &make)
      .real("sigma", &Options::sigma, {0.1, 100}, "pixels", "how wide")
      .integer("radius", &Options::radius, {1, 9}, "pixels", "how far", "3 sigma")
      .flag("exact", &Options::exact, "no short cut")
      .required_text("kernel", &Options::kernel, "its numbers")
      .border()
      .build();
}

std::string error_of(const std::vector<FilterArgument>& arguments) {
  try {
    descriptor().make(arguments);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "none";
}

TEST(Describe, SetsWhatIsGivenAndLeavesTheRest) {
  descriptor().make(std::vector<FilterArgument>{{"kernel", "1,2,1"}});
  EXPECT_EQ(made.sigma, 1.5);
  EXPECT_FALSE(made.radius);
  EXPECT_FALSE(made.exact);
  EXPECT_EQ(made.kernel, "1,2,1");
  EXPECT_EQ(made.border, Border::reflect);

  // By place: flags and borders are left out, the third is the kernel.
  descriptor().make(std::vector<FilterArgument>{
      {"", "2.25"}, {"", "4"}, {"", "x"}, {"border", "constant"}, {"border-value", "-3"}, {"exact", "yes"}});
  EXPECT_EQ(made.sigma, 2.25);
  EXPECT_EQ(made.radius, 4);
  EXPECT_EQ(made.kernel, "x");
  EXPECT_EQ(made.border, Border::constant);
  EXPECT_EQ(made.border_value, -3);
  EXPECT_TRUE(made.exact);
}

TEST(Describe, RefusesWhatHasNoEffect) {
  EXPECT_EQ(error_of({{"kernel", "1"}, {"border-value", "3"}}),
            "probe: border-value applies only with border=constant");
  EXPECT_EQ(error_of({{"border-value", "3"}, {"kernel", "1"}, {"border", "wrap"}}),
            "probe: border-value applies only with border=constant");
  EXPECT_EQ(error_of({{"border-value", "3"}, {"kernel", "1"}, {"border", "constant"}}), "none");
}

TEST(Describe, SaysWhatIsWrong) {
  EXPECT_EQ(error_of({{"kernel", "1"}, {"sigma", "0"}}), "probe: sigma is 0, expected a number, 0.1 to 100 pixels");
  EXPECT_EQ(error_of({{"kernel", "1"}, {"sigma", "nan"}}), "probe: sigma is nan, expected a number, 0.1 to 100 pixels");
  EXPECT_EQ(error_of({{"kernel", "1"}, {"radius", "2.5"}}),
            "probe: radius is '2.5', expected a whole number, 1 to 9 pixels");
  EXPECT_EQ(error_of({{"kernel", "1"}, {"border", "mirror"}}),
            "probe: border is 'mirror', expected reflect, replicate, wrap or constant");
  EXPECT_EQ(error_of({{"kernel", "1"}, {"size", "3"}}),
            "probe: no parameter for 'size=3'; it has sigma, radius, exact, kernel, border, border-value");
  EXPECT_EQ(error_of({{"", "1"}, {"", "2"}, {"", "k"}, {"", "4"}}),
            "probe: no parameter for '4'; it has sigma, radius, exact, kernel, border, border-value");
  EXPECT_EQ(error_of({{"", "1"}, {"sigma", "2"}, {"kernel", "1"}}), "probe: sigma is given twice");
  EXPECT_EQ(error_of({}), "probe: kernel must be given (its numbers)");
}

TEST(FilterList, TellsFiltersApart) {
  std::set<std::string> names;
  for (const FilterDescriptor& filter : FilterRegistry::global().filters()) {
    EXPECT_FALSE(filter.summary.empty()) << filter.name;
    EXPECT_TRUE(names.insert(filter.name).second) << filter.name;
    for (const std::string& alias : filter.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    std::set<std::string> parameters;
    for (const OptionDescriptor& parameter : filter.parameters) {
      EXPECT_TRUE(parameters.insert(parameter.name).second) << filter.name << " " << parameter.name;
      EXPECT_FALSE(parameter.summary.empty()) << filter.name << " " << parameter.name;
    }
  }
}

TEST(FilterList, NamesWhatIsClose) {
  EXPECT_EQ(FilterRegistry::global().find("flip").name, "flip");
  try {
    FilterRegistry::global().find("fliq");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean flip?"), std::string::npos) << error.what();
  }
}

// The values that the help shows as defaults are what a filter takes when they are given. `resize` takes its scale from
// width and height, or those from it: one of them is given.
TEST(FilterList, TakesItsOwnDefaults) {
  for (const FilterDescriptor& filter : FilterRegistry::global().filters()) {
    std::vector<FilterArgument> arguments;
    for (const OptionDescriptor& parameter : filter.parameters) {
      if (!parameter.applies.empty()) continue;  // it may have no effect beside the others
      if (parameter.fallback && !parameter.choices.empty()) arguments.push_back({parameter.name, *parameter.fallback});
    }
    const bool complete = std::all_of(filter.parameters.begin(), filter.parameters.end(),
                                      [](const OptionDescriptor& parameter) { return parameter.fallback.has_value(); });
    if (!complete) continue;
    if (filter.name == "resize") arguments.push_back({"scale", "0.5"});
    EXPECT_NO_THROW(filter.make(arguments)) << filter.name;
  }
}

}  // namespace
}  // namespace whorl
