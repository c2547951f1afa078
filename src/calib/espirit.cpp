#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "calib/channels.hpp"
#include "calib/espirit_operator.hpp"
#include "calib/map_voxel.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

constexpr Index rows_at_once = 64;  // between two reports of progress

Index kernel_extent(const EspiritOptions& options, bool volume) {
  if (options.kernel != 0) return options.kernel;
  return volume ? 5 : 6;
}

void check_options(const EspiritOptions& options) {
  if (options.kernel != 0 && options.kernel < 2) {
    throw ValueError(
        fmt::format("ESPIRiT: expected a kernel of 2 or more, or 0 for the usual one, got {}", options.kernel));
  }
  if (!(options.singular_value_threshold > 0 && options.singular_value_threshold < 1)) {
    throw ValueError(fmt::format("ESPIRiT: expected a singular value threshold between 0 and 1, got {}",
                                 options.singular_value_threshold));
  }
  if (!(options.eigenvalue_threshold >= 0 && options.eigenvalue_threshold <= 1)) {
    throw ValueError(
        fmt::format("ESPIRiT: expected an eigenvalue threshold between 0 and 1, got {}", options.eigenvalue_threshold));
  }
}

// exp(-2 pi i delta r / N) for all delta of an axis and all its voxels, [delta, voxel].
struct AxisPhases {
  std::vector<double> real;
  std::vector<double> imaginary;
  Index extent;

  AxisPhases(Index support, Index voxels) : extent(voxels) {
    for (Index delta = -(support / 2); delta <= support / 2; ++delta) {
      for (Index voxel = 0; voxel < voxels; ++voxel) {
        const Index turns = delta * (voxel - voxels / 2);
        const double angle = -2 * std::numbers::pi * static_cast<double>(turns) / static_cast<double>(voxels);
        real.push_back(std::cos(angle));
        imaginary.push_back(std::sin(angle));
      }
    }
  }
  std::complex<double> at(Index delta, Index voxel) const {
    const auto position = static_cast<std::size_t>(delta * extent + voxel);
    return {real[position], imaginary[position]};
  }
};

// Evaluates the operator for the voxels of one row: G [pair, x], real and imaginary part apart for the sake of SIMD.
class RowOfMatrices {
 public:
  RowOfMatrices(const detail::EspiritOperator& g, const AxisPhases& z, const AxisPhases& y, const AxisPhases& x)
      : g_(g), phases_{&z, &y, &x}, pairs_(g.coils * (g.coils + 1) / 2) {
    weights_.resize(static_cast<std::size_t>(g.support[0] * g.support[1]));
    real_.resize(static_cast<std::size_t>(pairs_ * x.extent));
    imaginary_.resize(real_.size());
  }

  void evaluate(Index z, Index y) {
    const auto [support_z, support_y, support_x] = g_.support;
    for (Index dz = 0; dz < support_z; ++dz) {
      for (Index dy = 0; dy < support_y; ++dy) {
        weights_[static_cast<std::size_t>(dz * support_y + dy)] = phases_[0]->at(dz, z) * phases_[1]->at(dy, y);
      }
    }
    std::fill(real_.begin(), real_.end(), 0);
    std::fill(imaginary_.begin(), imaginary_.end(), 0);
    const auto planes = static_cast<Index>(weights_.size());
    for (Index pair = 0; pair < pairs_; ++pair) {
      const std::complex<double>* g = g_.coefficients.data() + pair * planes * support_x;
      for (Index dx = 0; dx < support_x; ++dx) {
        std::complex<double> term = 0;
        for (Index plane = 0; plane < planes; ++plane) {
          term += g[plane * support_x + dx] * weights_[static_cast<std::size_t>(plane)];
        }
        add_along_x(pair, dx, term);
      }
    }
  }

  std::complex<double> at(Index pair, Index x) const {
    const auto position = static_cast<std::size_t>(pair * phases_[2]->extent + x);
    return {real_[position], imaginary_[position]};
  }

 private:
  void add_along_x(Index pair, Index dx, std::complex<double> term) {
    const Index extent = phases_[2]->extent;
    const double* cosine = phases_[2]->real.data() + dx * extent;
    const double* sine = phases_[2]->imaginary.data() + dx * extent;
    double* real = real_.data() + pair * extent;
    double* imaginary = imaginary_.data() + pair * extent;
    for (Index x = 0; x < extent; ++x) {
      real[x] += term.real() * cosine[x] - term.imag() * sine[x];
      imaginary[x] += term.real() * sine[x] + term.imag() * cosine[x];
    }
  }

  const detail::EspiritOperator& g_;
  std::array<const AxisPhases*, 3> phases_;  // z, y, x
  Index pairs_;
  std::vector<std::complex<double>> weights_;
  std::vector<double> real_;
  std::vector<double> imaginary_;
};

