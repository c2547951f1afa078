// Options on a command line as their table describes them, and lists.
#include "cli/options/table_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

namespace whorl::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Kind { first, second, third };

struct Probe {
  double width = 2;
  int count = 0;
  bool whiten = true;
  bool slow = false;
  Kind kind = Kind::second;
  std::vector<Index> matrix;
  std::vector<std::string> axes;
};

const OptionTable<Probe>& table() {
  static const OptionTable<Probe> table =
      OptionTable<Probe>("probe")
          .group("Sizes")
          .real("width", &Probe::width, OptionRange::more_than(0), "mm", "How wide")
          .integer("count", &Probe::count, OptionRange::at_least(1), "", "How many (default: as many as fit)")
          .when("second", [](const Probe& probe) { return probe.kind == Kind::second; })
          .group("Ways")
          .flag("whitening", &Probe::whiten, "Whiten", "Leave the noise as it is")
          .flag("slow", &Probe::slow, "Take time")
          .choice("kind", &Probe::kind, {{"first", Kind::first}, {"second", Kind::second}, {"third", Kind::third}},
                  "Kind")
          .recorded_as("kind_of_probe")
          .list("matrix", &Probe::matrix, 2, 3, {1, 1000}, "pixels", "Matrix")
          .list("axes", &Probe::axes, 1, 0, {}, "", "Axes", {"readout", "shot", "coil"})
          .integer("secret", &Probe::count, {}, "", "For programs")
          .for_programs();
  return table;
}

class TableOptions : public testing::Test {
 protected:
  TableOptions() { command_.add_input("file", file_, "A file"); }

