// Covariances of the coils over a block around every voxel, and their eigenvectors, on a CPU.
#include <omp.h>

#include <algorithm>
#include <vector>

#include "backend/cpu/coils/map_voxel.hpp"
#include "core/parallel.hpp"
#include "kernels/coil_maps.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index walsh_rows_at_once = 64;  // between two reports of progress

// The neighborhood of a voxel along one axis, cut at the edge.
struct Range {
  Index first;
  Index end;

  Range(Index center, Index block, Index extent)
      : first(std::max<Index>(0, center - block / 2)), end(std::min(extent, center + block / 2 + 1)) {}
};

// Covariances over the part of the neighborhood that lies in the plane of constant x, for all x of a row: sum over z
// and y of x_c conj(x_d), c >= d, [x, pair].
template <class Real>
class RowOfColumns {
 public:
  RowOfColumns(const View<const std::complex<Real>, 4>& images, Index block)
      : images_(images), block_(block), pairs_(images.extent(0) * (images.extent(0) + 1) / 2) {
    sums_.resize(static_cast<std::size_t>(pairs_ * images.extent(3)));
    voxel_.resize(static_cast<std::size_t>(images.extent(0)));
  }

  void evaluate(Index z, Index y) {
    std::fill(sums_.begin(), sums_.end(), std::complex<Real>(0));
    const Range along_z(z, block_, images_.extent(1));
    const Range along_y(y, block_, images_.extent(2));
    for (Index near_z = along_z.first; near_z < along_z.end; ++near_z) {
      for (Index near_y = along_y.first; near_y < along_y.end; ++near_y) {
        for (Index x = 0; x < images_.extent(3); ++x) add_voxel(near_z, near_y, x);
      }
    }
  }

  // The sum over the whole neighborhood of the voxel at x, to the lower triangle of a matrix.
  void sum_along_x(Index x, detail::Matrix<Real>& matrix) const {
    matrix.setZero();
    const Range along_x(x, block_, images_.extent(3));
    for (Index near = along_x.first; near < along_x.end; ++near) {
      const std::complex<Real>* sum = sums_.data() + near * pairs_;
      for (Index c = 0; c < images_.extent(0); ++c) {
        for (Index d = 0; d <= c; ++d) matrix(c, d) += *sum++;
      }
    }
  }

 private:
  void add_voxel(Index z, Index y, Index x) {
    for (Index c = 0; c < images_.extent(0); ++c) voxel_[static_cast<std::size_t>(c)] = images_(c, z, y, x);
    std::complex<Real>* sum = sums_.data() + x * pairs_;
    for (Index c = 0; c < images_.extent(0); ++c) {
      const std::complex<Real> a = voxel_[static_cast<std::size_t>(c)];
      for (Index d = 0; d <= c; ++d) {
        // Written out, because operator* of complex numbers checks for infinities, which were refused before.
        const std::complex<Real> b = voxel_[static_cast<std::size_t>(d)];
        *sum++ +=
            std::complex<Real>(a.real() * b.real() + a.imag() * b.imag(), a.imag() * b.real() - a.real() * b.imag());
      }
    }
  }

  View<const std::complex<Real>, 4> images_;  // [coil, z, y, x]
  Index block_;
  Index pairs_;
  std::vector<std::complex<Real>> sums_;
  std::vector<std::complex<Real>> voxel_;
};

template <class Real>
Index walsh_maps(const Context& ctx, const kernels::WalshImages<Real>& images, Index block,
                 const kernels::MapTarget<Real>& target) {
  const auto coils = static_cast<Index>(target.reference.size());
  const Index rows_per_slice = target.image[1];
  const Index extent = target.image[2];
  const Index rows = target.image[0] * rows_per_slice;
  const Index voxels = rows * extent;
  std::fill(target.maps, target.maps + coils * voxels, std::complex<Real>(0));
  const View<const std::complex<Real>, 4> view(images.data,
                                               {coils, images.extent[0], images.extent[1], images.extent[2]});
  const auto threads = static_cast<std::size_t>(ctx.threads());
  std::vector<RowOfColumns<Real>> columns(threads, RowOfColumns<Real>(view, block));
  std::vector<MapVoxel<Real>> solvers(threads, MapVoxel<Real>(target.reference));
  Index support = 0;
  ProgressStage stage(ctx, "Walsh: maps", rows);
  for (Index first = 0; first < rows; first += walsh_rows_at_once) {
    const Index end = std::min(rows, first + walsh_rows_at_once);
    detail::RegionFailure failure;
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic) reduction(+ : support)
    for (Index row = first; row < end; ++row) {
      failure.run(row, [&] {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        MapVoxel<Real>& solver = solvers[thread];
        columns[thread].evaluate(images.first[0] + row / rows_per_slice, images.first[1] + row % rows_per_slice);
        for (Index x = 0; x < extent; ++x) {
          columns[thread].sum_along_x(x, solver.matrix());
          if (!(solver.compute() > 0)) continue;
          ++support;
          for (Index c = 0; c < coils; ++c) target.maps[c * voxels + row * extent + x] = solver.vector()(c);
        }
      });
    }
    failure.rethrow();
    stage.advance(end - first);
  }
  return support;
}

// The sums of each thread are not in the pool.
Index walsh_memory(const Context&, Index, const std::array<Index, 3>&, Index, Index) { return 0; }

}  // namespace

void register_walsh_maps() {
  kernels::walsh_memory.set(DeviceKind::cpu, walsh_memory);
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::walsh_maps<Real>.set(DeviceKind::cpu, walsh_maps<Real>);
  });
}

}  // namespace whorl::backend::cpu
