#include <nlohmann/json.hpp>

#include "cli/recon/recon_command.hpp"
#include "support/file_content.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

// The images of make_small_scan: 20 x 16, slices 0 and 1, repetitions 0 to 2. Every second column is inside.
TEST_F(ReconCommand, HoldsImagesToASupport) {
  const Context ctx;
  Array<float> inside(ctx, {16, 20});
  for (Index i = 0; i < inside.size(); ++i) inside.data()[i] = static_cast<float>(i % 2);
  write_array(ctx, folder_ / "inside.npy", {"inside", std::move(inside)});
  for (const std::string method : {"gridding", "cg-sense", "nlinv"}) {
    const auto result = recon({"-o", folder_ / "image.npy", "--method", method, "--support", folder_ / "inside.npy"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("inside.npy', 50.0 % of the voxels"), std::string::npos) << result.out;
    const auto values = converted<float>(ctx, read_array(ctx, folder_ / "image.npy").values, "image.npy");
    for (Index i = 0; i < values.size(); i += 2) EXPECT_EQ(values.data()[i], 0) << method << " " << i;
    const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.npy.json"));
    EXPECT_EQ(record["parameters"]["support"], (folder_ / "inside.npy").string());
    EXPECT_EQ(record["inputs"].size(), 2U);
  }
  const auto ball = recon({"-o", folder_ / "ball.npy", "--support", "ball", "--iterations", "2"});
  ASSERT_EQ(ball.exit_code, 0) << ball.err;
  EXPECT_NE(ball.out.find("Support: the ellipsoid inscribed"), std::string::npos) << ball.out;
}

TEST_F(ReconCommand, RefusesWhatIsNoSupport) {
  expect_one_line(recon({"-o", folder_ / "image.npy", "--support", "bal"}), 2, "auto, ball, none or the file");
  expect_one_line(recon({"-o", folder_ / "image.npy", "--support", folder_ / "none.nii"}), 1, "none.nii");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "image.npy"));
}

}  // namespace
}  // namespace whorl
