// Calibration on a GPU: every function gives what it gives on the CPU with the same data.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "calib/coil_map_memory.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

template <class Real>
using Complexes = Array<std::complex<Real>>;

// Rounding of a sum of some tens of terms, on either device.
template <class Real>
constexpr double rounding = 20 * std::numeric_limits<Real>::epsilon();

template <class Real>
double error_of(const Context& ctx, const Complexes<Real>& there, const Complexes<Real>& here) {
  EXPECT_EQ(there.device(), ctx.device());
  EXPECT_EQ(there.shape(), here.shape());
  return test::relative_error(to_host<const std::complex<Real>>(ctx, there), here);
}

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "taken";
}

template <class Real>
void expect_channel_matrix(Index channels, Index coils, Index elements) {
  const Context ctx = test::device_context();
  const auto matrix = test::random_array<double>(ctx.host(), {channels, coils}, 1);
  const auto data = test::random_array<Real>(ctx.host(), {coils, elements}, 2);
  const auto here = apply_channel_matrix<Real>(ctx.host(), matrix, data);
  EXPECT_LT(error_of<Real>(ctx, apply_channel_matrix<Real>(ctx, matrix, data), here), rounding<Real>);
  const auto data_there = clone<const std::complex<Real>>(ctx, data);
  EXPECT_LT(error_of<Real>(ctx, apply_channel_matrix<Real>(ctx, matrix, data_there), here), rounding<Real>);
}

TEST(CudaChannels, MatrixOfChannels) {
  expect_channel_matrix<float>(5, 7, 1003);
  expect_channel_matrix<double>(32, 40, 513);
  expect_channel_matrix<float>(1, 1, 1);
}

// Coils of one tile, of several, and of a part of one.
TEST(CudaChannels, CovarianceOfNoise) {
  const Context ctx = test::device_context();
  for (const Index coils : {1, 3, 16, 32, 33, 70}) {
    const auto noise = test::random_array<float>(ctx.host(), {coils, 3001}, 3);
    const NoiseCovariance here = noise_covariance<float>(ctx.host(), noise);
    const NoiseCovariance there = noise_covariance<float>(ctx, clone<const std::complex<float>>(ctx, noise));
    // Both sum 3001 products in double; random signs leave the root of their number in rounding.
    EXPECT_LT(test::relative_error(there.matrix, here.matrix), 1e-14) << coils;
    EXPECT_EQ(there.note, here.note);
  }
}

TEST(CudaChannels, CovarianceFromTheEdge) {
  const Context ctx = test::device_context();
  const Index samples = 4000;
  const auto points = test::random_points(ctx.host(), samples, 2);
  auto data = test::random_array<float>(ctx.host(), {9, samples}, 4);
  for (Index i = 0; i < data.size(); i += 97) data.data()[i] *= 100.0F;  // stands out of the noise
  const NoiseCovariance here = noise_covariance_from_edge<float>(ctx.host(), data, points);
  const NoiseCovariance there = noise_covariance_from_edge<float>(ctx, data, points);
  EXPECT_LT(there.samples, 400);
  EXPECT_EQ(there.note, here.note);                                   // names the samples left out
  EXPECT_LT(test::relative_error(there.matrix, here.matrix), 1e-13);  // double, times the condition of nine coils
}

TEST(CudaChannels, CompressionOfCoils) {
  const Context ctx = test::device_context();
  const auto data = test::random_array<float>(ctx.host(), {12, 900}, 5);
  const auto data_there = clone<const std::complex<float>>(ctx, data);
  const std::vector<ArrayRef<const std::complex<float>>> host_frames{data.ref()};
  const std::vector<ArrayRef<const std::complex<float>>> frames{data_there.ref()};
  const CoilCompression here = coil_compression<float>(ctx.host(), host_frames, {.virtual_coils = 4});
  const CoilCompression there = coil_compression<float>(ctx, frames, {.virtual_coils = 4});
  for (std::size_t i = 0; i < here.energies.size(); ++i) EXPECT_NEAR(there.energies[i], here.energies[i], 1e-14);
  // Eigenvectors of one Gram matrix but for 1e-15 of it, whose eigenvalues differ by a hundredth.
  EXPECT_LT(test::relative_error(there.matrix, here.matrix), 1e-11);
}

TEST(CudaChannels, WhatIsNotFiniteIsNamed) {
  const Context ctx = test::device_context();
  auto noise = test::random_array<float>(ctx.host(), {3, 5000}, 6);
  noise.data()[12003] = {0, std::numeric_limits<float>::quiet_NaN()};
  noise.data()[7001] = {std::numeric_limits<float>::infinity(), 0};
  const std::string here = refusal([&] { noise_covariance<float>(ctx.host(), noise); });
  EXPECT_NE(here.find("element 2001 of coil 1"), std::string::npos);
  EXPECT_EQ(refusal([&] { noise_covariance<float>(ctx, noise); }), here);
}

