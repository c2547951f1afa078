#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "calib/coil_map_memory.hpp"
#include "support/coil_map_checks.hpp"
#include "support/file_content.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// Exact k-space of the head at the points of a Cartesian raster, [coil, (z,) y, x], k = 0 at floor(extent/2).
template <class Real>
Array<std::complex<Real>> calibration_data(const Context& ctx, const PhantomCoils& coils,
                                           const std::array<Index, 3>& size) {
  const int dim = coils.matrix[2] > 1 ? 3 : 2;
  Array<double> points(ctx, {size[0] * size[1] * size[2], dim});
  const auto k = points.view<2>();
  for (Index i = 0; i < k.extent(0); ++i) {
    const std::array<Index, 3> position{i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
    for (Index axis = 0; axis < dim; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const Index center = size[d] / 2;
      k(i, axis) = static_cast<double>(position[d] - center) / static_cast<double>(coils.matrix[d]);
    }
  }
  auto data = phantom_coil_samples<Real>(ctx, shepp_logan(dim, PhantomContrast::modified), coils, points);
  const Index channels = data.extent(0);
  data.reshape(dim == 3 ? Shape{channels, size[2], size[1], size[0]} : Shape{channels, size[1], size[0]});
  return data;
}

// Singular vectors below 2 % of the largest are given up, and with them, relative to the whole object, up to 2 % of the
// coils' images in amplitude: sin^2 = 4e-4 on average over the signal. The dark parts of the head see the bright
// skull's share of that error, so the bound is 4 times as much.
constexpr double espirit_bound = 1.6e-3;

TEST(Espirit, MapsOfKnownSensitivities2D) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {48, 40, 1}, 6);
  const Array<Complex> truth = phantom_coil_maps<double>(ctx, coils);
  const Array<double> head = rasterize<double>(ctx, shepp_logan(2, PhantomContrast::modified), coils.matrix, 4);
  const CoilMaps<double> result = espirit<double>(ctx, calibration_data<double>(ctx, coils, {24, 21, 1}), {40, 48}, {});
  ASSERT_EQ(result.maps.shape(), (Shape{6, 40, 48}));
  ASSERT_EQ(result.eigenvalues.shape(), (Shape{40, 48}));
  EXPECT_LT(test::map_error(result.maps, truth, head), espirit_bound);
  test::expect_normalized(result.maps, result.voxels_in_support, 1e-12);

  // The object, and by the width of the kernel not much more, is in the support. Eigenvalues of an average of
  // projectors lie between 0 and 1; where there is signal it is 1 but for what was given up.
  Index inside = 0;
  for (Index i = 0; i < head.size(); ++i) {
    EXPECT_LT(result.eigenvalues.data()[i], 1 + 1e-12);
    if (head.data()[i] < 0.15) continue;
    ++inside;
    EXPECT_GT(result.eigenvalues.data()[i], 0.95) << "voxel " << i;
  }
  EXPECT_GT(result.voxels_in_support, inside);
  EXPECT_LT(result.voxels_in_support, head.size() * 9 / 10);
}

TEST(Espirit, MapsOfKnownSensitivities3D) {
  const Context ctx({.threads = 2});
  const PhantomCoils coils = make_phantom_coils(ctx, {18, 20, 16}, 4);
  const Array<std::complex<float>> truth = phantom_coil_maps<float>(ctx, coils);
  const Array<float> head = rasterize<float>(ctx, shepp_logan(3, PhantomContrast::modified), coils.matrix, 4);
  const CoilMaps<float> result =
      espirit<float>(ctx, calibration_data<float>(ctx, coils, {12, 14, 13}), {16, 20, 18}, {.kernel = 4});
  ASSERT_EQ(result.maps.shape(), (Shape{4, 16, 20, 18}));
  // The kernel of 4 has less room for the coils' bandwidth: twice the error in amplitude.
  EXPECT_LT(test::map_error(result.maps, truth, head), 4 * espirit_bound);
  test::expect_normalized(result.maps, result.voxels_in_support, 1e-5);
}

// A kernel as long as the region along z has one place there, and its patches do not span the signals of most voxels. One of half the
// region has less room for the coils' bandwidth than 6 points: the error in amplitude grows as its extent falls.
TEST(Espirit, ThinVolumesKeepTheirVoxels) {
  const Context ctx;
  for (const Index slices : {3, 4, 6, 8}) {
    SCOPED_TRACE(slices);
    const PhantomCoils coils = make_phantom_coils(ctx, {18, 20, slices}, 4);
    const Array<std::complex<float>> truth = phantom_coil_maps<float>(ctx, coils);
    const Array<float> head = rasterize<float>(ctx, shepp_logan(3, PhantomContrast::modified), coils.matrix, 4);
    const CoilMaps<float> result =
        espirit<float>(ctx, calibration_data<float>(ctx, coils, {14, 15, slices}), {slices, 20, 18}, {});
    const double growth = 6 / std::floor((static_cast<double>(slices) + 1) / 2);
    EXPECT_LT(test::map_error(result.maps, truth, head), growth * growth * espirit_bound);
    const auto inside =
        std::count_if(head.span().begin(), head.span().end(), [](float value) { return value > 0.15F; });
    EXPECT_GE(result.voxels_in_support, inside);
    EXPECT_LT(result.voxels_in_support, head.size() * 9 / 10);
  }
}

