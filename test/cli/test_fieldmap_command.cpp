// whorl fieldmap: from scans of a phantom whose field is known, and from images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

test::ProcessResult run_whorl(std::vector<std::string> words) {
  words.insert(words.begin(), WHORL_PROGRAM);
  return test::run_process(words);
}

// Echoes of 1.2 ms readouts of the brain: where the map of the phantom is smooth, inside of the skull, the estimated one is to
// be within 5 Hz of it in the mean, of a field of up to 100 Hz; the fat around is 434 Hz off, which is more than half of the
// 500 Hz after which echoes 2 ms apart repeat.
TEST(FieldmapCommand, FindsTheFieldOfAPhantomFromScans) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const auto ok = [&](const std::vector<std::string>& words) {
    const auto result = run_whorl(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  ok({"traj", "spiral", "--matrix", "64", "--arms", "32", "--samples", "250", "--dwell", "4.8", "-o", folder / "t.h5",
      "-q"});
  std::vector<std::string> words{"fieldmap"};
  const std::vector<std::string> times{"2", "3", "5"};
  for (const std::string& time : times) {
    const std::string echo = folder / ("echo" + time + ".h5");
    ok({"phantom", "brain", "-t", folder / "t.h5", "-o", echo, "--coils", "4", "--noise", "0.01", "--seed", time,
        "--evolve", "2", "--echo-time", time, "--field-map", folder / ("truth" + time + ".npy"), "-q"});
    words.push_back(echo);
  }
  words.insert(words.end(), {"--times", "2,3,5", "-o", folder / "field.nii.gz", "--png", folder / "field.png",
                             "--noise", "0.02", "--error", folder / "error.nii.gz"});
  const std::string said = ok(words);
  EXPECT_NE(said.find("Field map: "), std::string::npos) << said;
  const auto field = converted<float>(ctx, read_array(ctx, folder / "field.nii.gz").values, "field");
  const auto truth = converted<float>(ctx, read_array(ctx, folder / "truth2.npy").values, "truth");
  const auto error = converted<float>(ctx, read_array(ctx, folder / "error.nii.gz").values, "error");
  ASSERT_EQ(field.shape(), (Shape{64, 64}));
  double brain = 0;
  double voxels = 0;
  double fat = 0;
  double fat_voxels = 0;
  for (Index r = 0; r < field.size(); ++r) {
    if (error.data()[r] == 0) continue;  // outside of the object
    const double x = static_cast<double>(r % 64) - 32;
    const double y = static_cast<double>(r / 64) - 32;
    const double difference = std::abs(field.data()[r] - truth.data()[r]);
    if (std::hypot(x, y) < 18) {
      brain += difference;
      ++voxels;
    } else if (truth.data()[r] < -400) {
      fat += difference;
      ++fat_voxels;
    }
  }
  ASSERT_GT(voxels, 700);
  ASSERT_GT(fat_voxels, 100);
  EXPECT_LT(brain / voxels, 5);
  // At its edges fat shares voxels with its neighbors.
  EXPECT_LT(fat / fat_voxels, 40);
  // whorl recon takes it.
  ok({"recon", folder / "echo5.h5", "--field-map", folder / "field.nii.gz", "-o", folder / "image.nii.gz", "-q"});
}

TEST(FieldmapCommand, TakesImagesAndRefusesWhatSaysNothing) {
  const Context ctx;
  const test::TemporaryFolder folder;
  Array<std::complex<float>> echoes(ctx, {2, 12, 10});
  for (Index i = 0; i < echoes.size(); ++i) {
    const double field = 20.0 * static_cast<double>(i % 10);
    const double t = i < 120 ? 2e-3 : 4e-3;
    echoes.data()[i] = std::polar(1.0F, static_cast<float>(-2 * std::numbers::pi * field * t));
  }
  Array<float> real(ctx, {2, 12, 10});
  fill<float>(real, 1);
  write_array(ctx, folder / "real.npy", {"real", std::move(real)});
  write_array(ctx, folder / "echoes.npy", {"echoes", std::move(echoes)});
  const auto result =
      run_whorl({"fieldmap", folder / "echoes.npy", "--times", "2,4", "--smoothness", "0", "-o", folder / "field.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto field = converted<float>(ctx, read_array(ctx, folder / "field.npy").values, "field");
  // 0 to 180 Hz: the median, 90 Hz, is nearer to 0 than 500 Hz less. Phases in float.
  for (Index r = 0; r < field.size(); ++r) EXPECT_NEAR(field.data()[r], 20 * static_cast<float>(r % 10), 0.01) << r;

  const auto refused = [&](std::vector<std::string> words, const std::string& what) {
    words.insert(words.begin(), "fieldmap");
    words.insert(words.end(), {"-o", folder / "none.npy", "-q"});
    const auto wrong = run_whorl(words);
    EXPECT_NE(wrong.exit_code, 0);
    EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
    EXPECT_NE(wrong.err.find(what), std::string::npos) << wrong.err;
  };
  refused({folder / "echoes.npy", "--times", "4,4"}, "equal");
  refused({folder / "echoes.npy", "--times", "2,4,6"}, "for 3 times");
  refused({folder / "real.npy", "--times", "2,4"}, "real values");
  refused({folder / "echoes.npy", "--times", "2,4", "--method", "gridding"}, "scans");
  refused({folder / "echoes.npy", "--times", "2,4", "--error", folder / "e.npy"}, "--noise");
}

}  // namespace
}  // namespace whorl
