#include <nlohmann/json.hpp>

#include "cli/recon/recon_command.hpp"
#include "support/file_content.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

TEST_F(ReconCommand, RegularizersAreSolvedAndRecorded) {
  const auto result = recon({"-o", folder_ / "image.nii.gz", "--regularize", "tv:0.01,unit=largest", "--regularize",
                             "wavelet:0.005,unit=largest,taps=4", "--solver", "pdhg", "--iterations", "5"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(
      result.out.find("Regularizers: tv:0.01,unit=largest, wavelet:0.005,unit=largest,taps=4; the largest value is "),
      std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("pdhg: 5 iterations"), std::string::npos) << result.out;
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.nii.gz.json"));
  EXPECT_EQ(record["parameters"]["solver"], "pdhg");
  EXPECT_EQ(record["parameters"]["lambda"], 0.0);
  EXPECT_EQ(record["parameters"]["regularize"], "tv:0.01,unit=largest wavelet:0.005,unit=largest,taps=4");
  for (const std::string column : {"cost", "primal_residual", "dual_residual", "gap", "change"}) {
    EXPECT_EQ(record["tables"]["solver_of_image_0"][column].size(), 6U) << column;
  }
  const auto& cost = record["tables"]["solver_of_image_0"]["cost"];
  EXPECT_LT(cost[5], cost[0]);

  const auto chosen =
      recon({"-o", folder_ / "chosen.nii.gz", "--regularize", "tv:auto", "--lambda-curve", folder_ / "weights.png",
             "--iterations", "5", "--stddev", folder_ / "sigma.nii.gz", "--replicas", "2", "--coils", "2"});
  ASSERT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_NE(chosen.out.find("Weight "), std::string::npos) << chosen.out;
  EXPECT_NE(chosen.out.find("2 replicas"), std::string::npos) << chosen.out;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "weights.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "sigma.nii.gz"));
  const auto of_choice = nlohmann::json::parse(test::read_file(folder_ / "chosen.nii.gz.json"));
  EXPECT_EQ(of_choice["parameters"]["regularize"], "tv:gcv");
  EXPECT_GE(of_choice["tables"]["lambda_of_slice_0"]["lambda"].size(), 5U);

  const auto parts = recon({"-o", folder_ / "i.nii.gz", "--regularize", "low-rank-sparse:0.01,unit=largest",
                            "--iterations", "5", "--save-parts", folder_ / "parts.npy"});
  ASSERT_EQ(parts.exit_code, 0) << parts.err;
  EXPECT_EQ(shape_of(read_array(Context(), folder_ / "parts.npy").values), Shape({6, 2, 1, 16, 20}));

  expect_one_line(recon({"-q", "-o", "i.nii", "--regularize", "tv:0.1,unit=largest", "--save-parts", "p.npy"}), 2,
                  "--save-parts applies only with --regularize with low-rank-sparse or ictv");
  expect_one_line(recon({"-q", "-o", "i.nii", "--regularize", "tv:auto", "--gfactor", "g.nii"}), 2,
                  "cg-sense without --regularize");
  expect_one_line(recon({"-o", "i.nii", "--regularize", "tw:1"}), 2,
                  "tv, wavelet, l1, llr, tgv, ictv, low-rank-sparse or positive");
  expect_one_line(recon({"-o", "i.nii", "--regularize", "tv:0.1,unit=largest,taps=4"}), 2,
                  "taps has an effect with wavelet alone");
  expect_one_line(recon({"-q", "-o", "i.nii", "--regularize", "tv:0.1,unit=largest", "--lambda", "gcv"}), 2,
                  "expected a number");
  expect_one_line(recon({"-q", "-o", "i.nii", "--regularize", "tv:0.1,unit=largest", "--solver", "fista"}), 2,
                  "use admm or pdhg");
  expect_one_line(recon({"-q", "-o", "i.nii", "--solver", "admm"}), 2, "only with regularizers");
  expect_one_line(recon({"-q", "-o", "i.nii", "--method", "gridding", "--regularize", "tv:0.1,unit=largest"}), 2,
                  "cg-sense");
}

}  // namespace
}  // namespace whorl