template <class Real>
void expect_combinations() {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const auto images = test::random_array<Real>(host, {5, 13, 17}, 7);
  auto maps = test::random_array<Real>(host, {5, 13, 17}, 8);
  for (Index c = 0; c < 5; ++c) maps.slice(c).data()[30] = 0;
  EXPECT_LT(
      error_of<Real>(ctx, matched_combination<Real>(ctx, images, maps), matched_combination<Real>(host, images, maps)),
      rounding<Real>);
  EXPECT_LT(error_of<Real>(ctx, unit_maps<Real>(ctx, maps), unit_maps<Real>(host, maps)), rounding<Real>);
  const Array<Real> here = root_sum_of_squares<Real>(host, images);
  const Array<Real> there = to_host<Real>(ctx, root_sum_of_squares<Real>(ctx, images));
  for (Index i = 0; i < here.size(); ++i) {
    EXPECT_NEAR(there.data()[i], here.data()[i], rounding<Real> * static_cast<double>(here.data()[i]));
  }
}

TEST(CudaCombine, ImagesOfCoils) {
  expect_combinations<float>();
  expect_combinations<double>();
}

// Smooth sensitivities times an object of random phase and magnitude, with noise of a tenth of it: everywhere one
// direction of the coils stands out, the second eigenvalue is a tenth of the first at most, and the vectors are as good
// as the matrix.
template <class Real>
Complexes<Real> coil_images(const Context& host, Index coils, const Shape& image) {
  Complexes<Real> images = test::random_array<Real>(host, image.with_front(coils), 9);
  const Complexes<Real> object = test::random_array<Real>(host, image, 10);
  const Index voxels = image.size();
  for (Index c = 0; c < coils; ++c) {
    for (Index v = 0; v < voxels; ++v) {
      const double x = static_cast<double>(v % image[-1]) / static_cast<double>(image[-1]);
      const double y = static_cast<double>(v / image[-1]) / static_cast<double>(voxels);
      const auto angle = static_cast<double>(c);
      const auto sensitivity =
          static_cast<std::complex<Real>>(std::polar(1.5 + std::cos(angle + 3 * x), 2 * angle * y));
      std::complex<Real>& value = images.data()[c * voxels + v];
      value = sensitivity * object.data()[v] + Real(0.1) * value;
    }
  }
  return images;
}

template <class Real>
void expect_walsh(Index coils, const Shape& image, Index block) {
  const Context ctx = test::device_context();
  auto images = coil_images<Real>(ctx.host(), coils, image);
  if (block == 1) {  // a voxel without signal
    for (Index c = 0; c < coils; ++c) images.slice(c).data()[1] = 0;
  }
  const CoilMaps<Real> here = walsh<Real>(ctx.host(), images, {.block = block});
  const CoilMaps<Real> there = walsh<Real>(ctx, images, {.block = block});
  EXPECT_EQ(there.voxels_in_support, here.voxels_in_support);
  EXPECT_LT(error_of<Real>(ctx, there.maps, here.maps), rounding<Real>) << coils << " coils";
  // By slabs the sums over a block are in the same order.
  const CoilMaps<Real> slabs =
      detail::walsh_into<Real>(ctx, images, {.block = block}, detail::MapPlace::host,
                               [&](const Shape& maps) { return Complexes<Real>(ctx.host(), maps); });
  EXPECT_EQ(slabs.voxels_in_support, here.voxels_in_support);
  EXPECT_LT(test::relative_error(slabs.maps, here.maps), rounding<Real>) << coils << " coils, by slabs";
}

// Every way in which threads share a matrix, and odd extents.
TEST(CudaWalsh, MapsAreThoseOfTheCpu) {
  for (const Index coils : {1, 2, 3, 4, 5, 8, 9, 16, 31, 32, 35}) {
    expect_walsh<float>(coils, {9, 23}, 5);
    expect_walsh<double>(coils, {9, 23}, 5);
  }
  expect_walsh<float>(6, {7, 6, 11}, 3);
  expect_walsh<double>(7, {7, 6, 11}, 7);
  expect_walsh<float>(4, {5, 6, 7}, 1);
  expect_walsh<float>(3, {4, 5}, 13);  // a block larger than the image
}

// Too large for the shared memory of a block.
TEST(CudaWalsh, ManyCoils) {
  expect_walsh<float>(130, {3, 5}, 3);
  expect_walsh<double>(96, {3, 5}, 3);
}

