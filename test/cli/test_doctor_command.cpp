// whorl doctor: its findings, exit codes and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::run_process;
using testing::HasSubstr;
using testing::Not;

class DoctorCommand : public testing::Test {
 protected:
  const Context ctx{{.threads = 2}};
  const std::string good = fs::path(WHORL_SOURCE_FOLDER) / "data" / "brain_radial_4ch.h5";
  const test::TemporaryFolder folder;

  // The shipped scan with its positions multiplied.
  std::string scaled(const std::string& name, double factor) const {
    Scan scan = read_scan(ctx, good);
    Trajectory other{clone(ctx, scan.frames.front().trajectory->points.ref()),
                     scan.frames.front().trajectory->readout_length};
    for (double& k : other.points.span()) k *= factor;
    scan.frames.front().trajectory = std::make_shared<const Trajectory>(std::move(other));
    const std::string path = folder / name;
    write_scan(ctx, scan, path);
    return path;
  }
};

TEST_F(DoctorCommand, FindsNothingInTheShippedScan) {
  const auto result = run_process({WHORL_PROGRAM, "doctor", good, "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing wrong was found"));
  // What no data could tell is no news.
  EXPECT_THAT(result.out, Not(HasSubstr("not decided")));
}

TEST_F(DoctorCommand, MendsAWrongUnit) {
  const std::string broken = scaled("half.npz", 0.5);
  const std::string mended = folder / "mended.h5";
  const std::string findings = folder / "findings.json";
  const auto result = run_process({WHORL_PROGRAM, "doctor", broken, "--fix", mended, "--json", findings});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.out, HasSubstr("fault: trajectory unit"));
  EXPECT_THAT(result.out, HasSubstr("changed: trajectory unit: positions multiplied by 2"));
  const json said = json::parse(test::read_file(findings));
  EXPECT_TRUE(said["has_fault"]);
  ASSERT_EQ(said["findings"].size(), 1U) << said.dump(2);
  EXPECT_EQ(said["findings"][0]["value"], 2);
  EXPECT_GT(said["findings"][0]["confidence"], 0.9);
  EXPECT_TRUE(fs::exists(mended + ".json"));
  const Scan before = read_scan(ctx, good);
  const Scan after = read_scan(ctx, mended);
  const auto expected = before.frames.front().trajectory->points.span();
  const auto found = after.frames.front().trajectory->points.span();
  ASSERT_EQ(expected.size(), found.size());
  // ISMRMRD has positions as float.
  for (std::size_t i = 0; i < found.size(); i += 97) EXPECT_NEAR(found[i], expected[i], 1e-7);
  EXPECT_EQ(run_process({WHORL_PROGRAM, "doctor", mended}).exit_code, 0);
}

TEST_F(DoctorCommand, FailsLikeOthers) {
  const auto missing = run_process({WHORL_PROGRAM, "doctor", folder / "none.h5"});
  EXPECT_EQ(missing.exit_code, 1);
  const auto wrong = run_process({WHORL_PROGRAM, "doctor", good, "--fix", folder / "scan.png"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_FALSE(fs::exists(folder / "scan.png"));
  const auto itself = run_process({WHORL_PROGRAM, "doctor", good, "--fix", good});
  EXPECT_EQ(itself.exit_code, 2);
}

}  // namespace
}  // namespace whorl
