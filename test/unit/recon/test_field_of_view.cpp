// Which parts of images are set to 0, and when.
#include "recon/field_of_view.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

TEST(FieldOfViewMask, IsTheInscribedEllipsoid) {
  const Context ctx;
  const Array<float> plane = recon::field_of_view_mask(ctx, {4, 6});
  // Rows at y = -2 .. 1 of a half axis of 2, columns at x = -3 .. 2 of one of 3.
  const std::vector<float> expected{0, 0, 0, 1, 0, 0,   //
                                    0, 1, 1, 1, 1, 1,   //
                                    1, 1, 1, 1, 1, 1,   //
                                    0, 1, 1, 1, 1, 1};  //
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(plane.span()[i], expected[i]) << i;
  const Array<float> space = recon::field_of_view_mask(ctx, {32, 32, 32});
  double volume = 0;
  for (const float value : space.span()) volume += static_cast<double>(value);
  // pi/6 of the cube; the surface of 3200 voxels is right to a tenth of a voxel's depth.
  EXPECT_NEAR(volume / space.size(), 0.5236, 0.01);
}

class CornersOfImages : public testing::Test {
 protected:
  static constexpr Index n = 48;

  Scan scan(Index readout) const {
    auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, 75, readout, SpokeOrder::uniform));
    return phantom_scan(ctx, shepp_logan(2, PhantomContrast::modified),
                        test::make_trajectory_scan(std::move(trajectory), {n, n, 1}),
                        {.coils = 4, .noise_standard_deviation = 0.1, .seed = 3});
  }

  bool corners_are_zero(Index readout, const ReconOptions& options) const {
    const Reconstruction result = reconstruct(ctx, scan(readout), options);
    const bool said = std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
      return note.find("Corners of the field of view") != std::string::npos;
    });
    const Array<float> mask = recon::field_of_view_mask(ctx, {n, n});
    bool zero = true;
    for (Index i = 0; i < n * n; ++i) {
      const bool empty = result.images.data()[i] == std::complex<float>{};
      EXPECT_FALSE(empty && mask.data()[i] == 1) << i;
      if (mask.data()[i] == 0) zero &= empty;
      if (result.error_bars.standard_deviation.size() > 0) {
        EXPECT_EQ(result.error_bars.standard_deviation.data()[i] == 0, said && mask.data()[i] == 0) << i;
      }
    }
    EXPECT_EQ(said, zero);
    return zero;
  }

  const Context ctx{{.threads = 2}};
};

TEST_F(CornersOfImages, AreZeroWhereGriddingCanNotResolveThem) {
  const ReconOptions gridding{.method = ReconMethod::gridding};
  EXPECT_TRUE(corners_are_zero(n, gridding));
  EXPECT_FALSE(corners_are_zero(2 * n, gridding));
  ReconOptions kept = gridding;
  kept.mask = ImageMask::none;
  EXPECT_FALSE(corners_are_zero(n, kept));
}

TEST_F(CornersOfImages, AreZeroOnRequest) {
  ReconOptions options{.method = ReconMethod::gridding, .gridding = {.combination = CombinationMethod::matched}};
  options.mask = ImageMask::field_of_view;
  options.error_bars.standard_deviation = true;
  EXPECT_TRUE(corners_are_zero(2 * n, options));
  // ESPIRiT's maps are 0 outside of the object: the ones of a Walsh map are not.
  ReconOptions iterative{.coil_maps = CoilMapMethod::walsh, .cg_sense = {.iterations = 3}};
  EXPECT_FALSE(corners_are_zero(n, iterative));
  iterative.mask = ImageMask::field_of_view;
  EXPECT_TRUE(corners_are_zero(n, iterative));
}

}  // namespace
}  // namespace whorl
