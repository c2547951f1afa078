#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "calib/coil_map_memory.hpp"
#include "support/coil_map_checks.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

template <class Real>
Array<std::complex<Real>> coil_images(const Context& ctx, const Array<std::complex<Real>>& maps,
                                      const Array<Real>& object) {
  Array<std::complex<Real>> images(ctx, maps.shape());
  for (Index i = 0; i < images.size(); ++i) images.data()[i] = maps.data()[i] * object.data()[i % object.size()];
  return images;
}

// With a block of one voxel the covariance is x x^H, and the map is the direction of x itself.
TEST(Walsh, ABlockOfOneIsTheVoxelItself) {
  const Context ctx;
  Array<Complex> images(ctx, {4, 3, 5, 7});
  fill_random_normal<double>(images, 1);
  for (Index coil = 0; coil < 4; ++coil) images.slice(coil).data()[17] = 0;
  Array<double> ones(ctx, {3, 5, 7});
  fill<double>(ones, 1);
  const CoilMaps<double> result = walsh<double>(ctx, images, {.block = 1});
  EXPECT_EQ(result.voxels_in_support, 104);
  EXPECT_EQ(result.maps.slice(2).data()[17], Complex(0));
  test::expect_normalized(result.maps, 104, 1e-12);
  ones.data()[17] = 0;
  EXPECT_LT(test::map_error(result.maps, images, ones), 1e-13);  // rounding of the eigenvectors, squared and summed
}

// The neighborhood sums against a direct evaluation: the maps s must be eigenvectors, R s = lambda s, of the largest
// eigenvalue, which is at least the mean of the eigenvalues, the trace over the coils.
TEST(Walsh, MapsAreEigenvectorsOfTheLocalCovariance) {
  const Context ctx({.threads = 2});
  const Index coils = 3;
  Array<Complex> images(ctx, {coils, 6, 5, 7});
  fill_random_normal<double>(images, 5);
  const CoilMaps<double> result = walsh<double>(ctx, images, {.block = 3});
  const auto x = images.view<4>();
  const auto s = result.maps.view<4>();
  for (const std::array<Index, 3> voxel : {std::array<Index, 3>{0, 0, 0}, {5, 4, 6}, {2, 3, 4}, {3, 0, 6}}) {
    std::array<Complex, 3> product{};
    double trace = 0;
    Complex quotient = 0;
    for (Index z = std::max<Index>(0, voxel[0] - 1); z <= std::min<Index>(5, voxel[0] + 1); ++z) {
      for (Index y = std::max<Index>(0, voxel[1] - 1); y <= std::min<Index>(4, voxel[1] + 1); ++y) {
        for (Index column = std::max<Index>(0, voxel[2] - 1); column <= std::min<Index>(6, voxel[2] + 1); ++column) {
          Complex seen = 0;
          for (Index c = 0; c < coils; ++c) {
            seen += std::conj(x(c, z, y, column)) * s(c, voxel[0], voxel[1], voxel[2]);
            trace += std::norm(x(c, z, y, column));
          }
          for (Index c = 0; c < coils; ++c) product[static_cast<std::size_t>(c)] += x(c, z, y, column) * seen;
        }
      }
    }
    for (Index c = 0; c < coils; ++c) {
      quotient += std::conj(s(c, voxel[0], voxel[1], voxel[2])) * product[static_cast<std::size_t>(c)];
    }
    EXPECT_GE(quotient.real(), trace / coils);
    for (Index c = 0; c < coils; ++c) {
      const Complex residual = product[static_cast<std::size_t>(c)] - quotient * s(c, voxel[0], voxel[1], voxel[2]);
      EXPECT_LT(std::abs(residual), 1e-12 * trace);
    }
  }
}

// The covariance is a sum over the directions s(r') in the block, and its eigenvector is near the one at their center
// of energy. That is the voxel itself inside the head; where the signal is on one side only (the skull) it is about a
// quarter of the block away, 1.25 pixels along one axis. So the error is at most that of maps moved by one pixel along
// both axes. The head does not reach the edge of the image, so the truth may be moved around it.
TEST(Walsh, MapsOfKnownSensitivities) {
  const Context ctx;
  const PhantomCoils coils = make_phantom_coils(ctx, {64, 56, 1}, 6);
  const Array<std::complex<float>> truth = phantom_coil_maps<float>(ctx, coils);
  const Array<float> head = rasterize<float>(ctx, shepp_logan(2, PhantomContrast::modified), coils.matrix, 4);
  const CoilMaps<float> result = walsh<float>(ctx, coil_images(ctx, truth, head), {.block = 5});
  EXPECT_EQ(result.eigenvalues.size(), 0);
  Array<std::complex<float>> moved(ctx, truth.shape());
  for (Index i = 0; i < truth.size(); ++i) moved.data()[i] = truth.data()[(i + 64 + 1) % truth.size()];
  const double moved_error = test::map_error(moved, truth, head);
  EXPECT_LT(moved_error, 0.01);
  EXPECT_LT(test::map_error(result.maps, truth, head), moved_error);
  test::expect_normalized(result.maps, result.voxels_in_support, 1e-5);
  EXPECT_LT(result.voxels_in_support, 64 * 56);  // there is no signal in the corners
}