  void add(const Shown& shown = {}) { add_options(command_, probe_, table(), shown); }
  // The error of a command line; empty: none.
  std::string parse(const std::vector<std::string>& words) {
    app_.clear();
    std::vector<std::string> joined;
    try {
      joined = command_.join_lists(words);
      std::reverse(joined.begin(), joined.end());
      app_.parse(joined);
      command_.check_effects();
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return {};
  }

  CLI::App app_{"A program", "probe"};
  App command_{app_};
  Probe probe_;
  std::string file_;
};

TEST_F(TableOptions, SetTheMembers) {
  add();
  ASSERT_EQ(parse({"--count=7"}), "");
  ASSERT_EQ(parse({"--width", "2.5", "--no-whitening", "--slow", "--kind", "third", "--matrix", "64,32"}), "");
  EXPECT_EQ(probe_.width, 2.5);
  EXPECT_EQ(probe_.count, 7);
  EXPECT_FALSE(probe_.whiten);
  EXPECT_TRUE(probe_.slow);
  EXPECT_EQ(probe_.kind, Kind::third);
  EXPECT_THAT(probe_.matrix, ElementsAre(64, 32));
}

TEST_F(TableOptions, RefuseWithTheirName) {
  add({.changed = {{.name = "width", .as = "breadth"}, {.name = "kind", .choices = {"first", "second"}}}});
  EXPECT_EQ(parse({"--breadth", "0"}), "--breadth is 0, expected a number, above 0 mm");
  EXPECT_EQ(parse({"--breadth", "wide"}), "--breadth is 'wide', expected a number, above 0 mm");
  EXPECT_EQ(parse({"--count", "0"}), "--count is 0, expected a whole number, 1 or more");
  EXPECT_EQ(parse({"--kind", "fourth"}), "--kind is 'fourth', expected first or second");
  EXPECT_EQ(parse({"--kind", "third"}), "--kind is 'third', expected first or second");
  EXPECT_EQ(parse({"--matrix", "64"}), "--matrix is '64', expected 2 to 3 whole numbers, 1 to 1000 pixels");
  EXPECT_NE(parse({"--secret", "1"}), "");
  EXPECT_NE(parse({"--whitening"}), "");
}

TEST_F(TableOptions, ExplainThemselves) {
  add({.but = {"slow"}, .changed = {{.name = "count", .as = "number"}}});
  const std::string help = app_.help();
  EXPECT_THAT(help, HasSubstr("--width FLOAT=2"));
  EXPECT_THAT(help, HasSubstr("How wide; above 0 mm"));
  // A default that the table does not take is none.
  EXPECT_THAT(help, HasSubstr("--number INT "));
  EXPECT_THAT(help, HasSubstr("How many (default: as many as fit); 1 or more; only with second"));
  EXPECT_THAT(help, HasSubstr("--no-whitening"));
  EXPECT_THAT(help, HasSubstr("Leave the noise as it is"));
  EXPECT_THAT(help, HasSubstr("--kind TEXT=second"));
  EXPECT_THAT(help, HasSubstr("Kind: first, second, third"));
  EXPECT_THAT(help, HasSubstr("--matrix A,B[,C]"));
  EXPECT_THAT(help, HasSubstr("--axes A,B,..."));
  EXPECT_THAT(help, testing::Not(HasSubstr("--slow")));
  EXPECT_THAT(help, testing::Not(HasSubstr("--secret")));
  EXPECT_LT(help.find("Sizes:"), help.find("--width"));
}

TEST_F(TableOptions, WithoutAnEffectAreRefused) {
  add();
  EXPECT_EQ(parse({"--count", "3"}), "");
  EXPECT_EQ(parse({"--count", "3", "--kind", "first"}), "--count applies only with second");
  EXPECT_EQ(parse({"--kind", "first"}), "");
  // Words in any order.
  EXPECT_EQ(parse({"--kind", "third", "--count", "3"}), "--count applies only with second");
}

TEST_F(TableOptions, ACommandMayHaveNoSuchCondition) {
  add({.changed = {{.name = "count", .applies = ""}}});
  EXPECT_EQ(parse({"--count", "3", "--kind", "first"}), "");
  EXPECT_THAT(app_.help(), testing::Not(HasSubstr("only with second")));
}

TEST_F(TableOptions, ConditionsOutsideOfTablesAreSaidAndAskedToo) {
  add();
  bool applies = false;
  command_.get_option("--width")->when("a box", [&] { return applies; });
  command_.get_option("--slow")->when("patience", [] { return false; });
  EXPECT_EQ(parse({"--width", "3"}), "--width applies only with a box");
  EXPECT_EQ(parse({"--slow"}), "--slow applies only with patience");
  applies = true;
  EXPECT_EQ(parse({"--width", "3"}), "");
  // A narrower condition takes the place of a wider one; others are added.
  command_.get_option("--count")->when("second without patience", [] { return true; });
  command_.get_option("--width")->when("no lid", [] { return true; });
  command_.get_option("--slow")->when("a lid", [] { return true; });
  EXPECT_THAT(app_.help(), HasSubstr("1 or more; only with second without patience\n"));
  EXPECT_THAT(app_.help(), HasSubstr("Take time; only with patience, and a lid\n"));
  EXPECT_THAT(app_.help(), HasSubstr("How wide; above 0 mm; only with a box"));
}

TEST_F(TableOptions, GoIntoTheRecordWhereTheyHaveAnEffect) {
  probe_.matrix = {4, 5};
  const auto keys = [&](const Shown& shown) {
    std::vector<std::string> names;
    for (const auto& [name, value] : parameters_of(probe_, table(), shown)) names.push_back(name);
    return names;
  };
  EXPECT_THAT(keys({}), ElementsAre("width", "count", "whitening", "slow", "kind_of_probe", "matrix", "axes"));
  probe_.kind = Kind::first;
  EXPECT_THAT(keys({.but = {"axes"}}), ElementsAre("width", "whitening", "slow", "kind_of_probe", "matrix"));
  const Parameters parameters = parameters_of(probe_, table(), {.only = {"width", "kind", "matrix", "slow"}});
  EXPECT_EQ(std::get<double>(parameters[0].second), 2);
  EXPECT_EQ(std::get<bool>(parameters[1].second), false);
  EXPECT_EQ(std::get<std::string>(parameters[2].second), "first");
  EXPECT_EQ(std::get<std::string>(parameters[3].second), "4,5");
}

TEST_F(TableOptions, TakeListsWithCommasAndBlanks) {
  add();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--matrix", "64,32,8", "name"},
                                                {"--matrix", "64", "32", "8", "name"},
                                                {"--matrix", "64,32", "8", "name"},
                                                {"name", "--matrix=64,32,8"},
                                                {"--matrix", "64", "32", "8", "--", "name"}}) {
    ASSERT_EQ(parse(words), "") << testing::PrintToString(words);
    EXPECT_THAT(probe_.matrix, ElementsAre(64, 32, 8));
    EXPECT_EQ(file_, "name");
  }
  ASSERT_EQ(parse({"--axes", "readout", "shot,coil", "--slow"}), "");
  EXPECT_THAT(probe_.axes, ElementsAre("readout", "shot", "coil"));
  EXPECT_THAT(parse({"--axes", "readout", "short", "coil"}), HasSubstr("--axes: 'short' is neither a file nor one of"));
  EXPECT_THAT(parse({"--axes", "radout"}), HasSubstr("--axes is 'radout', expected readout, shot or coil"));
}

// Numbers may be negative; a list ends with its last value.
TEST_F(TableOptions, JoinListsWordByWord) {
  command_.add_list_function(
      "--window", {"A,B", 2, &is_number}, [](const std::string&) {}, "Window");
  EXPECT_THAT(command_.join_lists({"--window", "-100", "1e2", "5"}), ElementsAre("--window=-100,1e2", "5"));
  EXPECT_THAT(command_.join_lists({"a", "--window", "x"}), ElementsAre("a", "--window", "x"));
  EXPECT_THAT(command_.join_lists({"--window"}), ElementsAre("--window"));
  EXPECT_THAT(command_.join_lists({"--window", "1", "--window", "2"}), ElementsAre("--window=1", "--window=2"));
}

}  // namespace
}  // namespace whorl::cli
