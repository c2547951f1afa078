#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/recon/recon_command.hpp"
#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/nifti.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {
namespace {

TEST_F(ReconCommand, WritesImagePictureAndRecord) {
  const auto result =
      recon({"-o", folder_ / "image.nii.gz", "--png", folder_ / "image.png", "--iterations", "4", "--bids"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(folder_.entries(), 5);
  EXPECT_NE(result.out.find("Coil maps: ESPIRiT"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("wrote " + (folder_ / "image.nii.gz").string()), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Conjugate gradient: up to 4 iterations, "), std::string::npos) << result.out;
  // At most eight lines, none of a stage that takes no time.
  const std::string said = result.out + result.err;
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 8) << said;
  EXPECT_EQ(said.find("read:"), std::string::npos) << said;

  EXPECT_EQ(nlohmann::json::parse(test::read_file(folder_ / "image.json")),
            (nlohmann::json{{"MRAcquisitionType", "2D"}, {"Manufacturer", "Maker Model"}}));
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"));
  EXPECT_EQ(record["parameters"]["method"], "cg-sense");
  EXPECT_EQ(record["parameters"]["iterations"], 4);
  EXPECT_EQ(record["parameters"]["lambda"], "spectrum");
  EXPECT_EQ(record["inputs"][0]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(record["outputs"].size(), 3U);
  EXPECT_EQ(record["residuals"].size(), 6U);  // frames
  EXPECT_EQ(record["residuals"][0][0], 1.0);
  EXPECT_GT(record["stage_seconds"]["conjugate gradient"], 0);
  EXPECT_GT(record["peak_memory_bytes"]["arrays"], 0);
  EXPECT_NE(record["command_line"].get<std::string>().find("--iterations 4"), std::string::npos);
}

// The line of what was read comes first where it has room among eight lines.
TEST_F(ReconCommand, SaysWhatWasRead) {
  const auto result = recon({"-o", folder_ / "image.nii.gz", "--method", "gridding"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string scan = "2D radial, 20 x 16, 3 coils, 6 frames, 5 readouts of 12 samples";
  EXPECT_EQ(result.out.substr(0, result.out.find('\n')), "read " + (folder_ / "scan.h5").string() + ": " + scan);
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"));
  EXPECT_EQ(record["parameters"]["scan"], scan);
}

TEST_F(ReconCommand, LambdaIsChosenDrawnAndRecorded) {
  const auto result = recon({"-o", folder_ / "image.nii.gz", "--iterations", "4", "--lambda", "auto", "--lambda-curve",
                             folder_ / "curve.png", "--lambda-probes", "2", "--lambda-seed", "5"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("by generalized cross-validation"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Lambda of 2 slices"), std::string::npos) << result.out;
  EXPECT_EQ(test::read_file(folder_ / "curve.png").substr(1, 3), "PNG");
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"));
  EXPECT_EQ(record["parameters"]["lambda"], "gcv");
  EXPECT_EQ(record["parameters"]["lambda_probes"], 2);
  EXPECT_EQ(record["parameters"]["lambda_seed"], 5);
  EXPECT_EQ(record["outputs"].size(), 2U);
  ASSERT_EQ(record["tables"].size(), 2U);
  for (const auto& table : record["tables"]) {
    EXPECT_EQ(table["chosen"].size(), 1U);
    for (const std::string column :
         {"lambda", "residual_norm", "penalty_norm", "degrees_of_freedom", "gcv", "curvature"}) {
      EXPECT_EQ(table[column].size(), 21U) << column;
    }
    // The residual grows with lambda. Below the tolerance of the transforms, 1e-3, the error of A^H A as a convolution
    // outweighs lambda.
    std::vector<double> residuals;
    for (std::size_t i = 0; i < table["lambda"].size(); ++i) {
      if (table["lambda"][i] >= 1e-3) residuals.push_back(table["residual_norm"][i]);
    }
    EXPECT_GE(residuals.size(), 10U);
    EXPECT_TRUE(std::is_sorted(residuals.begin(), residuals.end()));
  }
  expect_one_line(recon({"-o", "image.nii", "--lambda", "best"}), 2,
                  "--lambda is 'best', expected a number, 0 to 1e+30");
  expect_one_line(recon({"-o", "image.nii", "--lambda", "-1"}), 2, "--lambda is -1, expected a number, 0 to 1e+30");
  expect_one_line(
      recon({"-q", "-o", "image.nii", "--lambda-curve", "c.png"}), 2,
      "--lambda-curve applies only with --lambda gcv (the default of a prior), lcurve or discrepancy, or a chosen "
      "weight of --regularize");
  expect_one_line(recon({"-q", "-o", "image.nii", "--lambda", "discrepancy", "--no-prewhitening"}), 1,
                  "level of the noise");
}

TEST_F(ReconCommand, ComplexImagesOfBothMethods) {
  const Context ctx;
  for (const std::string method : {"gridding", "cg-sense"}) {
    std::vector<std::string> words{
        "-o", folder_ / (method + ".npy"), "--complex", "--method", method, "--quiet", "--coils",
        "2",  "--no-prewhitening"};
    if (method == "gridding") words.insert(words.end(), {"--combine", "matched", "--density", "radial"});
    const auto result = recon(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    const auto images = read_npy<std::complex<float>>(ctx, folder_ / (method + ".npy"));
    EXPECT_EQ(images.shape(), (Shape{6, 1, 16, 20}));
  }
}

TEST_F(ReconCommand, MapsComeFromAFile) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  std::erase_if(scan.frames, [](const ScanFrame& frame) { return frame.index.slice > 0; });
  write_ismrmrd(ctx, scan, folder_ / "scan.h5");
  const auto estimate =
      test::run_process({WHORL_PROGRAM, "coils", "estimate", folder_ / "scan.h5", "-o", folder_ / "maps.npy", "-q"});
  ASSERT_EQ(estimate.exit_code, 0) << estimate.err;
  const std::vector<std::string> few{"--complex", "--no-prewhitening", "--iterations", "4", "--tolerance", "0"};
  std::vector<std::string> with_own{"-o", folder_ / "own.npy"};
  with_own.insert(with_own.end(), few.begin(), few.end());
  std::vector<std::string> with_given{"-o", folder_ / "given.npy", "--maps-file", folder_ / "maps.npy"};
  with_given.insert(with_given.end(), few.begin(), few.end());
  ASSERT_EQ(recon(with_own).exit_code, 0);
  const auto result = recon(with_given);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("those that came with the scan"), std::string::npos) << result.out;
  const auto own = read_npy<std::complex<float>>(ctx, folder_ / "own.npy");
  const auto given = read_npy<std::complex<float>>(ctx, folder_ / "given.npy");
  // As in Recon.MapsThatCameWithTheScanAreTaken.
  EXPECT_LT(test::relative_error(given, own), 1e-5);
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "given.npy.json"));
  EXPECT_EQ(record["inputs"].size(), 2U);
  EXPECT_EQ(record["parameters"]["maps"], "file");

  write_npy<std::complex<float>>(ctx, folder_ / "two.npy", zeros<std::complex<float>>(ctx, {2, 1, 16, 20}));
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--maps-file", folder_ / "two.npy"}), 1, "[2, 1, 16, 20]");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--maps", "file"}), 1, "no coil maps came with the scan");
  expect_one_line(recon({"-o", "i.npy", "--maps", "walsh", "--maps-file", "maps.npy"}), 2, "--maps");
}

TEST_F(ReconCommand, TheNormalOperatorIsSavedAndUsedAgain) {
  const Context ctx;
  const std::vector<std::string> few{"--complex", "--no-prewhitening", "--iterations", "4", "--transform", "exact"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), few.begin(), few.end());
    return recon(words);
  };
  const std::string file = folder_ / "setup.npz";
  const auto first = with({"-o", folder_ / "first.npy", "--save-normal", file});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("wrote " + file), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("Transform: exact sums, 5.8e+04 terms"), std::string::npos) << first.out;  // 60 * 320 * 3
  const auto second = with({"-o", folder_ / "second.npy", "--normal", file});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(second.out.find("Normal operator: from an earlier run (exact sums)"), std::string::npos) << second.out;
  EXPECT_EQ(test::read_file(folder_ / "first.npy"), test::read_file(folder_ / "second.npy"));
  const auto made = nlohmann::json::parse(test::read_file(folder_ / "first.npy.json"));
  EXPECT_EQ(made["parameters"]["transform"], "exact");
  EXPECT_TRUE(made["stage_seconds"].contains("normal operator"));
  const auto used = nlohmann::json::parse(test::read_file(folder_ / "second.npy.json"));
  EXPECT_FALSE(used["stage_seconds"].contains("normal operator"));
  ASSERT_EQ(used["inputs"].size(), 2U);
  EXPECT_EQ(used["inputs"][1]["path"], file);
  EXPECT_EQ(used["inputs"][1]["sha256"].get<std::string>().size(), 64U);

  Scan other = test::make_small_scan(ctx);
  Trajectory moved{clone(ctx, other.frames[0].trajectory->points.ref()), 12};
  moved.points.data()[4] *= 0.5;
  const auto shared = std::make_shared<const Trajectory>(std::move(moved));
  for (ScanFrame& frame : other.frames) frame.trajectory = shared;
  write_ismrmrd(ctx, other, folder_ / "scan.h5");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--normal", file}), 1, "setup.npz': its trajectory differs");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--normal", folder_ / "first.npy"}), 1, "first.npy");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--normal", folder_ / "none.npz"}), 1, "none.npz");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--save-normal", folder_ / "no" / "a.npz"}), 1, "a.npz");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--method", "gridding", "--normal", file}), 2, "cg-sense");
  expect_one_line(recon({"-o", "i.npy", "--save-normal", "a.npy"}), 2, ".npz");
  expect_one_line(recon({"-o", "i.npy", "--save-normal", "a.npz", "--normal", file}), 2, "--normal");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "i.npy"));
}

