// Lessons: sources in the program, by steps.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "studies/lessons.hpp"
#include "studies/study.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {
namespace {

constexpr const char* marked = R"(// About the file,
// in two lines.
#include <cmath>

namespace a {

// step: one; two
int shared() { return 1; }
// end of step

int helper();

// step: two
/// The second.
int second() { return 2; }
// end of step

}  // namespace a
)";

TEST(Lessons, RegionsAreThoseOfTheStep) {
  EXPECT_EQ(region_of(marked, "one"), "int shared() { return 1; }\n");
  EXPECT_EQ(region_of(marked, "two"), "int shared() { return 1; }\n\n/// The second.\nint second() { return 2; }\n");
  EXPECT_EQ(region_of(marked, "tw"), "");
  EXPECT_EQ(idea_of(marked, "one"), "About the file, in two lines.");
  // Without marks it is all but comment, includes and namespaces.
  const char* const whole =
      "// Step 3, this: the idea.\n#pragma once\n\nnamespace a {\n\nint f();\n\n}  // namespace a\n";
  EXPECT_EQ(region_of(whole, "any"), "int f();\n\n");
  EXPECT_EQ(idea_of(whole, "any"), "The idea.");
}

TEST(Lessons, TextMarksWhatTheStepBeforeHasNot) {
  const std::vector<Lesson> lessons{{"first", "Begin.", "int a;\n  int b;\n", "x 1", "Why?"},
                                    {"second", "Go on.", "int b;\nint c;\n", "x 2", "And now?"}};
  EXPECT_EQ(to_text(lessons, 1),
            "Step 1 of 2: first\n\nBegin.\n\n int a;\n   int b;\n\nPrediction: x 1\nQuestion: Why?\n");
  EXPECT_EQ(to_text(lessons, 2),
            "Step 2 of 2: second\n\nGo on.\n\n int b;\n+int c;\n\nPrediction: x 2\nQuestion: And now?\n");
}

TEST(Lessons, AnotherLadderBeginsAnew) {
  const std::vector<Lesson> lessons{{"first", "Begin.", "int a;\n", "x 1", "Why?", "one"},
                                    {"first", "Begin.", "int a;\nint b;\n", "x 1", "Why?", "two"}};
  EXPECT_EQ(to_text(lessons, 2),
            "Step 2 of 2: two: first\n\nBegin.\n\n int a;\n int b;\n\nPrediction: x 1\nQuestion: Why?\n");
}

TEST(Lessons, EveryLessonHasASource) {
  // Steps of the ladders but for the library's; on a GPU those of compute capability 8.0. Ladders of filters count if their kernels
  // are their own; of quantitative_mri all reconstructions but, on a GPU, those by the CPU's sums.
  const std::map<std::string, std::pair<std::size_t, std::size_t>> counts{
      {"fhd", {11, 16}},       {"mri_q", {8, 13}},          {"gridding_2d", {7, 10}},       {"heat", {13, 13}},
      {"sha1_search", {7, 6}}, {"image_filters", {37, 38}}, {"quantitative_mri", {10, 11}}, {"energy", {0, 0}},
      {"fmri", {0, 0}}};
  for (const Study& study : all_studies()) {
    const auto expected = counts.at(study.name);
    EXPECT_EQ(lessons_of(study.name, DeviceKind::cpu).size(), expected.first) << study.name;
    EXPECT_EQ(lessons_of(study.name, DeviceKind::cuda).size(), expected.second) << study.name;
    for (const DeviceKind device : {DeviceKind::cpu, DeviceKind::cuda}) {
      for (const Lesson& lesson : lessons_of(study.name, device)) {
        EXPECT_GT(lesson.source.size(), 100U) << study.name << ": " << lesson.step;
        EXPECT_LT(lesson.source.size(), 8000U) << study.name << ": " << lesson.step;
        EXPECT_GT(lesson.idea.size(), 20U) << study.name << ": " << lesson.step;
        EXPECT_EQ(lesson.source.find("// step:"), std::string::npos) << lesson.step;
        EXPECT_FALSE(lesson.prediction.empty() || lesson.question.empty()) << lesson.step;
      }
    }
  }
}

