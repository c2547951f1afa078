// Several scans for one image: `whorl recon a.h5 b.h5 --joint`.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

class ReconJoint : public ::testing::Test {
 protected:
  // A scan like the small one, changed.
  template <class Change>
  std::string write_scan(const std::string& name, const Change& change) const {
    Scan scan = test::make_small_scan(ctx_);
    change(scan);
    write_ismrmrd(ctx_, scan, folder_ / name);
    return folder_ / name;
  }
  std::string write_scan(const std::string& name) const {
    return write_scan(name, [](Scan&) {});
  }

  test::ProcessResult recon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "recon");
    arguments.insert(arguments.end(), how_.begin(), how_.end());
    return test::run_whorl(arguments);
  }

  static void expect_one_line(const test::ProcessResult& result, int exit_code, const std::string& part) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  nlohmann::json record(const std::string& image) const {
    return nlohmann::json::parse(test::read_file(folder_ / (image + ".json")));
  }
  bool says(const std::string& image, const std::string& part) const {
    const auto notes = record(image).at("notes");
    return std::any_of(notes.begin(), notes.end(), [&](const auto& note) {
      return note.template get<std::string>().find(part) != std::string::npos;
    });
  }

  Context ctx_;
  test::TemporaryFolder folder_;
  const std::vector<std::string> how_{"--iterations", "4", "--complex"};
};

TEST_F(ReconJoint, OfOneScanIsItsReconstruction) {
  const std::string a = write_scan("a.h5");
  EXPECT_EQ(recon({a, "-o", folder_ / "plain.npy"}).exit_code, 0);
  EXPECT_EQ(recon({a, "--joint", "-o", folder_ / "joint.npy"}).exit_code, 0);
  EXPECT_EQ(test::read_file(folder_ / "joint.npy"), test::read_file(folder_ / "plain.npy"));
}

TEST_F(ReconJoint, GivesOneImageOfAllScans) {
  const std::string a = write_scan("a.h5");
  const std::string b = write_scan("b.h5", [](Scan& scan) {
    for (ScanFrame& frame : scan.frames) frame.geometry.position_mm[0] += 20;  // two pixels along x
  });
  const test::ProcessResult result = recon({a, b, "--joint", "-o", folder_ / "image.npy"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says("image.npy", "Joint scans: 2 of one object, 6 coils in all."));
  EXPECT_TRUE(says("image.npy", "b.h5: Place: moved to that of"));
  EXPECT_TRUE(says("image.npy", "of all scans together"));
  const nlohmann::json written = record("image.npy");
  EXPECT_EQ(written.at("parameters").at("joint"), b);
  EXPECT_EQ(written.at("inputs").size(), 2U);
  const auto images = read_array(ctx_, folder_ / "image.npy").values;
  EXPECT_EQ(std::visit([](const auto& values) { return values.size(); }, images), 6 * 16 * 20);
}

TEST_F(ReconJoint, EachScanHasMapsByItsName) {
  const auto one_slice = [](Scan& scan) {
    std::erase_if(scan.frames, [](const ScanFrame& frame) { return frame.index.slice > 0; });
  };
  const std::string a = write_scan("a.h5", one_slice);
  const std::string b = write_scan("b.h5", one_slice);
  for (const std::string name : {"a", "b"}) {
    Array<std::complex<float>> maps(ctx_, {3, 16, 20});
    fill_random_normal<float>(maps, name == "a" ? 5 : 6);
    write_array(ctx_, folder_ / (name + "_maps.npy"), {"maps", std::move(maps), {}});
  }
  const std::string pattern = folder_ / "{}_maps.npy";
  const test::ProcessResult result = recon({a, b, "--joint", "--maps-file", pattern, "-o", folder_ / "image.npy"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says("image.npy", "those that came with the scans"));
  EXPECT_EQ(record("image.npy").at("inputs").size(), 4U);
  const std::string c = write_scan("c.h5", [&](Scan& scan) {
    one_slice(scan);
    for (ScanFrame& frame : scan.frames) frame.geometry.position_mm[0] += 20;
  });
  std::filesystem::copy_file(folder_ / "b_maps.npy", folder_ / "c_maps.npy");
  expect_one_line(recon({a, c, "--joint", "--maps-file", pattern, "-o", folder_ / "other.npy"}), 1,
                  "its coil maps, '" + std::string(folder_ / "c_maps.npy") + "', are those of its own place");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other.npy"));
}

TEST_F(ReconJoint, RefusesWhatDoesNotGoTogetherInOneLine) {
  const std::string a = write_scan("a.h5");
  const std::string b = write_scan("b.h5", [](Scan& scan) {
    for (ScanFrame& frame : scan.frames) frame.geometry.field_of_view_mm[0] = 180;
  });
  const std::string out = folder_ / "image.npy";
  expect_one_line(recon({a, b, "-o", out}), 2, "give --output-dir FOLDER, or --joint");
  expect_one_line(recon({a, b, "--joint", "-o", out}), 1, "has a field of view of 180 mm along x, expected 200 mm");
  expect_one_line(recon({a, a, "--joint", "--certify", "1000", "-o", out}), 1,
                  "joint scans: are not for a certificate");
  EXPECT_EQ(recon({a, a, "--joint", "--output-dir", folder_ / "out"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(ReconJoint, MotionBetweenScansIsFoundAndUndone) {
  const auto trajectory = std::make_shared<const Trajectory>(radial_trajectory(ctx_, 24, 48, SpokeOrder::golden_angle));
  const auto measured = [&](const char* name, const ObjectPose& pose, std::uint64_t seed) {
    Scan scan;
    scan.matrix = {48, 48, 1};
    scan.trajectory_kind = "radial";
    scan.trajectory_unit = "cycles per pixel";
    scan.frames.emplace_back().trajectory = trajectory;
    scan.frames.front().geometry.field_of_view_mm = {48, 48, 1};
    const PhantomScanOptions options{.coils = 4, .noise_standard_deviation = 0.01, .seed = seed};
    write_ismrmrd(ctx_, moving_phantom_scan(ctx_, brain_phantom(2), std::array{pose}, std::move(scan), options),
                  folder_ / name);
    return folder_ / name;
  };
  const std::string first = measured("first.h5", {}, 1);
  const std::string moved = measured("moved.h5", {{3, -2, 0}, {0, 0, 4}}, 2);
  const std::string rested = measured("rested.h5", {}, 2);
  test::expect_success({"recon", first, rested, "--joint", "-o", folder_ / "rested.npy"});
  test::expect_success({"recon", first, moved, "--joint", "-o", folder_ / "blurred.npy"});
  test::expect_success({"recon", first, moved, "--joint", "--joint-align", "-o", folder_ / "aligned.npy"});
  const auto error_of = [&](const std::string& image) {
    const std::string text =
        test::expect_success({"compare", folder_ / image, folder_ / "rested.npy", "--magnitude", "--scale"});
    return std::stod(text.substr(text.find("percent error") + std::string("percent error").size()));
  };
  // A residual of a quarter of a voxel blurs by 7 % of what the 3.6 voxels of the motion do; noise adds some.
  EXPECT_LT(error_of("aligned.npy"), 0.5 * error_of("blurred.npy"));
  EXPECT_TRUE(says("aligned.npy", "Motion since"));
  expect_one_line(recon({first, "--joint-align", "-o", folder_ / "x.npy"}), 2, "applies only with --joint");
}

}  // namespace
}  // namespace whorl
