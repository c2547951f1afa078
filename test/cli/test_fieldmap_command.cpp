// whorl fieldmap: from scans of a phantom whose field is known, and from images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "unit/recon/encoding/evolving_scan.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/spiral.hpp"

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
  // The scans say their times, as do images that are made of them.
  words.resize(4);
  words.insert(words.end(), {"-o", folder / "again.nii.gz", "--noise", "0.02"});
  EXPECT_NE(ok(words).find("Echo times 2, 3, 5 ms by the files."), std::string::npos);
  EXPECT_EQ(test::read_file(folder / "again.nii.gz"), test::read_file(folder / "field.nii.gz"));
  words = {"fieldmap"};
  for (const std::string& echo : {std::string("2"), std::string("3")}) {
    const std::string image = folder / ("image" + echo + ".npy");
    ok({"recon", folder / ("echo" + echo + ".h5"), "--method", "gridding", "--complex", "-o", image, "-q"});
    words.push_back(image);
  }
  words.insert(words.end(), {"-o", folder / "of_images.npy"});
  EXPECT_NE(ok(words).find("Echo times 2, 3 ms by the files."), std::string::npos);
  std::filesystem::remove(folder / "image3.npy.json");
  const auto refused = run_whorl(words);
  EXPECT_NE(refused.err.find("give one in ms for each echo (--times)"), std::string::npos) << refused.err;
  // whorl recon takes it.
  ok({"recon", folder / "echo5.h5", "--field-map", folder / "field.nii.gz", "-o", folder / "image.nii.gz", "-q"});
}

