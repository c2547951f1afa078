#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "studies/commit.hpp"
#include "studies/machine.hpp"
#include "studies/results.hpp"
#include "studies/study.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {
namespace {

Results some_results() {
  Results results;
  results.parameters = {{"size", 12.0}, {"kind", "small"}};
  results.tables = {{"steps",
                     "Steps of a ladder",
                     {"step", "ms", "part, %"},
                     {{"first, \"naive\"", 1234.5678, Cell()}, {"second", 0.00012346, 1.0 / 3}}}};
  results.pictures = {{"dot", blank_picture(2, 1, {0, 10, 0})}};
  results.notes = {"a note"};
  return results;
}

TEST(StudyResults, TextAlignsNumbersToTheRight) {
  EXPECT_EQ(to_text(some_results().tables[0]),
            "Steps of a ladder\n"
            "step                   ms  part, %\n"
            "first, \"naive\"       1235        -\n"
            "second          0.0001235   0.3333\n");
}

// As where cairo is missing: the work of the study is not lost.
TEST(StudyResults, PicturesThatCanNotBeDrawnAreLeftOutWithANote) {
  Results results = some_results();
  for (int i = 0; i < 2; ++i) {
    add_picture(results, []() -> NamedPicture { throw Unsupported("drawing: cairo is not there"); });
  }
  add_picture(results, [] { return NamedPicture{"other", blank_picture(1, 1, {0, 10, 0})}; });
  ASSERT_EQ(results.pictures.size(), 2U);
  EXPECT_EQ(results.pictures[1].name, "other");
  EXPECT_EQ(results.notes, (std::vector<std::string>{"a note", "Pictures are left out. drawing: cairo is not there"}));
  EXPECT_THROW(add_picture(results, []() -> NamedPicture { throw ValueError("a fault"); }), ValueError);
}

TEST(StudyResults, CsvQuotesAndKeepsAllDigits) {
  EXPECT_EQ(to_csv(some_results().tables[0]),
            "step,ms,\"part, %\"\n"
            "\"first, \"\"naive\"\"\",1234.5678,\n"
            "second,0.00012346,0.3333333333333333\n");
}

TEST(StudyResults, FilesHoldEverything) {
  const Context ctx({.threads = 2});
  const test::TemporaryFolder folder;
  make_folder(folder / "new");
  const auto files = write_results(ctx, {"ladder", "whorl study ladder", 0.25}, some_results(), folder / "new");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(test::read_file(folder / "new/steps.csv"), to_csv(some_results().tables[0]));
  EXPECT_EQ(test::read_file(folder / "new/dot.png").substr(1, 3), "PNG");
  const auto json = nlohmann::json::parse(test::read_file(folder / "new/results.json"));
  EXPECT_EQ(json["study"], "ladder");
  EXPECT_EQ(json["command"], "whorl study ladder");
  EXPECT_EQ(json["date"].get<std::string>().size(), 20U);
  EXPECT_NE(json["machine"].get<std::string>().find(" processors"), std::string::npos);
  EXPECT_EQ(json["load"], 0.25);
  EXPECT_EQ(json["commit"], commit());
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["parameters"]["size"], 12);
  EXPECT_EQ(json["parameters"]["kind"], "small");
  EXPECT_EQ(json["tables"]["steps"][0]["ms"], 1234.5678);
  EXPECT_TRUE(json["tables"]["steps"][0]["part, %"].is_null());
  EXPECT_EQ(json["notes"][0], "a note");
}

TEST(StudyResults, TheDriverIsInTheKernelsLine) {
  EXPECT_EQ(driver_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023"),
            "535.104.05");
  EXPECT_EQ(driver_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build"),
            "580.65.06");
  EXPECT_EQ(driver_in(""), "");
}

TEST(StudyResults, RefusesAFolderThatCanNotBe) {
  const Context ctx;
  const test::TemporaryFolder folder;
  EXPECT_THROW(make_folder(folder / "missing/new"), IoError);
  EXPECT_THROW(write_results(ctx, {"ladder", {}}, some_results(), folder / "missing"), IoError);
  make_folder(folder / "new");
  make_folder(folder / "new");  // one that is there is taken
  write_results(ctx, {"ladder", {}}, some_results(), folder / "new");
  EXPECT_THROW(make_folder(folder / "new/steps.csv"), IoError);
}

TEST(Studies, HaveNamesOfTheirOwnAndOptionsWithinTheirRange) {
  for (const Study& study : all_studies()) {
    const auto experiment = study.make();
    EXPECT_FALSE(study.summary.empty());
    const BoundOptions bound = experiment->options();
    EXPECT_EQ(bound.table->title(), study.name);
    EXPECT_NO_THROW(bound.table->check_values(bound.values)) << study.name;
    std::set<std::string> names;
    for (const OptionDescriptor& option : bound.table->descriptors()) {
      EXPECT_TRUE(names.insert(option.name).second) << study.name << " " << option.name;
      EXPECT_FALSE(option.summary.empty()) << study.name << " " << option.name;
    }
  }
}

}  // namespace
}  // namespace whorl::studies
