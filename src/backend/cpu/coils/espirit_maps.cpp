// The eigenvectors of ESPIRiT's operator at every voxel, on a CPU: row by row.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "backend/cpu/coils/map_voxel.hpp"
#include "core/parallel.hpp"
#include "kernels/coil_maps.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index rows_at_once = 64;  // between two reports of progress

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

// Evaluates the operator for the voxels of one row: G [pair, x], with real and imaginary parts separate for SIMD.
class RowOfMatrices {
 public:
  RowOfMatrices(const kernels::EspiritOperator& g, const AxisPhases& z, const AxisPhases& y, const AxisPhases& x)
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

  const kernels::EspiritOperator& g_;
  std::array<const AxisPhases*, 3> phases_;  // z, y, x
  Index pairs_;
  std::vector<std::complex<double>> weights_;
  std::vector<double> real_;
  std::vector<double> imaginary_;
};

// Eigenvectors of the voxels of one row among so many voxels of the target; returns how many are in the support.
template <class Real>
Index solve_row(const RowOfMatrices& matrices, MapVoxel<Real>& voxel, Real threshold, Index row, Index voxels,
                const kernels::MapTarget<Real>& target, Real* eigenvalues) {
  const Index extent = target.image[2];
  const auto coils = static_cast<Index>(target.reference.size());
  Index support = 0;
  for (Index x = 0; x < extent; ++x) {
    for (Index c = 0; c < coils; ++c) {
      for (Index d = 0; d <= c; ++d) {
        voxel.matrix()(c, d) = std::complex<Real>(matrices.at(kernels::pair_index(c, d), x));
      }
    }
    const Real eigenvalue = voxel.compute();
    const Index position = row * extent + x;
    eigenvalues[position] = eigenvalue;
    const bool inside = eigenvalue >= threshold;
    for (Index c = 0; c < coils; ++c) {
      target.maps[c * voxels + position] = inside ? voxel.vector()(c) : std::complex<Real>(0);
    }
    if (inside) ++support;
  }
  return support;
}

template <class Real>
Index espirit_maps(const Context& ctx, const kernels::EspiritOperator& g, Real threshold,
                   const kernels::MapTarget<Real>& target, kernels::SliceRange range, Real* eigenvalues) {
  const auto [slices, rows_per_slice, extent] = target.image;
  const AxisPhases z(g.support[0], slices);
  const AxisPhases y(g.support[1], rows_per_slice);
  const AxisPhases x(g.support[2], extent);
  const auto threads = static_cast<std::size_t>(ctx.threads());
  std::vector<RowOfMatrices> matrices(threads, RowOfMatrices(g, z, y, x));
  std::vector<MapVoxel<Real>> voxels(threads, MapVoxel<Real>(target.reference));
  const Index per_slice = target.image[1];
  const Index rows = range.count * per_slice;
  Index support = 0;
  ProgressStage stage(ctx, "ESPIRiT: maps", rows);
  for (Index first = 0; first < rows; first += rows_at_once) {
    const Index end = std::min(rows, first + rows_at_once);
    detail::RegionFailure failure;
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic) reduction(+ : support)
    for (Index row = first; row < end; ++row) {
      failure.run(row, [&] {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        matrices[thread].evaluate(range.first + row / per_slice, row % per_slice);
        support +=
            solve_row(matrices[thread], voxels[thread], threshold, row, rows * target.image[2], target, eigenvalues);
      });
    }
    failure.rethrow();
    stage.advance(end - first);
  }
  return support;
}

}  // namespace

void register_espirit_maps() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::espirit_maps<Real>.set(DeviceKind::cpu, espirit_maps<Real>);
  });
}

}  // namespace whorl::backend::cpu