template <class Real>
Complexes<Real> calibration_data(const Context& host, const PhantomCoils& coils, const std::array<Index, 3>& size) {
  const int dim = coils.matrix[2] > 1 ? 3 : 2;
  Array<double> points(host, {size[0] * size[1] * size[2], dim});
  const auto k = points.view<2>();
  for (Index i = 0; i < k.extent(0); ++i) {
    const std::array<Index, 3> position{i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
    for (Index axis = 0; axis < dim; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      k(i, axis) = static_cast<double>(position[d] - size[d] / 2) / static_cast<double>(coils.matrix[d]);
    }
  }
  auto data = phantom_coil_samples<Real>(host, shepp_logan(dim, PhantomContrast::modified), coils, points);
  data.reshape(dim == 3 ? Shape{data.extent(0), size[2], size[1], size[0]} : Shape{data.extent(0), size[1], size[0]});
  return data;
}

// The eigenvalues, and the maps where both devices have them.
template <class Real>
void expect_espirit(Index coils, const std::array<Index, 3>& matrix, const std::array<Index, 3>& region, Index kernel,
                    double tolerance) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const PhantomCoils phantom = make_phantom_coils(host, matrix, coils);
  auto calibration = calibration_data<Real>(host, phantom, region);
  // Noise: without it the singular values fall to nothing, and there is little for the threshold to cut.
  const auto noise = test::random_array<Real>(host, calibration.shape(), 11);
  const double level = 1e-3 * norm<Real>(host, calibration) / norm<Real>(host, noise);
  for (Index i = 0; i < noise.size(); ++i) calibration.data()[i] += static_cast<Real>(level) * noise.data()[i];
  const Shape image = matrix[2] > 1 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
  const CoilMaps<Real> here = espirit<Real>(host, calibration, image, {.kernel = kernel});
  const CoilMaps<Real> there = espirit<Real>(ctx, calibration, image, {.kernel = kernel});
  EXPECT_NEAR(there.voxels_in_support, here.voxels_in_support, sizeof(Real) == sizeof(float) ? 1 : 0);
  const Array<Real> eigenvalues = to_host<const Real>(ctx, there.eigenvalues);
  auto maps = to_host<const std::complex<Real>>(ctx, there.maps);
  double worst = 0;
  for (Index v = 0; v < image.size(); ++v) {
    worst = std::max(worst, std::abs(double(eigenvalues.data()[v]) - double(here.eigenvalues.data()[v])));
    const bool mask_differs = (eigenvalues.data()[v] < Real(0.8)) != (here.eigenvalues.data()[v] < Real(0.8));
    for (Index c = 0; mask_differs && c < coils; ++c) {
      maps.data()[c * image.size() + v] = here.maps.data()[c * image.size() + v];
    }
  }
  EXPECT_LT(worst, tolerance);
  EXPECT_LT(test::relative_error(maps, here.maps), 10 * tolerance) << coils << " coils";
}

// The eigenvalues are 1 at most, so they agree to rounding; the vectors to ten times as much, since the second
// eigenvalue stays 0.1 away from the first but at few voxels. The projector in double is that of the CPU but for the
// rounding of the Gram matrix over the distance of its eigenvalues from the limit.
TEST(CudaEspirit, MapsAreThoseOfTheCpu) {
  expect_espirit<float>(6, {48, 40, 1}, {24, 21, 1}, 6, 2e-6);
  expect_espirit<double>(6, {48, 40, 1}, {24, 21, 1}, 6, 1e-10);
  expect_espirit<float>(4, {18, 20, 16}, {12, 14, 13}, 4, 2e-6);
  expect_espirit<double>(3, {18, 20, 16}, {12, 14, 13}, 3, 1e-10);
  expect_espirit<float>(20, {24, 30, 1}, {20, 20, 1}, 4, 2e-6);
}

TEST(CudaEspirit, OneCoilIsOne) {
  const Context ctx = test::device_context();
  const auto data = test::random_array<float>(ctx, {1, 9, 8}, 12);
  const CoilMaps<float> result = espirit<float>(ctx, data, {18, 20}, {});
  EXPECT_EQ(result.voxels_in_support, 360);
  const auto maps = to_host<const std::complex<float>>(ctx, result.maps);
  for (const auto& map : maps.span()) EXPECT_EQ(map, std::complex<float>(1));
}

TEST(CudaEspirit, StopsOnRequest) {
  const Context ctx = test::device_context();
  const auto data = test::random_array<float>(ctx, {2, 9, 8}, 13);
  ctx.request_cancel();
  EXPECT_THROW(espirit<float>(ctx, data, {18, 20}, {}), Cancelled);
}

}  // namespace
}  // namespace whorl