TEST(Espirit, ThePhaseIsThatOfTheStrongestVirtualCoil) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {32, 32, 1}, 1);
  // Two coils, the second much weaker: the virtual coil is nearly the first, whose map is then nearly real.
  const Array<Complex> one = calibration_data<double>(ctx, coils, {16, 16, 1});
  Array<Complex> two(ctx, {2, 16, 16});
  for (Index i = 0; i < 256; ++i) {
    two.data()[i] = one.data()[i] * Complex(0, 2);
    two.data()[256 + i] = 1e-3 * one.data()[(i + 1) % 256];
  }
  const CoilMaps<double> result = espirit<double>(ctx, two, {32, 32}, {});
  EXPECT_GT(result.voxels_in_support, 0);
  for (Index i = 0; i < 1024; ++i) {
    const Complex map = result.maps.data()[i];
    // The reference has 1e-3 of the second coil, whose map is 1e-3 of the first.
    EXPECT_LT(std::abs(map.imag()), 1e-5);
    EXPECT_GE(map.real(), 0);
  }
}

TEST(Espirit, OneCoilIsOne) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {20, 18, 1}, 1);
  const CoilMaps<float> result = espirit<float>(ctx, calibration_data<float>(ctx, coils, {8, 9, 1}), {18, 20}, {});
  EXPECT_EQ(result.voxels_in_support, 360);
  for (const auto& map : result.maps.span()) EXPECT_EQ(map, std::complex<float>(1));
}

// As a GPU makes maps that go to the host: of one slice at a time.
TEST(Espirit, OfAVolumeSliceBySlice) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {20, 18, 13}, 3);
  const Array<Complex> data = calibration_data<double>(ctx, coils, {8, 9, 7});
  const EspiritOptions options{.kernel = 3};
  const CoilMaps<double> whole = espirit<double>(ctx, data, {13, 18, 20}, options);
  const CoilMaps<double> slices =
      detail::espirit_into<double>(ctx, data, {13, 18, 20}, options, detail::MapPlace::host,
                                   [&](const Shape& maps) { return zeros<Complex>(ctx, maps); });
  EXPECT_EQ(slices.voxels_in_support, whole.voxels_in_support);
  EXPECT_GT(whole.voxels_in_support, 400);
  for (Index i = 0; i < whole.maps.size(); ++i) ASSERT_EQ(slices.maps.data()[i], whole.maps.data()[i]) << i;
  for (Index i = 0; i < whole.eigenvalues.size(); ++i) {
    ASSERT_EQ(slices.eigenvalues.data()[i], whole.eigenvalues.data()[i]) << i;
  }
}

TEST(Espirit, BadInputIsRefused) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {20, 18, 1}, 2);
  Array<Complex> data = calibration_data<double>(ctx, coils, {8, 9, 1});
  EXPECT_THROW(espirit<double>(ctx, data, {18, 20}, {.kernel = 9}), ValueError);
  EXPECT_THROW(espirit<double>(ctx, data, {18, 20}, {.kernel = 1}), ValueError);
  EXPECT_THROW(espirit<double>(ctx, data, {18, 20}, {.singular_value_threshold = 0}), ValueError);
  EXPECT_THROW(espirit<double>(ctx, data, {18, 20}, {.eigenvalue_threshold = 1.5}), ValueError);
  EXPECT_THROW(espirit<double>(ctx, data, {4, 18, 20}, {}), ShapeError);
  EXPECT_THROW(espirit<double>(ctx, data, {0, 20}, {}), ShapeError);
  EXPECT_THROW(espirit<double>(ctx, zeros<Complex>(ctx, {8, 9}), {18}, {}), ShapeError);
  EXPECT_THROW(espirit<double>(ctx, zeros<Complex>(ctx, {2, 8, 9}), {18, 20}, {}), ValueError);
  data.data()[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(espirit<double>(ctx, data, {18, 20}, {}), ValueError);
}

TEST(Espirit, AdviceCanBeFollowed) {
  const Context ctx;
  const auto refusal = [&](const Shape& calibration, const Shape& image) {
    return test::error_of<ValueError>(
        [&] { espirit<double>(ctx, zeros<Complex>(ctx, calibration), image, {.kernel = 6}); });
  };
  EXPECT_NE(refusal({2, 5, 9}, {18, 20}).find("take a larger calibration region or a smaller kernel"),
            std::string::npos);
  // There is no larger region than the image.
  EXPECT_NE(refusal({2, 4, 4}, {4, 4}).find("it is the whole image: leave the kernel open"), std::string::npos);
}

TEST(Espirit, StopsOnRequest) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {20, 18, 1}, 2);
  const Array<Complex> data = calibration_data<double>(ctx, coils, {8, 9, 1});
  ctx.request_cancel();
  EXPECT_THROW(espirit<double>(ctx, data, {18, 20}, {}), Cancelled);
}

}  // namespace
}  // namespace whorl