TEST_F(ReconCommand, ErrorBarsAreImagesOfTheSameScan) {
  const Context ctx;
  const auto result = recon({"-o",
                             folder_ / "image.npy",
                             "--iterations",
                             "4",
                             "--stddev",
                             folder_ / "sigma.npy",
                             "--replicas",
                             "9",
                             "--noise-seed",
                             "5",
                             "--noise-iterations",
                             "20",
                             "--gfactor",
                             folder_ / "g.npy",
                             "--bias",
                             folder_ / "bias.npy",
                             "--psf",
                             "10,8",
                             "--psf",
                             "3,4",
                             "--psf-image",
                             folder_ / "psf.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string name : {"sigma.npy", "g.npy", "bias.npy"}) {
    EXPECT_EQ(read_npy<float>(ctx, folder_ / name).shape(), (Shape{6, 1, 16, 20})) << name;
  }
  const auto spreads = read_npy<float>(ctx, folder_ / "psf.npy");
  ASSERT_EQ(spreads.shape(), (Shape{2, 1, 16, 20}));
  const auto first = spreads.slice(0).span();
  EXPECT_EQ(std::max_element(first.begin(), first.end()) - first.begin(), 8 * 20 + 10);
  // The program prints doubts first, then the last notes, and where the others are; the record has all. 4 iterations are
  // too few for the image.
  const std::string first_line = result.out.substr(0, result.out.find('\n'));
  EXPECT_TRUE(first_line.starts_with("Error bars: ") || first_line.ends_with("reached the limit of iterations."))
      << result.out;
  EXPECT_NE(result.out.find("reached the limit of iterations"), std::string::npos) << result.out;
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 8) << result.out;
  EXPECT_NE(result.out.find(" more notes are in " + (folder_ / "image.npy.json").string()), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("Point spread at (3, 4): "), std::string::npos) << result.out;
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.npy.json"));
  const std::string notes = record["notes"].dump();
  // 0.5 / sqrt(9)
  EXPECT_NE(notes.find("9 pseudo replicas, seed 5; each value has a statistical error of 16.7 %"), std::string::npos)
      << notes;
  EXPECT_EQ(record["outputs"].size(), 5U);
  EXPECT_EQ(record["parameters"]["replicas"], 9);
  EXPECT_EQ(record["parameters"]["psf_voxels"], "10,8,0 3,4,0");
}