// Eigenvectors of the voxels of one row; returns how many are in the support.
template <class Real>
Index solve_row(const RowOfMatrices& matrices, detail::MapVoxel<Real>& voxel, Real threshold, Index row,
                const Shape& image, CoilMaps<Real>& result) {
  const Index extent = image[-1];
  const Index coils = result.maps.extent(0);
  Index support = 0;
  for (Index x = 0; x < extent; ++x) {
    for (Index c = 0; c < coils; ++c) {
      for (Index d = 0; d <= c; ++d)
        voxel.matrix()(c, d) = std::complex<Real>(matrices.at(detail::pair_index(c, d), x));
    }
    const Real eigenvalue = voxel.compute();
    const Index position = row * extent + x;
    result.eigenvalues.data()[position] = eigenvalue;
    const bool inside = eigenvalue >= threshold;
    for (Index c = 0; c < coils; ++c) {
      result.maps.data()[c * image.size() + position] = inside ? voxel.vector()(c) : std::complex<Real>(0);
    }
    if (inside) ++support;
  }
  return support;
}

}  // namespace

template <class Real>
CoilMaps<Real> espirit(const Context& ctx, ArrayRef<const std::complex<Real>> calibration, const Shape& image_shape,
                       const EspiritOptions& options) {
  check_options(options);
  detail::check_channels<Real>("ESPIRiT", calibration, 3, 4);
  if (image_shape.rank() + 1 != calibration.rank() || image_shape.size() == 0) {
    throw ShapeError(
        fmt::format("ESPIRiT: calibration data {} and image {} do not fit, expected [coil, (kz,) ky, kx] and "
                    "[(z,) y, x]",
                    to_string(calibration.shape()), to_string(image_shape)));
  }
  const bool volume = image_shape.rank() == 3;
  const Index extent = kernel_extent(options, volume);
  const std::array<Index, 3> kernel{volume ? extent : 1, extent, extent};
  for (int axis = 1; axis < calibration.rank(); ++axis) {
    if (calibration.extent(axis) < extent) {
      throw ValueError(
          fmt::format("ESPIRiT: axis {} of the calibration data {} is smaller than the kernel of {}; take a "
                      "larger calibration region or a smaller kernel",
                      axis, to_string(calibration.shape()), extent));
    }
  }
  const detail::Matrix<double> gram = detail::gram_of_channels<Real>(calibration);
  if (!(gram.trace().real() > 0)) throw ValueError("ESPIRiT: all calibration data is zero");

  const Index coils = calibration.extent(0);
  CoilMaps<Real> result{Array<std::complex<Real>>(ctx, image_shape.with_front(coils)), Array<Real>(ctx, image_shape),
                        0};
  if (coils == 1) {
    // Nothing can be known of one coil: its image is the image.
    fill<std::complex<Real>>(result.maps, 1);
    fill<Real>(result.eigenvalues, 1);
    result.voxels_in_support = image_shape.size();
    return result;
  }
  const Shape volume_shape{coils, volume ? calibration.extent(1) : 1, calibration.extent(-2), calibration.extent(-1)};
  const detail::EspiritOperator g =
      detail::espirit_operator<Real>(ctx, calibration.reshape(volume_shape), kernel, options.singular_value_threshold);

  const Index slices = volume ? image_shape[0] : 1;
  const Index rows_per_slice = image_shape[-2];
  const AxisPhases z(g.support[0], slices);
  const AxisPhases y(g.support[1], rows_per_slice);
  const AxisPhases x(g.support[2], image_shape[-1]);
  const auto threads = static_cast<std::size_t>(ctx.threads());
  std::vector<RowOfMatrices> matrices(threads, RowOfMatrices(g, z, y, x));
  std::vector<detail::MapVoxel<Real>> voxels(threads, detail::MapVoxel<Real>(detail::reference_coil<Real>(gram)));
  const auto threshold = static_cast<Real>(options.eigenvalue_threshold);
  const Index rows = slices * rows_per_slice;
  Index support = 0;
  ProgressStage stage(ctx, "ESPIRiT: maps", rows);
  for (Index first = 0; first < rows; first += rows_at_once) {
    const Index end = std::min(rows, first + rows_at_once);
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic) reduction(+ : support)
    for (Index row = first; row < end; ++row) {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      matrices[thread].evaluate(row / rows_per_slice, row % rows_per_slice);
      support += solve_row(matrices[thread], voxels[thread], threshold, row, image_shape, result);
    }
    stage.advance(end - first);
  }
  result.voxels_in_support = support;
  return result;
}

template CoilMaps<float> espirit(const Context&, ArrayRef<const std::complex<float>>, const Shape&,
                                 const EspiritOptions&);
template CoilMaps<double> espirit(const Context&, ArrayRef<const std::complex<double>>, const Shape&,
                                  const EspiritOptions&);

}  // namespace whorl
