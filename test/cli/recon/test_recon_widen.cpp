// An object that reaches beyond the field of view of its images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/file_content.hpp"
#include "support/phantom_scan.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

constexpr std::array<Index, 3> whole{48, 40, 1};  // the head is 33 x 37 pixels
constexpr std::array<Index, 3> part{48, 30, 1};

class ReconWiden : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx_, 120, 96, SpokeOrder::golden_angle));
    Scan scan = test::make_phantom_scan(ctx_, trajectory, whole, {.coils = 4, .noise_standard_deviation = 0.02});
    for (const auto& [name, matrix] : {std::pair{"whole.h5", whole}, std::pair{"part.h5", part}}) {
      scan.matrix = matrix;
      scan.frames.front().geometry.field_of_view_mm = {static_cast<double>(matrix[0]), static_cast<double>(matrix[1]),
                                                       5};
      write_ismrmrd(ctx_, scan, folder_ / name);
    }
  }

  test::ProcessResult recon(const std::string& scan, const std::string& image,
                            const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command{WHORL_PROGRAM, "recon", folder_ / scan, "-o", folder_ / image, "--threads", "2"};
    command.insert(command.end(), options.begin(), options.end());
    return test::run_process(command);
  }

  // The rows of the part, from an image [y, x].
  std::vector<float> rows(const std::string& image) const {
    const auto values = converted<float>(ctx_, read_array(ctx_, folder_ / image).values, image);
    const Index height = values.size() / whole[0];
    const Index first = height / 2 - part[1] / 2;
    return {values.data() + first * whole[0], values.data() + (first + part[1]) * whole[0]};
  }

  // An image of fewer voxels has smaller values, by the root of their number: the transform is unitary.
  double difference(const std::string& image, const std::string& from) const {
    std::vector<float> a = rows(image);
    const std::vector<float> b = rows(from);
    const double unit = std::sqrt(static_cast<double>(whole[1]) / static_cast<double>(part[1]));
    for (float& value : a) value *= static_cast<float>(unit);
    double error = 0;
    double energy = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      error += std::pow(a[i] - b[i], 2);
      energy += std::pow(b[i], 2);
    }
    return std::sqrt(error / energy);
  }

  Context ctx_;
  test::TemporaryFolder folder_;
};

TEST_F(ReconWiden, ImagesAreThoseOfAFieldOfViewThatHoldsTheObject) {
  ASSERT_EQ(recon("whole.h5", "whole.npy").exit_code, 0);
  const auto made = recon("part.h5", "part.npy");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("Field of view: solved as 60 x 48 for images of 48 x 30"), std::string::npos) << made.out;
  const auto narrow = recon("part.h5", "narrow.npy", {"--widen", "1"});
  ASSERT_EQ(narrow.exit_code, 0) << narrow.err;
  EXPECT_EQ(narrow.out.find("Field of view: solved"), std::string::npos) << narrow.out;
  // Another matrix changes lambda and maps, and with them how much noise is left. There are 6 samples to a pixel, so the noise of
  // 0.02 is 0.008 in the image, 4 % of the head, whose mean is 0.2.
  EXPECT_LT(difference("part.npy", "whole.npy"), 0.04);
  EXPECT_GT(difference("narrow.npy", "whole.npy"), 0.1);
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "part.npy.json"));
  EXPECT_EQ(record["parameters"]["solved_matrix"], "60 x 48 for images of 48 x 30");
  EXPECT_LE(record["peak_memory_bytes"]["arrays"].get<double>(),
            record["parameters"]["memory_predicted_bytes"].get<double>());
}

TEST_F(ReconWiden, ImagesOfAnObjectWithinKeepTheirBits) {
  ASSERT_EQ(recon("whole.h5", "whole.npy").exit_code, 0);
  ASSERT_EQ(recon("whole.h5", "narrow.npy", {"--widen", "1"}).exit_code, 0);
  EXPECT_EQ(test::read_file(folder_ / "whole.npy"), test::read_file(folder_ / "narrow.npy"));
}

TEST_F(ReconWiden, AllResultsAreThoseOfTheImages) {
  const std::vector<std::string> more{"--stddev",    folder_ / "sigma.nii", "--psf",       "24,3",
                                      "--psf-image", folder_ / "psf.npy",   "--save-maps", folder_ / "maps.npy"};
  const auto made = recon("part.h5", "image.nii", more);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ASSERT_EQ(recon("part.h5", "narrow.nii", {"--widen", "1"}).exit_code, 0);
  constexpr std::size_t header = 352;
  EXPECT_EQ(test::read_file(folder_ / "image.nii").substr(0, header),
            test::read_file(folder_ / "narrow.nii").substr(0, header));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "sigma.nii"), std::filesystem::file_size(folder_ / "image.nii"));
  const AnyArray maps = read_array(ctx_, folder_ / "maps.npy").values;
  EXPECT_EQ(std::visit([](const auto& values) { return values.size(); }, maps), 4 * 30 * 48);
  // The point spread is largest at its voxel.
  const auto spread = converted<float>(ctx_, read_array(ctx_, folder_ / "psf.npy").values, "psf.npy");
  ASSERT_EQ(spread.size(), 48 * 30);
  EXPECT_EQ(std::max_element(spread.span().begin(), spread.span().end()) - spread.span().begin(), 3 * 48 + 24);
}

TEST_F(ReconWiden, FiltersSeeTheImages) {
  ASSERT_EQ(recon("part.h5", "plain.npy", {"--complex"}).exit_code, 0);
  const auto made = recon("part.h5", "filtered.npy", {"--complex", "--filter", "flip axis=y"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const AnyArray plain = read_array(ctx_, folder_ / "plain.npy").values;
  const AnyArray filtered = read_array(ctx_, folder_ / "filtered.npy").values;
  using Images = Array<std::complex<float>>;
  const auto& of = std::get<Images>(plain);
  const auto& to = std::get<Images>(filtered);
  ASSERT_EQ(to.size(), of.size());
  for (Index i = 0; i < of.size(); ++i) {
    const Index mirrored = (part[1] - 1 - i / part[0]) * part[0] + i % part[0];
    ASSERT_EQ(to.data()[i], of.data()[mirrored]) << i;
  }
}

TEST_F(ReconWiden, RefusesWhatKeepsTheFieldOfView) {
  EXPECT_EQ(recon("part.h5", "image.npy", {"--widen", "1.5", "--support", "ball"}).exit_code, 2);
  EXPECT_EQ(recon("part.h5", "image.npy", {"--widen", "3"}).exit_code, 2);
  const auto outside = recon("part.h5", "image.npy", {"--psf", "24,33", "--psf-image", folder_ / "psf.npy"});
  EXPECT_EQ(outside.exit_code, 1);
  EXPECT_NE(outside.err.find("24,33"), std::string::npos) << outside.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "image.npy"));
}

}  // namespace
}  // namespace whorl