TEST_F(ReconCommand, ErrorBarsThatCanNotBeAreRefused) {
  const std::string image = folder_ / "i.npy";
  const std::string sigma = folder_ / "s.npy";
  expect_one_line(recon({"-q", "-o", image, "--stddev", sigma, "--no-prewhitening"}), 1, "without prewhitening");
  expect_one_line(recon({"-q", "-o", image, "--stddev", sigma, "--method", "gridding"}), 2, "combine matched");
  expect_one_line(recon({"-q", "-o", image, "--stddev", image}), 2, "is also an output of --output");
  expect_one_line(recon({"-q", "-o", image, "--psf", "4,5,6"}), 1, "4,5,6");
  expect_one_line(recon({"-q", "-o", image, "--psf", "4,99"}), 1, "(4, 99, 0)");
  expect_one_line(recon({"-o", image, "--psf", "a"}), 2, "--psf");
  expect_one_line(recon({"-o", image, "--psf-image", sigma}), 2, "--psf");
  expect_one_line(recon({"-o", image, "--stddev", "sigma.jpg"}), 2, "known are .nii");
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_F(ReconCommand, APriorComesFromNifti) {
  const Context ctx;
  Array<float> reference(ctx, {12, 32, 40});
  for (Index i = 0; i < reference.size(); ++i) reference.data()[i] = i % 40 < 17 ? 5.0F : 9.0F;
  Geometry place;
  place.field_of_view_mm = {200, 160, 24};
  place.position_mm = {1, 2, 3};
  write_nifti<float>(ctx, folder_ / "proton.nii.gz", reference, place);
  const std::vector<std::string> few{"--no-prewhitening", "--iterations", "3", "--lambda", "0.5"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), few.begin(), few.end());
    return recon(arguments);
  };
  const auto result = with({"-o", folder_ / "prior.npy", "--prior", folder_ / "proton.nii.gz"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("proton.nii.gz' covers 100.0 %"), std::string::npos) << result.out;
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "prior.npy.json"));
  EXPECT_EQ(record["parameters"]["penalty"], "prior");
  EXPECT_EQ(record["parameters"]["prior_noise"], 1.0);
  ASSERT_EQ(record["inputs"].size(), 2U);
  EXPECT_EQ(record["inputs"][1]["sha256"].get<std::string>().size(), 64U);
  ASSERT_EQ(with({"-q", "-o", folder_ / "smooth.npy", "--penalty", "smoothness"}).exit_code, 0);
  ASSERT_EQ(recon({"-q", "-o", folder_ / "usual.npy", "--penalty", "smoothness", "--iterations", "3"}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(test::read_file(folder_ / "usual.npy.json"))["parameters"]["lambda"], 0.1);
  const auto prior = read_npy<float>(ctx, folder_ / "prior.npy");
  const auto smooth = read_npy<float>(ctx, folder_ / "smooth.npy");
  EXPECT_FALSE(std::equal(prior.span().begin(), prior.span().end(), smooth.span().begin()));

  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--penalty", "prior"}), 2, "--prior FILE");
  expect_one_line(recon({"-o", "i.npy", "--prior", "p.nii", "--penalty", "tikhonov"}), 2, "another --penalty");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--prior", folder_ / "no.nii"}), 1, "no.nii");
  expect_one_line(recon({"-q", "-o", folder_ / "proton.nii.gz", "--prior", folder_ / "proton.nii.gz"}), 2, "input");
  expect_one_line(recon({"-q", "-o", folder_ / "i.npy", "--method", "gridding", "--penalty", "smoothness"}), 2,
                  "--penalty applies only with cg-sense");
}

