#include "whorl/phantom/phantom_scan.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "phantom/checks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

using RowMajor = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMajorFloat = Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void check_options(const PhantomScanOptions& options) {
  if (!(options.noise_standard_deviation >= 0) || !std::isfinite(options.noise_standard_deviation)) {
    throw ValueError(fmt::format("phantom scan: expected a noise standard deviation >= 0, got {}",
                                 options.noise_standard_deviation));
  }
  if (options.noise_samples < 0) {
    throw ValueError(fmt::format("phantom scan: expected 0 noise samples or more, got {}", options.noise_samples));
  }
  if (options.noise_covariance.size() > 0 && options.noise_covariance.shape() != Shape{options.coils, options.coils}) {
    throw ShapeError(fmt::format("phantom scan: expected a noise covariance of shape [{0}, {0}], got {1}",
                                 options.coils, to_string(options.noise_covariance.shape())));
  }
}

// The matrix that gives white noise the wanted covariance: sd * L, with L L^H the covariance.
RowMajor coloring(const PhantomScanOptions& options) {
  if (options.noise_covariance.size() == 0) {
    return RowMajor::Identity(options.coils, options.coils) * options.noise_standard_deviation;
  }
  const Eigen::Map<const RowMajor> covariance(options.noise_covariance.data(), options.coils, options.coils);
  const Eigen::LLT<Eigen::MatrixXcd> cholesky(covariance);
  const bool hermitian = (covariance - covariance.adjoint()).norm() <= 1e-12 * covariance.norm();
  if (!hermitian || cholesky.info() != Eigen::Success) {
    throw ValueError("phantom scan: expected a Hermitian and positive definite noise covariance");
  }
  return RowMajor(cholesky.matrixL()) * options.noise_standard_deviation;
}

void add_noise(const Context& ctx, const RowMajor& color, std::uint64_t seed, ArrayRef<std::complex<float>> data) {
  Array<std::complex<float>> white(ctx, data.shape());
  fill_random_normal<float>(white, seed);
  const Eigen::Map<const RowMajorFloat> noise(white.data(), data.extent(0), data.extent(1));
  Eigen::Map<RowMajorFloat> target(data.data(), data.extent(0), data.extent(1));
  target += color.cast<std::complex<float>>() * noise;
}

}  // namespace

Scan phantom_scan(const Context& ctx, std::shared_ptr<const Trajectory> trajectory, const std::array<Index, 3>& matrix,
                  const PhantomScanOptions& options) {
  const int dim = detail::matrix_dim(matrix);
  check_options(options);
  check_trajectory(trajectory->points);
  Scan scan;
  scan.source = "Shepp-Logan phantom";
  scan.matrix = matrix;
  scan.coils = options.coils;
  scan.trajectory_kind = "other";
  scan.trajectory_unit = "cycles per pixel";
  scan.notes.emplace_back("The data is computed from an analytic phantom, not measured.");

  const PhantomCoils coils = make_phantom_coils(ctx, matrix, options.coils);
  ScanFrame& frame = scan.frames.emplace_back();
  frame.data = phantom_coil_samples<float>(ctx, shepp_logan(dim, PhantomContrast::modified), coils, trajectory->points);
  frame.trajectory = std::move(trajectory);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    frame.geometry.field_of_view_mm[axis] = static_cast<double>(matrix[axis]);
  }
  if (options.noise_standard_deviation > 0) {
    const RowMajor color = coloring(options);
    add_noise(ctx, color, options.seed, frame.data);
    if (options.noise_samples > 0) {
      scan.noise = zeros<std::complex<float>>(ctx, {options.coils, options.noise_samples});
      add_noise(ctx, color, options.seed + 1, scan.noise);
    }
  }
  return scan;
}

}  // namespace whorl
