#include "whorl/recon/estimate_coil_maps.hpp"

#include <gtest/gtest.h>

#include "support/coil_map_checks.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

class EstimateCoilMaps : public testing::Test {
 protected:
  // The part of the object's energy that the maps of one slice do not explain.
  double error_of(const EstimatedCoilMaps& found, Index slice) const {
    const std::array<Index, 3> matrix{48, 40, 1};
    const auto truth = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, matrix, 4));
    const auto object = rasterize<float>(ctx, shepp_logan(2, PhantomContrast::modified), matrix, 4);
    const auto maps = clone(ctx, found.maps.slice(slice).reshape({4, 40, 48}));
    return test::map_error<float>(maps, truth, object);
  }

  const Context ctx{{.threads = 2}};
};

TEST_F(EstimateCoilMaps, BothMethodsFindTheCoilsOfEverySlice) {
  Scan scan = test::make_test_scan(ctx);
  test::add_frame(ctx, scan, {.slice = 0, .repetition = 1}, 2);
  test::add_frame(ctx, scan, {.slice = 3}, {0, 3});
  scan.frames[2].geometry.position_mm = {0, 0, 12};
  const auto espirit = estimate_coil_maps(ctx, std::move(scan), {.prewhiten = false});
  ASSERT_EQ(espirit.maps.shape(), (Shape{2, 4, 1, 40, 48}));
  ASSERT_EQ(espirit.geometries.size(), 2U);
  EXPECT_EQ(espirit.geometries[1].position_mm[2], 12);
  EXPECT_NE(espirit.notes.back().find("ESPIRiT"), std::string::npos);
  EXPECT_FALSE(espirit.stage_seconds.empty());
  // Both are estimates from 48 x 40 pixels with ringing edges: 2 % of the energy is what test_espirit.cpp and
  // test_walsh.cpp leave room for, and Walsh's method sees gridding's artifacts on top.
  EXPECT_LT(error_of(espirit, 0), 0.02);
  EXPECT_LT(error_of(espirit, 1), 0.02);
  const auto walsh =
      estimate_coil_maps(ctx, test::make_test_scan(ctx), {.prewhiten = false, .coil_maps = CoilMapMethod::walsh});
  ASSERT_EQ(walsh.maps.shape(), (Shape{1, 4, 1, 40, 48}));
  EXPECT_LT(error_of(walsh, 0), 0.03);
}

TEST_F(EstimateCoilMaps, OfThePreparedCoils) {
  const auto found = estimate_coil_maps(ctx, test::make_test_scan(ctx, {.noise = 0.01}), {.virtual_coils = 3});
  EXPECT_EQ(found.maps.shape(), (Shape{1, 3, 1, 40, 48}));
  EXPECT_EQ(found.notes.size(), 3U);  // prewhitening, compression, maps
}

TEST_F(EstimateCoilMaps, BadInputIsRefused) {
  Scan empty = test::make_test_scan(ctx);
  empty.frames.clear();
  EXPECT_THROW(estimate_coil_maps(ctx, std::move(empty), {}), ValueError);
  Scan trajectory = test::make_test_scan(ctx);
  trajectory.coils = 0;
  EXPECT_THROW(estimate_coil_maps(ctx, std::move(trajectory), {}), ValueError);
  EXPECT_THROW(estimate_coil_maps(ctx, test::make_test_scan(ctx), {.calibration = 2}), ValueError);
}

// The data of the frames, one after another, are those of the scan that was cut: so are the maps, to the last bit.
TEST(EstimatedMaps, AllFramesTogetherAreTheWholeScan) {
  const Context ctx;
  const Scan whole = test::make_test_scan(ctx, {.noise = 0.01, .spokes = 60});
  ReconOptions options;
  options.prewhiten = false;
  options.calibration = 16;
  const EstimatedCoilMaps expected = estimate_coil_maps(ctx, clone(ctx, whole), options);
  options.maps_from = CoilMapData::all_frames;
  for (const CoilMapMethod method : {CoilMapMethod::espirit, CoilMapMethod::walsh}) {
    options.coil_maps = method;
    const EstimatedCoilMaps one = estimate_coil_maps(ctx, clone(ctx, whole), options);
    const EstimatedCoilMaps cut = estimate_coil_maps(ctx, split_frames(ctx, clone(ctx, whole), 12), options);
    ASSERT_EQ(cut.maps.shape(), one.maps.shape());
    EXPECT_TRUE(std::equal(cut.maps.span().begin(), cut.maps.span().end(), one.maps.span().begin()));
    EXPECT_NE(cut.notes.back().find("all frames"), std::string::npos);
    if (method == CoilMapMethod::espirit) {
      EXPECT_TRUE(std::equal(one.maps.span().begin(), one.maps.span().end(), expected.maps.span().begin()));
    }
  }
}

}  // namespace
}  // namespace whorl
