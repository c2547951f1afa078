#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "studies/fhd/tuner.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"

namespace whorl::studies::fhd {
namespace {

const std::vector<Tuning> candidates = combinations({64, 128}, {256, 1024}, {1, 2, 4});

bench::Timing time_of(const Tuning& tuning) {
  const int ms = std::abs(tuning.threads - 128) + std::abs(tuning.chunk - 256) + tuning.unroll;
  return {5, static_cast<double>(ms), 0.25};
}

/// A tuner's choice, and how many candidates it has tried for it.
std::pair<Tuning, int> choose(const std::filesystem::path& file, bool again, std::string* remark = nullptr) {
  const Context ctx({.threads = 2});
  Tuner tuner(file, again);
  int tried = 0;
  const Tuning best = tuner.choose(ctx, "kernel", candidates, [&](const Tuning& tuning) {
    ++tried;
    return time_of(tuning);
  });
  if (remark != nullptr) *remark = tuner.remark();
  return {best, tried};
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

TEST(Tuner, TriesEveryCombinationOnceAndKeepsTheBest) {
  EXPECT_EQ(candidates.size(), 12U);
  const test::TemporaryFolder folder;
  const auto file = folder / "caches/whorl/study_fhd.json";
  const Tuning best{128, 256, 1};
  std::string remark;
  EXPECT_EQ(choose(file, false, &remark), (std::pair{best, 12}));
  EXPECT_NE(remark.find("kept in " + file.string()), std::string::npos) << remark;
  EXPECT_EQ(choose(file, false, &remark), (std::pair{best, 0}));
  EXPECT_NE(remark.find("from " + file.string()), std::string::npos) << remark;
  EXPECT_EQ(choose(file, true), (std::pair{best, 12}));
}

TEST(Tuner, GivesEveryKernelItsOwnSearch) {
  const test::TemporaryFolder folder;
  const Context ctx({.threads = 2});
  Tuner tuner(folder / "sizes.json");
  EXPECT_EQ(tuner.remark(), "");
  EXPECT_EQ(tuner.choose(ctx, "a", candidates, time_of), (Tuning{128, 256, 1}));
  const auto other = [](const Tuning& tuning) { return bench::Timing{1, 1.0 / tuning.threads, 0}; };
  EXPECT_EQ(tuner.choose(ctx, "b", combinations({64, 128}, {0}, {0}), other), (Tuning{128, 0, 0}));
  EXPECT_EQ(tuner.choose(ctx, "a", candidates, other), (Tuning{128, 256, 1})) << "the file has it";
  ASSERT_EQ(tuner.searches().size(), 3U);
  EXPECT_EQ(tuner.searches()[0].trials.size(), 12U);
  EXPECT_EQ(tuner.searches()[0].trials[0].spread, 0.25);
  EXPECT_EQ(tuner.searches()[1].kernel, "b");
  EXPECT_EQ(tuner.searches()[1].trials.size(), 2U);
  EXPECT_TRUE(tuner.searches()[2].trials.empty());
  EXPECT_NE(tuner.remark().find("Sizes of 3 kernels: 2 searched"), std::string::npos) << tuner.remark();
}

TEST(Tuner, KeepsOneForEachKernelAndDevice) {
  const test::TemporaryFolder folder;
  const auto file = folder / "sizes.json";
  keep_tuning(file, "a GPU", "loop", {1, 2, 3});
  keep_tuning(file, "another", "loop", {4, 5, 6});
  keep_tuning(file, "a GPU", "loop", {7, 8, 9});
  keep_tuning(file, "a GPU", "kernel", {10, 0, 0});
  EXPECT_EQ(kept_tuning(file, "a GPU", "loop"), (Tuning{7, 8, 9}));
  EXPECT_EQ(kept_tuning(file, "a GPU", "kernel"), (Tuning{10, 0, 0}));
  EXPECT_EQ(kept_tuning(file, "another", "loop"), (Tuning{4, 5, 6}));
  EXPECT_EQ(kept_tuning(file, "another", "kernel"), std::nullopt);
  EXPECT_EQ(kept_tuning(file, "a third", "loop"), std::nullopt);
}

TEST(Tuner, TakesNothingFromAFileThatIsDamaged) {
  const test::TemporaryFolder folder;
  const auto file = folder / "sizes.json";
  EXPECT_EQ(kept_tuning(file, "x", "loop"), std::nullopt);
  for (const char* const text :
       {"", "{", "[]", "7", "\xff\xfe", "{\"x\": 3}", "{\"x\": {\"threads\": 64, \"chunk\": 256, \"unroll\": 1}}",
        "{\"x\": {\"loop\": 7}}", "{\"x\": {\"loop\": {\"threads\": 64, \"chunk\": 256}}}",
        "{\"x\": {\"loop\": {\"threads\": 64, \"chunk\": 256, \"unroll\": \"1\"}}}",
        "{\"x\": {\"loop\": {\"threads\": 64, \"chunk\": 256, \"unroll\": 1.5}}}"}) {
    write(file, text);
    EXPECT_EQ(kept_tuning(file, "x", "loop"), std::nullopt) << text;
    keep_tuning(file, "x", "loop", {64, 256, 2});
    EXPECT_EQ(kept_tuning(file, "x", "loop"), (Tuning{64, 256, 2})) << text;
  }
  write(file, std::string((1 << 20) + 1, ' ') + "{}");
  EXPECT_EQ(kept_tuning(file, "x", "loop"), std::nullopt);
}

TEST(Tuner, SearchesAgainWhereTheKeptSizesAreNoCandidates) {
  const test::TemporaryFolder folder;
  const auto file = folder / "sizes.json";
  EXPECT_EQ(choose(file, false).second, 12);
  std::string text = test::read_file(file);
  text.replace(text.find("256"), 3, "999");
  write(file, text);
  EXPECT_EQ(choose(file, false), (std::pair{Tuning{128, 256, 1}, 12}));
}

TEST(Tuner, GoesOnWhereNothingCanBeKept) {
  const test::TemporaryFolder folder;
  write(folder / "file", "");
  std::string remark;
  EXPECT_EQ(choose(folder / "file/below/sizes.json", false, &remark), (std::pair{Tuning{128, 256, 1}, 12}));
  EXPECT_NE(remark.find("not kept"), std::string::npos) << remark;
}

TEST(Tuner, LooksWhereAUserHasHisCaches) {
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(tuning_file(), "/somewhere/whorl/study_fhd.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, says the specification
  ::setenv("HOME", "/home/of/x", 1);
  EXPECT_EQ(tuning_file(), "/home/of/x/.cache/whorl/study_fhd.json");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(tuning_file(), "/home/of/x/.cache/whorl/study_fhd.json");
  ::unsetenv("HOME");
  EXPECT_EQ(tuning_file(), std::nullopt);
}

}  // namespace
}  // namespace whorl::studies::fhd
