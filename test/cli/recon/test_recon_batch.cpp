// Many scans in one run of `whorl recon`.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

class ReconBatch : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_ / "other"); }

  // Scans whose data differ by a factor.
  std::string write_scan(const std::string& name, float factor) const {
    const Context ctx;
    Scan scan = test::make_small_scan(ctx);
    for (ScanFrame& frame : scan.frames) {
      for (auto& sample : frame.data.span()) sample *= factor;
    }
    write_ismrmrd(ctx, scan, folder_ / name);
    return folder_ / name;
  }

  std::string image(const std::string& name) const { return folder_ / ("out/" + name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  test::TemporaryFolder folder_;
  const std::vector<std::string> how_{"--iterations", "4", "--complex", "--output-type", ".npy"};
};

TEST_F(ReconBatch, GivesEachScanItsOwnImagesAndGoesOnAfterFailures) {
  const std::string a = write_scan("a.h5", 1);
  const std::string b = write_scan("b.h5", 2);
  const std::string missing = folder_ / "missing.h5";
  const std::string broken = folder_ / "broken.h5";
  write_file(broken, "no scan at all");

  std::vector<std::string> command{"recon", a, missing, broken, b, "--output-dir", folder_ / "out"};
  command.insert(command.end(), how_.begin(), how_.end());
  const test::ProcessResult result = test::run_whorl(command);
  EXPECT_EQ(result.exit_code, 1);
  for (const std::string& scan : {missing, broken}) {
    EXPECT_NE(result.err.find("whorl: '" + scan + "' failed: "), std::string::npos) << result.err;
  }
  EXPECT_NE(result.err.find("whorl: error: 2 of 4 scans failed: " + missing + ", " + broken + "\n"), std::string::npos)
      << result.err;
  // The table: a title, a line for each scan, and the total.
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 6) << result.out;
  EXPECT_NE(result.out.find(image("a.npy") + "\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("2 of 4 scans in "), std::string::npos) << result.out;

  for (const std::string name : {"a", "b"}) {
    std::vector<std::string> alone{"recon", folder_ / (name + ".h5"), "-o", folder_ / (name + ".npy")};
    alone.insert(alone.end(), how_.begin(), how_.end() - 2);
    test::expect_success(alone);
    // The plan of the first scan serves the second one, and changes no bit.
    EXPECT_EQ(test::read_file(image(name + ".npy")), test::read_file(folder_ / (name + ".npy"))) << name;
    const auto record = nlohmann::json::parse(test::read_file(image(name + ".npy.json")));
    ASSERT_EQ(record["inputs"].size(), 1U);
    EXPECT_EQ(record["inputs"][0]["path"], (folder_ / (name + ".h5")).string());
    EXPECT_EQ(record["outputs"], nlohmann::json::array({image(name + ".npy")}));
    EXPECT_EQ(record["stage_seconds"].contains("plan"), name == "a");
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "out"), std::filesystem::directory_iterator()),
            4);
}

// The first scan has eight times the data. The second one's reconstruction holds its own, and at most the first one's images
// while they are written.
TEST_F(ReconBatch, EachRecordHasThePeakOfItsOwnScan) {
  const Context ctx;
  Scan large = test::make_small_scan(ctx);
  for (int repetition = 3; repetition < 24; ++repetition) {
    for (int slice = 0; slice < 2; ++slice) {
      const ScanFrame& first = large.frames[static_cast<std::size_t>(3 * slice)];
      ScanFrame more{first.index, first.trajectory, nullptr, clone<std::complex<float>>(ctx, first.data),
                     first.geometry};
      more.index.repetition = repetition;
      large.frames.push_back(std::move(more));
    }
  }
  write_ismrmrd(ctx, large, folder_ / "large.h5");
  write_scan("small.h5", 1);
  std::vector<std::string> command{"recon",        folder_ / "large.h5", folder_ / "small.h5",
                                   "--output-dir", folder_ / "out",      "--device",
                                   "cpu",          "--threads",          "1"};
  // With larger ones the matrices of the coil maps are the peak of both.
  command.insert(command.end(), {"--espirit-kernel", "3"});
  command.insert(command.end(), how_.begin(), how_.end());
  test::expect_success(command);
  const auto record = [&](const std::string& name) {
    return nlohmann::json::parse(test::read_file(image(name + ".npy.json")));
  };
  const auto peak = [&](const std::string& name) {
    return record(name)["peak_memory_bytes"]["arrays"].get<std::size_t>();
  };
  const std::size_t images = 48 * 20 * 16 * sizeof(std::complex<float>);
  const auto predicted = record("small")["parameters"]["memory_predicted_bytes"].get<std::size_t>();
  EXPECT_GT(peak("large"), peak("small") + images);
  // Rounding of the pool's blocks is below 1/8.
  EXPECT_LE(peak("small"), (predicted + images) * 9 / 8);
}

