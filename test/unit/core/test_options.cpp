// Tables of options: what they read, refuse, check and say.
#include "whorl/core/option_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "whorl/core/error.hpp"
#include "whorl/core/view.hpp"

namespace whorl {
namespace {

enum class Shape3 { ball, box };

struct Part {
  double width = 2;
  Index count = 3;
};

struct Base {
  bool exact = true;
};

struct Probe : Base {
  double sigma = 1.5;
  std::optional<double> edge;
  float factor = 0.5F;
  int steps = 10;
  std::uint64_t seed = 1;
  double oversampling = 0;
  bool slow = false;
  Shape3 shape = Shape3::box;
  std::string name = "a";
  std::filesystem::path file;
  std::vector<double> widths;
  std::array<std::int64_t, 3> matrix{1, 1, 1};
  std::vector<std::string> axes{"x"};
  Part part{.width = 4};
};

OptionTable<Part> part_table() {
  return OptionTable<Part>("part")
      .real("width", &Part::width, {0, 10}, "mm", "how wide")
      .recorded_as("width_mm")
      .integer("count", &Part::count, OptionRange::at_least(1), "", "how many");
}

const OptionTable<Probe>& table() {
  static const OptionTable<Part> part = part_table();
  static const OptionTable<Probe> table =
      OptionTable<Probe>("probe")
          .group("First")
          .real("sigma", &Probe::sigma, OptionRange::more_than(0).up_to(100), "pixels", "how wide")
          .real("edge", &Probe::edge, {}, "", "where", "a tenth of the range")
          .real("factor", &Probe::factor, {0, 1}, "", "times")
          .group("Second")
          .integer("steps", &Probe::steps, OptionRange::at_least(1), "", "how many")
          .integer("seed", &Probe::seed, {}, "", "of the numbers")
          .real_or("over-sampling", &Probe::oversampling, {1.25, 2}, "", "of the grid", "automatic", 0)
          .flag("exact", &Probe::exact, "no short cut")
          .flag("slow", &Probe::slow, "take time")
          .choice("shape", &Probe::shape, {{"ball", Shape3::ball}, {"box", Shape3::box}}, "of it")
          .text("name", &Probe::name, "of it")
          .text("file", &Probe::file, "to read")
          .list("widths", &Probe::widths, 1, 0, OptionRange::more_than(0), "mm", "of the bars")
          .list("matrix", &Probe::matrix, 2, 3, {1, 100}, "pixels", "of the image")
          .list("axes", &Probe::axes, 1, 2, {}, "", "in order", {"x", "y", "z"})
          .part(&Probe::part, {{"width", "part-width"}, {"count", "part-count"}}, part)
          .when("ball", [](const Probe& probe) { return probe.shape == Shape3::ball; });
  return table;
}

std::string error_of(const std::string& name, const OptionValue& value) {
  Probe probe;
  try {
    table().set(probe, name, value);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "none";
}

const OptionDescriptor& of(const std::string& name) { return table().bindings()[table().index_of(name)].what; }

TEST(OptionTable, SetsMembersOfEveryKindFromText) {
  Probe probe;
  const std::vector<std::pair<std::string, std::string>> texts{{"sigma", "2.25"},
                                                               {"edge", "-3"},
                                                               {"factor", "0.25"},
                                                               {"steps", "7"},
                                                               {"seed", "18446744073709551615"},
                                                               {"exact", "no"},
                                                               {"slow", "yes"},
                                                               {"shape", "ball"},
                                                               {"name", "two words"},
                                                               {"file", "a/b.npy"},
                                                               {"widths", "1,2.5"},
                                                               {"matrix", "64,32"},
                                                               {"axes", "z,x"},
                                                               {"part-width", "1.5"},
                                                               {"part-count", "9"},
                                                               {"over-sampling", "1.5"}};
  for (const auto& [name, text] : texts) {
    table().set(probe, name, text);
    EXPECT_EQ(table().text_of(probe, name), name == "matrix" ? "64,32,1" : text) << name;
  }
  EXPECT_EQ(probe.sigma, 2.25);
  EXPECT_EQ(probe.edge, -3);
  EXPECT_EQ(probe.factor, 0.25F);
  EXPECT_EQ(probe.steps, 7);
  EXPECT_EQ(probe.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(probe.oversampling, 1.5);
  EXPECT_FALSE(probe.exact);
  EXPECT_TRUE(probe.slow);
  table().set(probe, "slow", "off");
  EXPECT_FALSE(probe.slow);
  table().set(probe, "slow", "on");
  EXPECT_EQ(table().text_of(probe, "slow"), "yes");
  EXPECT_EQ(probe.shape, Shape3::ball);
  EXPECT_EQ(probe.name, "two words");
  EXPECT_EQ(probe.file, "a/b.npy");
  EXPECT_EQ(probe.widths, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(probe.matrix, (std::array<std::int64_t, 3>{64, 32, 1}));
  EXPECT_EQ(probe.axes, (std::vector<std::string>{"z", "x"}));
  EXPECT_EQ(probe.part.width, 1.5);
  EXPECT_EQ(probe.part.count, 9);
  // The unit may be said.
  table().set(probe, "part-width", "2.5mm");
  EXPECT_EQ(probe.part.width, 2.5);
  table().set(probe, "sigma", "3 pixels");
  EXPECT_EQ(probe.sigma, 3);
  EXPECT_NE(error_of("part-width", "mm"), "none");
  EXPECT_NE(error_of("part-width", "2 cm"), "none");
  EXPECT_NE(error_of("factor", "0.5mm"), "none");
  table().check(probe);
}

TEST(OptionTable, TakesAndGivesValuesWithTheirTypes) {
  Probe probe;
  table().set(probe, "sigma", std::int64_t{3});
  EXPECT_EQ(table().get(probe, "sigma"), OptionValue(3.0));
  table().set(probe, "edge", 0.5);
  EXPECT_EQ(table().get(probe, "edge"), OptionValue(0.5));
  table().set(probe, "edge", OptionValue());
  EXPECT_FALSE(probe.edge);
  EXPECT_EQ(table().get(probe, "edge"), OptionValue());
  EXPECT_EQ(table().text_of(probe, "edge"), "a tenth of the range");
  table().set(probe, "slow", true);
  EXPECT_EQ(table().get(probe, "slow"), OptionValue(true));
  table().set(probe, "widths", std::vector<std::int64_t>{1, 2});
  EXPECT_EQ(table().get(probe, "widths"), OptionValue(std::vector<double>{1, 2}));
  EXPECT_EQ(table().get(probe, "shape"), OptionValue("box"));
  // A word in the place of a number.
  EXPECT_EQ(table().get(probe, "over-sampling"), OptionValue("automatic"));
  table().set(probe, "over-sampling", 2.0);
  table().set(probe, "over-sampling", "automatic");
  EXPECT_EQ(probe.oversampling, 0);
}

TEST(OptionTable, ReadsListsWithCommasAndBlanks) {
  for (const char* text : {"64,32,8", "64 32 8", "64, 32 8"}) {
    Probe probe;
    table().set(probe, "matrix", text);
    EXPECT_EQ(probe.matrix, (std::array<std::int64_t, 3>{64, 32, 8})) << text;
  }
}

TEST(OptionTable, RefusesInOneForm) {
  EXPECT_EQ(error_of("sigma", "0"), "probe: sigma is 0, expected a number, above 0, up to 100 pixels");
  EXPECT_EQ(error_of("sigma", "100.5"), "probe: sigma is 100.5, expected a number, above 0, up to 100 pixels");
  EXPECT_EQ(error_of("sigma", "nan"), "probe: sigma is nan, expected a number, above 0, up to 100 pixels");
  EXPECT_EQ(error_of("sigma", "2x"), "probe: sigma is '2x', expected a number, above 0, up to 100 pixels");
  EXPECT_EQ(error_of("sigma", true), "probe: sigma is 'yes', expected a number, above 0, up to 100 pixels");
  EXPECT_EQ(error_of("edge", "inf"), "probe: edge is inf, expected a number");
  EXPECT_EQ(error_of("steps", "0"), "probe: steps is 0, expected a whole number, 1 or more");
  EXPECT_EQ(error_of("steps", "2.5"), "probe: steps is '2.5', expected a whole number, 1 or more");
  EXPECT_EQ(error_of("steps", "2147483648"), "probe: steps is 2147483648, expected 2147483647 at most");
  EXPECT_EQ(error_of("seed", "-1"), "probe: seed is '-1', expected a whole number");
  EXPECT_EQ(error_of("over-sampling", "1"), "probe: over-sampling is 1, expected a number, 1.25 to 2, or automatic");
  EXPECT_EQ(error_of("over-sampling", "auto"),
            "probe: over-sampling is 'auto', expected a number, 1.25 to 2, or automatic (did you mean automatic?)");
  EXPECT_EQ(error_of("slow", "maybe"), "probe: slow is 'maybe', expected yes or no");
  EXPECT_EQ(error_of("shape", "cone"), "probe: shape is 'cone', expected ball or box");
  EXPECT_EQ(error_of("matrix", "64"), "probe: matrix is '64', expected 2 to 3 whole numbers, 1 to 100 pixels");
  EXPECT_EQ(error_of("matrix", "64,0"), "probe: matrix is '64,0', expected 2 to 3 whole numbers, 1 to 100 pixels");
  EXPECT_EQ(error_of("matrix", "1,2,3,4"),
            "probe: matrix is '1,2,3,4', expected 2 to 3 whole numbers, 1 to 100 pixels");
  EXPECT_EQ(error_of("widths", "1,-1"), "probe: widths is '1,-1', expected numbers, above 0 mm");
  EXPECT_EQ(error_of("axes", "x,w"), "probe: axes is 'x,w', expected 1 to 2 of x, y or z");
  EXPECT_EQ(error_of("part-width", "11"), "probe: part-width is 11, expected a number, 0 to 10 mm");
  EXPECT_TRUE(error_of("none", "1").starts_with("probe: no option 'none'; it has sigma, edge, factor, "));
}

// A refused value leaves the member as it was.
TEST(OptionTable, ChecksStructsThatProgramsFilled) {
  Probe probe;
  EXPECT_THROW(table().set(probe, "sigma", "-1"), ValueError);
  EXPECT_EQ(probe.sigma, 1.5);
  EXPECT_NO_THROW(table().check(probe));
  for (const double sigma : {0.0, -1.0, 101.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    probe.sigma = sigma;
    EXPECT_THROW(table().check(probe), ValueError) << sigma;
  }
  probe.sigma = 100;
  EXPECT_NO_THROW(table().check(probe));
  probe.edge = std::nan("");
  EXPECT_THROW(table().check(probe), ValueError);
  probe.edge = -5;
  probe.oversampling = 1;
  EXPECT_THROW(table().check(probe), ValueError);
  probe.oversampling = 0;
  EXPECT_NO_THROW(table().check(probe));
  probe.widths = {1, -1};
  EXPECT_THROW(table().check(probe), ValueError);
  probe.widths.clear();
  // What has no effect is not checked.
  probe.part.count = 0;
  EXPECT_NO_THROW(table().check(probe));
  probe.shape = Shape3::ball;
  try {
    table().check(probe, "operation");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "operation: part-count is 0, expected a whole number, 1 or more");
  }
}

TEST(OptionTable, DescribesItself) {
  EXPECT_EQ(of("sigma").fallback, "1.5");
  EXPECT_EQ(of("edge").fallback, "a tenth of the range");
  EXPECT_EQ(of("exact").fallback, "yes");
  EXPECT_EQ(of("shape").fallback, "box");
  EXPECT_EQ(of("shape").choices, (std::vector<std::string>{"ball", "box"}));
  EXPECT_EQ(of("over-sampling").fallback, "automatic");
  EXPECT_EQ(of("over-sampling").record, "over_sampling");
  EXPECT_EQ(of("sigma").group, "First");
  EXPECT_EQ(of("slow").group, "Second");
  // A part of the struct: the default is that of the whole, and the key in records follows the name unless it was given.
  EXPECT_EQ(of("part-width").fallback, "4");
  EXPECT_EQ(of("part-count").fallback, "3");
  EXPECT_EQ(of("part-width").record, "width_mm");
  EXPECT_EQ(of("part-count").record, "part_count");
  EXPECT_EQ(of("part-count").group, "Second");
  EXPECT_EQ(of("part-count").applies, "ball");
}

TEST(OptionRange, SaysWhatBelongsToIt) {
  EXPECT_EQ(OptionRange().text(), "");
  EXPECT_EQ(OptionRange(0.5, 2).text(), "0.5 to 2");
  EXPECT_EQ(OptionRange::at_least(1).text(), "1 or more");
  EXPECT_EQ(OptionRange::more_than(0).text(), "above 0");
  EXPECT_EQ(OptionRange::more_than(0).up_to(1).text(), "above 0, up to 1");
  EXPECT_EQ(OptionRange::more_than(0).less_than(1).text(), "above 0, below 1");
  EXPECT_EQ(OptionRange::at_least(0).less_than(1).text(), "0 or more, below 1");
  EXPECT_EQ(OptionRange().up_to(3).text(), "3 or less");
  EXPECT_EQ(OptionRange(0, std::numeric_limits<std::int64_t>::max()).text(), "0 or more");

  EXPECT_TRUE(OptionRange(0.5, 2).contains(0.5));
  EXPECT_TRUE(OptionRange(0.5, 2).contains(2));
  EXPECT_FALSE(OptionRange::more_than(0).contains(0));
  EXPECT_FALSE(OptionRange::more_than(0).less_than(1).contains(1));
  EXPECT_FALSE(OptionRange().contains(std::nan("")));
  EXPECT_FALSE(OptionRange().contains(std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace whorl