TEST_F(ReconCommand, ThePictureTakesWindowAndTiles) {
  const auto result = recon({"--method", "gridding", "-o", folder_ / "image.png", "--window", "0,100", "--tiles", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(test::read_file(folder_ / "image.png").substr(1, 3), "PNG");
  EXPECT_EQ(
      test::read_file(folder_ / "image.png").substr(16, 8),
      std::string("\0\0\x01\x40\0\0\x02\x24", 8));  // two tiles of 20 x 16: 16 times 20 x 32, and 18 rows of text each
}

TEST_F(ReconCommand, BadUsageIsExitCode2) {
  expect_one_line(recon({}), 2, "--output");
  expect_one_line(recon({"-o", "image.jpeg"}), 2, "known are .nii");
  expect_one_line(recon({"-o", "image.nii", "--method", "magic"}), 2, "magic");
  expect_one_line(recon({"-o", "image.nii", "--oversampling", "3"}), 2,
                  "--oversampling is 3, expected a number, 1.25 to 2, or automatic");
  expect_one_line(recon({"-o", "image.nii", "--png", "image.jpg"}), 2, ".png");
  expect_one_line(recon({"-o", "image.nii", "--filter", "gausian 1"}), 2, "did you mean gaussian");
  expect_one_line(recon({"-o", "image.nii", "--filter", "gaussian 1 |"}), 2, "no filter on one side of a bar");
}

TEST_F(ReconCommand, FailuresAreOneLineAndLeaveNothing) {
  expect_one_line(recon({"--quiet", "-o", folder_ / "no/such/folder/image.nii"}), 1, "no/such/folder");
  expect_one_line(recon({"--quiet", "-o", folder_ / "scan.h5"}), 2, "is an input (scan)");
  expect_one_line(recon({"--quiet", "-o", folder_ / "image.nii", "--nufft-tolerance", "1e-9"}), 1, "double precision");
  expect_one_line(recon({"--quiet", "-o", folder_ / "image.nii", "--coils", "9"}), 1, "virtual coils");
  expect_one_line(recon({"--quiet", "-o", folder_ / "image.nii", "--density", "file", "--method", "gridding"}), 1,
                  "no density weights");
  expect_one_line(recon({"--quiet", "-o", folder_ / "image.nii"}, {.file_bytes = 500}), 1, "image.nii");
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_F(ReconCommand, CtrlCInTheMiddleLeavesNothing) {
  const auto result = recon({"-o", folder_ / "image.nii", "--verbose", "--iterations", "2000000", "--tolerance", "0"},
                            {.signals = {{"frames 1 to 3 of 6", SIGINT}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("stopped on request"), std::string::npos) << result.err;
  EXPECT_EQ(folder_.entries(), 1);
}

// A field map and the measured error of the operator with it, in the record and for people.
TEST_F(ReconCommand, CorrectsAFieldAndCertifiesItsOperator) {
  const Context ctx;
  Array<float> map(ctx, {2, 16, 20});  // of both slices, 6 mm apart
  for (Index i = 0; i < map.size(); ++i) map.data()[i] = static_cast<float>(i % 20) * 5;
  const std::string field = folder_ / "field.nii.gz";
  const Geometry place{.field_of_view_mm = {200, 160, 12}, .position_mm = {1, 2, 6}};
  write_array(ctx, field, {"field", std::move(map), voxel_affine(place, {20, 16, 2})});
  const auto result = recon({"-o", folder_ / "image.nii.gz", "--iterations", "3", "--field-map", field, "--dwell", "20",
                             "--readout-start", "-120", "--certify", "60"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Signal: field map '" + field + "'"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("a sample every 20 us, readouts from -120 us on"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("with a confidence of 99 %"), std::string::npos) << result.out;
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"));
  EXPECT_EQ(record["parameters"]["field_map"], field);
  EXPECT_EQ(record["parameters"]["dwell_us"], 20);
  EXPECT_EQ(record["parameters"]["certified_samples"], 60);
  EXPECT_EQ(record["inputs"].size(), 2U);
  ASSERT_EQ(record["tables"].size(), 4U);  // lambda and certificate of two slices
  const auto& certificate = record["tables"]["certificate_of_slice_0"];
  EXPECT_EQ(certificate["samples"][0], 60);
  EXPECT_LT(certificate["relative_error"][0], certificate["bound_99_percent"][0]);
  // The tolerance is 1e-3 of NUFFT and factors each.
  EXPECT_LT(certificate["bound_99_percent"][0], 1e-2);

  expect_one_line(recon({"-q", "-o", folder_ / "other.nii.gz", "--certify", "20"}), 1, "expected 50 or more");
}

}  // namespace
}  // namespace whorl