TEST_F(ReconBatch, FurtherOutputsTakeTheScansNames) {
  const std::string a = write_scan("a.h5", 1);
  const std::string b = write_scan("b.h5", 2);
  const std::string out = folder_ / "out";
  test::expect_success({"recon", a, b, "--output-dir", out, "--iterations", "2", "--png", folder_ / "picture_{}.png",
                        "--stddev", folder_ / "{}_sigma.nii", "--replicas", "2"});
  for (const char* name : {"picture_a.png", "picture_b.png", "a_sigma.nii", "b_sigma.nii", "out/a.nii.gz",
                           "out/b.nii.gz", "out/a.nii.gz.json"}) {
    EXPECT_TRUE(exists(name)) << name;
  }
  test::expect_failure({"recon", a, b, "--output-dir", out, "--png", folder_ / "p.png"}, 2,
                       "--png: is '" + (folder_ / "p.png").string() + "', expected a name with {}");
}

TEST_F(ReconBatch, RefusesCollisionsBeforeItsWork) {
  const std::string a = write_scan("a.h5", 1);
  const std::string other = write_scan("other/a.h5", 2);
  const std::string out = folder_ / "out";
  test::expect_failure({"recon", a, other, "--output-dir", out}, 2,
                       "a.nii.gz' would be a result of '" + a + "' and a result of '" + other + "'");
  test::expect_failure({"recon", a, a, "--output-dir", out}, 2, "rename a scan, or use another folder");
  test::expect_failure({"recon", a, "--output-dir", folder_.path(), "--output-type", ".h5"}, 2,
                       "would be an input and a result of '" + a + "'");
  EXPECT_FALSE(exists("out"));
  test::expect_failure({"recon", a, other, "-o", out + ".nii"}, 2, "is one image for 2 scans; give --output-dir");
  test::expect_failure({"recon", a}, 2, "--output is required, or --output-dir for several scans");
  test::expect_failure({"recon", a, "-o", out + ".nii", "--output-type", ".nii"}, 2,
                       "--output-type applies only with --output-dir");
  test::expect_failure({"recon", a, "-o", out + ".nii", "--output-dir", out}, 2, "--output");
}

// Slices that form no stack become images of their own: a_1.nii.gz, which may be another scan's.
TEST_F(ReconBatch, RefusesImagesInThePlaceOfAnotherScans) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  for (ScanFrame& frame : scan.frames) {
    if (frame.index.slice == 1) std::swap(frame.geometry.read_direction, frame.geometry.slice_direction);
  }
  write_ismrmrd(ctx, scan, folder_ / "a.h5");
  const std::string single = write_scan("a_1.h5", 1);
  const test::ProcessResult result =
      test::run_whorl({"recon", "-q", folder_ / "a.h5", single, "--output-dir", folder_ / "out", "--iterations", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("a_1.nii.gz' would be a result of '" + single), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(exists("out/a_1.nii.gz"));
  EXPECT_FALSE(exists("out/a_2.nii.gz"));
}

TEST_F(ReconBatch, LeavesNoFolderWhereAllFail) {
  test::expect_failure({"recon", folder_ / "none.h5", "--output-dir", folder_ / "out"}, 1, "1 of 1 scans failed");
  EXPECT_FALSE(exists("out"));
}

// As the examples have it: pictures in the folder of the images, which is made.
TEST_F(ReconBatch, PicturesLieInTheNewFolder) {
  const std::string a = write_scan("a.h5", 1);
  const std::string b = write_scan("b.h5", 2);
  test::expect_success({"recon", a, b, "--output-dir", folder_ / "images", "--png", folder_ / "images/{}.png",
                        "--iterations", "2", "-q"});
  EXPECT_TRUE(exists("images/a.png"));
  EXPECT_TRUE(exists("images/b.png"));
  EXPECT_TRUE(exists("images/b.nii.gz"));
  test::expect_failure({"recon", a, b, "--output-dir", folder_ / "more", "--png", folder_ / "pictures/{}.png"}, 1,
                       "pictures/{}.png");
  EXPECT_FALSE(exists("more"));
}

}  // namespace
}  // namespace whorl
