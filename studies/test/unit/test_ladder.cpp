// Ladders: what is made of the times of their steps, and that the steps are run.
#include "studies/ladder.hpp"

#include <gtest/gtest.h>

namespace whorl::studies {
namespace {

double number(const Cell& cell) { return std::get<double>(cell); }

TEST(Ladder, TablesSayGainsAndPartsOfTheLimits) {
  Ladder ladder{"probe", "A probe", "relative error", 4e6, 2e9, {}};
  ladder.steps.push_back({"first", {}, {}, 1, {"fhd", "9.8 min"}, false});
  ladder.steps.push_back({"second", {}, {}, 1, {}, false});
  ladder.steps.push_back({"ours", {}, {}, 1, {}, true});
  const Table table = ladder_table(ladder, {{8, 0.1, {}, 1}, {4, 0.01, {}, 5, 0.125}, {1, 0.001}}, {1e10, 4e12});
  ASSERT_EQ(table.rows.size(), 3U);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "first");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][2]));
  EXPECT_EQ(std::get<std::string>(table.rows[0].back()), "9.8 min");
  EXPECT_EQ(std::get<std::string>(table.rows[2][0]), "ours (the library)");
  EXPECT_DOUBLE_EQ(number(table.rows[2][1]), 1);
  EXPECT_DOUBLE_EQ(number(table.rows[2][2]), 4);
  EXPECT_DOUBLE_EQ(number(table.rows[2][3]), 8);
  EXPECT_DOUBLE_EQ(number(table.rows[2][4]), 4);     // 4e6 bytes in a millisecond
  EXPECT_DOUBLE_EQ(number(table.rows[2][5]), 40);    // of 10 GB/s
  EXPECT_DOUBLE_EQ(number(table.rows[2][6]), 2000);  // Gflop/s
  EXPECT_DOUBLE_EQ(number(table.rows[2][7]), 50);
  EXPECT_DOUBLE_EQ(number(table.rows[2][8]), 0.001);
  EXPECT_EQ(number(table.rows[1][9]), 5);      // runs
  EXPECT_EQ(number(table.rows[1][10]), 12.5);  // their spread in %, which a single time has not
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][10]));
  EXPECT_EQ(ladder_picture(Device{}, ladder, {{8, 0}, {4, 0}, {1, 0}}).name, "probe");
}

TEST(Ladder, MeasuresStandBetweenErrorAndPublished) {
  const Context ctx({.threads = 1});
  Ladder ladder{"probe", "A probe", "error", 1, 1, {}, {"SNR dB", "remark"}};
  const auto work = [] {};
  ladder.steps.push_back({"with",
                          work,
                          [] { return 0.5; },
                          1,
                          {"fhd", "9.8 min"},
                          false,
                          [] {
                            return std::vector<Cell>{6.5, "short"};
                          }});
  ladder.steps.push_back({"without", work, [] { return 0.25; }, 1, {}, false});
  Results results;
  add_ladder(ctx, ladder, {1e10, 1e10}, results);
  const Table& table = results.tables.at(0);
  EXPECT_EQ(std::vector<std::string>(table.columns.begin() + 8, table.columns.end()),
            (std::vector<std::string>{"error", "SNR dB", "remark", "runs", "spread %", "published"}));
  EXPECT_EQ(number(table.rows[0][9]), 6.5);
  EXPECT_EQ(std::get<std::string>(table.rows[0][10]), "short");
  EXPECT_EQ(std::get<std::string>(table.rows[0].back()), "9.8 min");
  EXPECT_EQ(number(table.rows[1][8]), 0.25);
  for (const std::size_t i : {9U, 10U, 13U}) EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][i])) << i;
}

TEST(Ladder, RunsItsSteps) {
  const Context ctx({.threads = 1});
  int runs = 0;
  volatile double sum = 0;
  const auto work = [&] {
    ++runs;
    for (int i = 0; i < 20000; ++i) sum = sum + 1;
  };
  Ladder ladder{"probe", "A probe", "error", 1, 1, {}};
  ladder.steps.push_back({"whole", work, [] { return 0.5; }, 1, {}, false});
  ladder.steps.push_back({"a part", work, [] { return 0.25; }, 0.5, {}, false});
  Results results;
  add_ladder(ctx, ladder, {1e10, 1e10}, results);
  EXPECT_GE(runs, 4);
  ASSERT_EQ(results.tables.size(), 1U);
  ASSERT_EQ(results.pictures.size(), 1U);
  EXPECT_EQ(number(results.tables[0].rows[1][8]), 0.25);
}

TEST(DeviceLimits, AreMeasured) {
  const Context ctx({.threads = 2});
  const DeviceLimits limits = device_limits(ctx);
  EXPECT_GT(limits.bytes_per_s, 0);
  EXPECT_GT(limits.flops, 0);
}

}  // namespace
}  // namespace whorl::studies