// What a table has as error of a step, at most. For gridding it is the error of the listing's window, 3 %. Filters round to levels, and
// gray world cuts a quotient that may lie a rounding below a whole number; Canny's single passes are to have another result.
double most_error(const Lesson& lesson, const std::string& study) {
  if (study != "image_filters") return 0.1;
  return lesson.ladder.starts_with("canny") ? 32.0 * 32 : 1;
}

// One of each study, from the middle of its list: each measures the machine's limits first, which takes the time.
TEST(Lessons, LessonsRunAlone) {
  const test::TemporaryFolder caches;
  ::setenv("XDG_CACHE_HOME", caches.path().c_str(), 1);
  const Context ctx({.threads = 1});
  for (Study& study : all_studies()) {
    const std::vector<Lesson> lessons = lessons_of(study.name, ctx.device().kind);
    if (lessons.empty()) continue;
    const Lesson& lesson = lessons[lessons.size() / 2];
    const std::unique_ptr<Experiment> experiment = study.make();
    const BoundOptions options = experiment->options();
    const auto set = [&](const char* name, Index value) {
      const auto& bindings = options.table->bindings();
      if (std::none_of(bindings.begin(), bindings.end(), [&](const auto& one) { return one.what.name == name; }))
        return;
      options.table->set_value(options.values, options.table->index_of(name), value);
    };
    set("size", study.name == "gridding_2d" || study.name == "image_filters" ? 32 : 8);
    set("samples", 60);
    set("steps", 4);
    set("length", 3);
    set("iterations", 2);
    const Results results = experiment->run_step(ctx, lesson.ladder, lesson.step);
    ASSERT_EQ(results.tables.size(), study.name == "quantitative_mri" ? 2U : 1U) << lesson.step;
    for (const Table& table : results.tables) {
      ASSERT_EQ(table.rows.size(), 1U) << lesson.step;
      EXPECT_EQ(std::get<std::string>(table.rows[0][0]), lesson.step);
    }
    if (study.name == "quantitative_mri") {
      EXPECT_GT(std::get<double>(results.tables[0].rows[0][6]), 0) << lesson.step;  // seconds in all
      continue;
    }
    EXPECT_LE(std::get<double>(results.tables[0].rows[0][8]), most_error(lesson, study.name)) << lesson.step;
  }
}

std::string without_spaces(const std::string& text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result), [](char c) { return c != ' ' && c != '\n'; });
  return result;
}

// docs/studies/steps is written by studies/study-tables, which reads the sources by itself.
TEST(Lessons, PagesSayWhatTheProgramSays) {
  std::map<std::string, std::string> pages;  // by study and device
  for (const auto& file : std::filesystem::directory_iterator(std::string(SOURCE_FOLDER) + "/docs/studies/steps")) {
    std::string name = file.path().stem();
    if (const std::size_t after = name.find("_after"); after != std::string::npos) name.resize(after);
    pages[name] += test::read_file(file.path());
  }
  EXPECT_EQ(pages.size(), 14U);  // seven studies on two kinds of device
  for (const auto& [name, page] : pages) {
    const std::size_t end = name.rfind('_');
    const DeviceKind device = name.substr(end) == "_gpu" ? DeviceKind::cuda : DeviceKind::cpu;
    EXPECT_EQ(page.find("Measured: not yet"), std::string::npos) << name << ": a step that the record does not have";
    const std::string words = without_spaces(page);
    std::string sources;
    for (const Lesson& lesson : lessons_of(name.substr(0, end), device)) {
      for (const std::string& said :
           {". " + lesson.title() + "\n\n" + lesson.idea, lesson.prediction, lesson.question}) {
        EXPECT_NE(words.find(without_spaces(said)), std::string::npos) << name << ": " << said;
      }
      sources += lesson.source;
    }
    std::istringstream lines(page);
    bool code = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("```", 0) == 0) {
        code = !code;
      } else if (code && line.rfind("// ", 0) != 0) {
        EXPECT_NE(sources.find(line + "\n"), std::string::npos) << name << ": " << line;
      }
    }
  }
}

TEST(Lessons, NoStepOfThatName) {
  const Context ctx({.threads = 1});
  for (Study& study : all_studies()) {
    if (study.name != "heat" && study.name != "sha1_search") continue;
    EXPECT_THROW(study.make()->run_step(ctx, "implicit_line", "nothing"), ValueError) << study.name;
  }
}

}  // namespace
}  // namespace whorl::studies