TEST(Walsh, OneCoilIsOneWhereThereIsSignal) {
  const Context ctx;
  Array<std::complex<float>> images = zeros<std::complex<float>>(ctx, {1, 9, 9});
  images.data()[40] = {0, -2};
  const CoilMaps<float> result = walsh<float>(ctx, images, {.block = 3});
  EXPECT_EQ(result.voxels_in_support, 9);
  EXPECT_FLOAT_EQ(result.maps.data()[30].real(), 1);
  EXPECT_EQ(result.maps.data()[0], std::complex<float>(0));
}

TEST(Walsh, ThreadsDoNotChangeTheMaps) {
  const Context one({.threads = 1});
  const Context three({.threads = 3});
  Array<std::complex<float>> images(one, {3, 150, 4});
  fill_random_normal<float>(images, 9);
  const CoilMaps<float> first = walsh<float>(one, images, {});
  const CoilMaps<float> second = walsh<float>(three, images, {});
  for (Index i = 0; i < images.size(); ++i) EXPECT_EQ(first.maps.data()[i], second.maps.data()[i]);
}

// As a GPU makes maps that go to the host: of a slab of slices, or rows, and what its blocks reach. Images with more and fewer
// slices than coils, blocks longer than an axis, a part without signal.
TEST(Walsh, SlabsDoNotChangeTheMaps) {
  const Context maker;
  const Context ctx({.threads = 2});
  for (const Shape& shape : {Shape{3, 11, 6, 5}, Shape{4, 3, 6, 5}, Shape{2, 5, 4, 6}, Shape{3, 1, 16, 5},
                             Shape{3, 13, 7}, Shape{5, 1, 9}}) {
    for (const Index block : {Index{1}, Index{3}, Index{7}}) {
      SCOPED_TRACE(testing::Message() << to_string(shape) << ", block " << block);
      Array<std::complex<float>> images(maker, shape);
      fill_random_normal<float>(images, 4);
      const Index plane = images.size() / shape[0];
      for (Index c = 0; c < shape[0]; ++c) std::fill_n(images.data() + c * plane, plane / 2, 0);
      const CoilMaps<float> whole = walsh<float>(maker, images, {.block = block});
      const Context there = ctx.on(ctx.device(), Index{1} << 30);
      const CoilMaps<float> slabs =
          detail::walsh_into<float>(there, images, {.block = block}, detail::MapPlace::host,
                                    [&](const Shape& maps) { return Array<std::complex<float>>(maker, maps); });
      EXPECT_EQ(slabs.voxels_in_support, whole.voxels_in_support);
      EXPECT_EQ(std::memcmp(slabs.maps.data(), whole.maps.data(), whole.maps.span().size_bytes()), 0);
    }
  }
}

// Slabs take what is said, a fraction of images and maps. The pool rounds blocks up by an eighth at most.
TEST(Walsh, MemoryOfSlabs) {
  const Context maker;
  const Shape image{48, 20, 18};
  Array<std::complex<float>> images(maker, image.with_front(6));
  fill_random_normal<float>(images, 4);
  const Context there = maker.on(maker.device(), Index{1} << 30);
  detail::walsh_into<float>(there, images, {.block = 3}, detail::MapPlace::host,
                            [&](const Shape& maps) { return Array<std::complex<float>>(maker, maps); });
  const auto peak = static_cast<double>(there.pool().statistics().peak);
  const auto predicted =
      static_cast<double>(detail::walsh_memory<float>(there, 6, image, {.block = 3}, detail::MapPlace::host));
  EXPECT_GE(peak, predicted);
  EXPECT_LE(peak, 1.125 * predicted);
  EXPECT_LT(predicted, 0.2 * static_cast<double>(2 * images.span().size_bytes()));
}

TEST(Walsh, BadInputIsRefused) {
  const Context ctx;
  Array<Complex> images = zeros<Complex>(ctx, {2, 5, 6});
  EXPECT_THROW(walsh<double>(ctx, images, {.block = 4}), ValueError);
  EXPECT_THROW(walsh<double>(ctx, images, {.block = -1}), ValueError);
  EXPECT_THROW(walsh<double>(ctx, zeros<Complex>(ctx, {5, 6}), {}), ShapeError);
  images.data()[3] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(walsh<double>(ctx, images, {}), ValueError);
}

}  // namespace
}  // namespace whorl
