#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"

namespace whorl {
namespace {

using nlohmann::json;
using test::expect_failure;
using test::expect_success;

TEST(StudyCommand, HeatInSmall) {
  const test::TemporaryFolder folder;
  expect_success(
      {"study", "heat", "--device", "cpu", "--threads", "2", "--size", "24", "--steps", "8", "-o", folder / "out"});
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["size"], 24);
  const std::array<std::pair<const char*, std::size_t>, 3> ladders{
      {{"explicit_plane", 7}, {"implicit_plane", 5}, {"implicit_line", 4}}};
  for (const auto& [name, steps] : ladders) {
    const json table = out["tables"][name];
    ASSERT_EQ(table.size(), steps) << name;
    for (const json& row : table) {
      EXPECT_GT(row["ms"], 0);
      // A hundred roundings of single precision; every step of time changes the temperature by more.
      EXPECT_LT(row["rounding error"], 6e-6) << row["step"];
    }
    EXPECT_NE(table.back()["step"].get<std::string>().find("(the library)"), std::string::npos);
  }
  EXPECT_EQ(out["tables"]["claim"][0]["published"], 0.913);
  // The steps and the plot, without the profiler: 13.05 and 26.09 of 39.14.
  const json program = out["tables"]["program"];
  ASSERT_EQ(program.size(), 2U);
  EXPECT_NEAR(program[0]["% there"].get<double>(), 33.34, 0.01);
  EXPECT_NEAR(program[0]["% of the time"].get<double>() + program[1]["% of the time"].get<double>(), 100, 1e-9);
  EXPECT_LT(program[0]["largest error"], 1498 * 1.2e-16 * 4);  // each step rounds a sum of four numbers of at most 1
  EXPECT_EQ(out["tables"]["orders_space"].size(), 20U);
  EXPECT_EQ(out["tables"]["orders_time"].size(), 20U);
  for (const char* const name :
       {"explicit_plane.png", "implicit_plane.png", "implicit_line.png", "line.png", "temperature.png"}) {
    EXPECT_EQ(test::read_file(folder / ("out/" + std::string(name))).substr(1, 3), "PNG") << name;
  }
}

TEST(StudyCommand, HeatByOneMethod) {
  const std::string text = expect_success(
      {"study", "heat", "--device", "cpu", "--threads", "1", "--size", "8", "--steps", "1", "--method", "explicit"});
  EXPECT_NE(text.find("edge tests, double"), std::string::npos);
  EXPECT_EQ(text.find("cyclic reduction"), std::string::npos);
  expect_failure({"study", "heat", "--size", "7"}, 1, "expected 8 or more");
  expect_failure({"study", "heat", "--size", "4097"}, 2, "--size");
  expect_failure({"study", "heat", "--steps", "0"}, 2, "--steps");
  expect_failure({"study", "heat", "--method", "magic"}, 2, "'magic', expected explicit, implicit or both");
}

TEST(StudyCommand, Sha1SearchInSmall) {
  const test::TemporaryFolder folder;
  // sha1sum's answer for 4321.
  const std::string digest = "d5f12e53a182c062b6bf30c1445153faff12269a";
  const std::string text = expect_success({"study", "sha1_search", "--device", "cpu", "--threads", "2", "--alphabet",
                                           "0123456789", "--length", "4", "--digest", digest, "-o", folder / "out"});
  EXPECT_NE(text.find("Found: '4321'"), std::string::npos) << text;
  const json out = json::parse(test::read_file(folder / "out/results.json"));
  EXPECT_EQ(out["parameters"]["strings"], 10000);
  EXPECT_EQ(out["tables"]["search"][0]["string"], "4321");
  ASSERT_EQ(out["tables"]["ladder"].size(), 7U);
  for (const json& row : out["tables"]["ladder"]) {
    EXPECT_EQ(row["missed"], 0) << row["step"];
    EXPECT_GT(row["ms"], 0);
  }
  EXPECT_EQ(out["tables"]["rates"].size(), 9U);
  EXPECT_EQ(out["tables"]["prediction"][0]["published 2304"], 6.004);
  EXPECT_EQ(test::read_file(folder / "out/ladder.png").substr(1, 3), "PNG");
}

TEST(StudyCommand, Sha1SearchSaysWhatItDidNotFind) {
  const std::string zeros(40, '0');
  const std::string text = expect_success(
      {"study", "sha1_search", "--device", "cpu", "--alphabet", "ab", "--length", "3", "--digest", zeros});
  EXPECT_NE(text.find("Not found: none of the 8 strings has the digest " + zeros), std::string::npos) << text;
  const auto refused = [](const std::string& option, const std::string& value, int code, const std::string& part) {
    expect_failure({"study", "sha1_search", "--device", "cpu", option, value}, code, part);
  };
  refused("--digest", "12ab", 1, "expected 40 hexadecimal digits");
  refused("--digest", std::string(40, 'g'), 1, "expected 40 hexadecimal digits");
  refused("--alphabet", "", 1, "without letters");
  refused("--alphabet", "abca", 1, "'a' twice");
  refused("--alphabet", "\xc3\xa9", 1, "printable ASCII");
  refused("--length", "0", 2, "--length");
  refused("--length", "56", 2, "--length");
  refused("--length", "20", 1, "52^20 strings, expected fewer than 2^63");
}

}  // namespace
}  // namespace whorl