// Half water, half fat (one peak would be 434 Hz off at 3 T), in a field of 0 to 110 Hz.
TEST(FieldmapCommand, FindsTheFieldThatWaterAndFatAreIn) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const std::vector<std::pair<double, double>> peaks{{5.3, 0.047}, {4.2, 0.039}, {2.75, 0.006},
                                                     {2.1, 0.120}, {1.3, 0.700}, {0.9, 0.088}};
  Array<std::complex<float>> echoes(ctx, {5, 12, 10});
  const auto truth = [](Index r) { return 10.0 * static_cast<double>(r / 10); };
  for (Index i = 0; i < echoes.size(); ++i) {
    const double t = 1.1e-3 * static_cast<double>(i / 120 + 1);
    std::complex<double> both = i % 10 < 5 ? 1 : 0.2;
    for (const auto& [ppm, part] : peaks) {
      both += (i % 10 < 5 ? 0 : 0.8) * std::polar(part, -2 * std::numbers::pi * (ppm - 4.7) * 42.577478 * 3 * t);
    }
    echoes.data()[i] = std::complex<float>(both * std::polar(1.0, -2 * std::numbers::pi * truth(i % 120) * t));
  }
  write_array(ctx, folder / "echoes.npy", {"echoes", std::move(echoes)});
  const std::vector<std::string> words{"fieldmap", folder / "echoes.npy", "--times", "1.1,2.2,3.3,4.4,5.5",
                                       "-o",       folder / "field.npy"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return run_whorl(all);
  };
  const auto result = with({"--fat", "--field-strength", "3", "--smoothness", "0"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Water and fat: fitted in 120 voxels"), std::string::npos) << result.out;
  const auto field = converted<float>(ctx, read_array(ctx, folder / "field.npy").values, "field");
  for (Index r = 0; r < 120; ++r) EXPECT_NEAR(field.data()[r], truth(r), 0.1) << r;
  EXPECT_EQ(with({"--fat"}).exit_code, 2);
  EXPECT_EQ(with({"--field-strength", "3"}).exit_code, 2);
}

// A disc through 6 coils along a spiral of 12 ms in the field of a blob, 0 to 80 Hz; the coil maps are estimated. An object
// without texture tells the field at its edges alone, so that a sixth of the error is all that is found: how exact fields are is
// tested in test/unit/recon/encoding/test_readout_field.cpp.
TEST(FieldmapCommand, FindsTheFieldOfASingleReadout) {
  const Context ctx;
  const test::TemporaryFolder folder;
  constexpr Index n = 32;
  Array<std::complex<double>> image(ctx, {n, n});
  Array<float> truth(ctx, {n, n});
  for (Index r = 0; r < n * n; ++r) {
    const double x = static_cast<double>(r % n) - 16;
    const double y = static_cast<double>(r / n) - 16;
    image.data()[r] = std::hypot(x, y) < 12 ? (std::hypot(x - 3, y + 4) < 4 ? 1.5 : 1.0) : 0.0;
    truth.data()[r] = static_cast<float>(80 * std::exp(-((x - 5) * (x - 5) + (y - 2) * (y - 2)) / 60));
  }
  const auto maps = phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, {n, n, 1}, 6));
  const auto trajectory = std::make_shared<const Trajectory>(spiral_trajectory(ctx, 6, 250, 3));
  const auto make_scan = [&](double dwell_us) {
    Scan scan = test::scan_of(ctx, test::smoothed(ctx, image), maps,
                              exponential_signal(ctx, ArrayRef<const float>(), truth), trajectory, dwell_us, 0);
    for (Index i = 0; i < scan.frames[0].data.size(); ++i) {
      const auto j = static_cast<std::uint64_t>(i);
      scan.frames[0].data.data()[i] += std::complex<float>(0.01F * static_cast<float>(random_normal(1, j)),
                                                           0.01F * static_cast<float>(random_normal(2, j)));
    }
    scan.coil_maps = {};
    return scan;
  };
  const auto write_scan = [&](const std::string& name, double dwell_us) {
    const Scan scan = make_scan(dwell_us);
    write_ismrmrd(ctx, scan, folder / name);
    return folder / name;
  };
  const std::string measured = write_scan("long.h5", 48);
  const auto found = run_whorl({"fieldmap", measured, "--from-readout", "-o", folder / "field.nii.gz", "--dwell", "48",
                                "--readout-start", "0", "--png", folder / "field.png", "--steps", "7"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.out.find("Field from readout: after "), std::string::npos) << found.out;
  const auto field = converted<float>(ctx, read_array(ctx, folder / "field.nii.gz").values, "field");
  ASSERT_EQ(field.size(), n * n);
  double error = 0;
  double before = 0;
  for (Index r = 0; r < n * n; ++r) {
    if (image.data()[r] == 0.0) continue;
    error += std::pow(field.data()[r] - truth.data()[r], 2);
    before += std::pow(truth.data()[r], 2);
  }
  std::printf("field of a readout: %.2f of the error without a map\n", std::sqrt(error / before));
  EXPECT_LT(std::sqrt(error / before), 0.9);
  // A second slice, below the first, in the field of the other sign.
  Scan slices = make_scan(48);
  for (float& hertz : truth.span()) hertz = -hertz;
  slices.frames.push_back(std::move(make_scan(48).frames.front()));
  slices.frames.back().index.slice = 1;
  slices.frames.back().geometry.position_mm[2] -= 5;
  write_ismrmrd(ctx, slices, folder / "slices.h5");
  const auto stack = run_whorl({"fieldmap", folder / "slices.h5", "--from-readout", "-o", folder / "stack.nii.gz",
                                "--dwell", "48", "--readout-start", "0", "--steps", "7"});
  ASSERT_EQ(stack.exit_code, 0) << stack.err;
  EXPECT_NE(stack.out.find("Slice 1: Field from readout: after "), std::string::npos) << stack.out;
  const auto fields = converted<float>(ctx, read_array(ctx, folder / "stack.nii.gz").values, "field");
  ASSERT_EQ(fields.size(), 2 * n * n);
  double below = 0;
  double above = 0;
  for (Index r = 0; r < n * n; ++r) {
    if (image.data()[r] == 0.0) continue;
    below += static_cast<double>(fields.data()[r] * truth.data()[r]);
    above += static_cast<double>(fields.data()[n * n + r] * truth.data()[r]);
  }
  EXPECT_GT(below, 0) << "the lower slice is the first of the volume";
  EXPECT_LT(above, 0);
  for (float& hertz : truth.span()) hertz = -hertz;
  const auto refused = run_whorl({"fieldmap", write_scan("short.h5", 1), "--from-readout", "-o", folder / "none.nii",
                                  "--dwell", "1", "--readout-start", "0", "--steps", "4", "-q"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("the data cannot decide"), std::string::npos) << refused.err;
  EXPECT_EQ(run_whorl({"fieldmap", measured, "--from-readout", "--times", "1,2", "-o", folder / "none.nii"}).exit_code,
            2);
  const auto unknown = run_whorl({"fieldmap", measured, "-o", folder / "none.nii"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("(--times), or map a single scan by --from-readout"), std::string::npos) << unknown.err;
  const auto fat = run_whorl({"fieldmap", measured, "--from-readout", "--fat", "-o", folder / "none.nii"});
  EXPECT_EQ(fat.exit_code, 2);
  EXPECT_NE(fat.err.find("one readout does not tell the field of fat"), std::string::npos) << fat.err;
  EXPECT_EQ(run_whorl({"fieldmap", measured, "--times", "1,2", "--steps", "3", "-o", folder / "none.nii"}).exit_code,
            2);
  EXPECT_FALSE(std::filesystem::exists(folder / "none.nii"));
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

  Array<std::complex<float>> magnitudes(ctx, {2, 12, 10});
  fill<std::complex<float>>(magnitudes, 1);
  write_array(ctx, folder / "magnitudes.npy", {"magnitudes", std::move(magnitudes)});
  const auto without = run_whorl({"fieldmap", folder / "magnitudes.npy", "--times", "2,4", "-o", folder / "zero.npy"});
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_NE(without.out.find("have no phase"), std::string::npos) << without.out;

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
