// The normal operator of a NUFFT as a convolution (Toeplitz embedding), on a CPU. Only the rows that hold pixels are
// stored; the other axes are transformed in cache.
#include <algorithm>

#include "backend/cpu/lines/coil_lines.hpp"
#include "backend/cpu/lines/padded_axes.hpp"
#include "kernels/padded_fft.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
class LineConvolution final : public kernels::Convolution<Real> {
 public:
  using Complex = std::complex<Real>;

  LineConvolution(const Context& ctx, const kernels::ConvolutionGeometry& geometry, const Real* spectrum)
      : axes_(geometry.image, geometry.grid, false),
        grid_(geometry.grid),
        last_(geometry.grid[0] > 1 ? 0 : 1),
        row_(padded_stride(geometry.grid[2])),
        spectrum_(ctx, {last_ == 1 ? 1 : geometry.grid[1], blocks(), geometry.grid[last_], block_lines}),
        ones_(static_cast<std::size_t>(geometry.image[2]), Real(1)) {
    const std::vector<std::int32_t>& order = axes_[last_].fft.order;
    Real* to = spectrum_.data();
    for (Index y = 0; y < spectrum_.extent(0); ++y) {
      for (Index block = 0; block < blocks(); ++block) {
        for (const std::int32_t place : order) {
          const Index line = last_ == 1 ? place : place * grid_[1] + y;
          for (Index x = block * block_lines; x < (block + 1) * block_lines; ++x) {
            *to++ = x < grid_[2] ? spectrum[line * grid_[2] + x] : Real(0);
          }
        }
      }
    }
  }

  void apply(const Context& ctx, const Complex* in, Complex* out, Index batch) const override {
    for_each_batch(ctx, batch, [&](Complex* work, Index first, Index count) {
      const Index offset = first * image_size();
      // The lines are read only.
      each_line_block(ctx, const_cast<Complex*>(in) + offset, work, count, forward());
      convolve(ctx, work, count);
      each_line_block(ctx, out + offset, work, count, adjoint());
    });
  }

  void apply_over_coils(const Context& ctx, const Complex* in, const Complex* maps, Complex* out, Index coils,
                        const kernels::CoilSum<Real>& sum) const override {
    for_each_batch(ctx, coils, [&](Complex* work, Index first, Index count) {
      const Index at_once = std::min(count, kernels::coils_together);
      const CoilLines<Real> lines(axes_, maps + first * image_size(), count, at_once);
      const auto line = [&](Complex* image, Index coil, Index row) {
        return PaddedLine<Real>{image, work + coil * grid_size() + row * row_, Real(1)};
      };
      lines.forward(ctx, in, line, forward());
      convolve(ctx, work, count);
      lines.adjoint(ctx, out, sum.first + first > 0, line, adjoint());
    });
  }

 private:
  Index blocks() const { return divide_up(grid_[2], block_lines); }
  Index image_size() const { return axes_.image()[0] * axes_.image()[1] * axes_.image()[2]; }
  // The rows that hold pixels.
  Index grid_size() const { return axes_.image()[0] * plane_size(); }

  template <class Work>
  void for_each_batch(const Context& ctx, Index batch, const Work& work) const {
    const Index grid_bytes = grid_size() * static_cast<Index>(sizeof(Complex));
    const Index at_once = convolution_grids(ctx, grid_bytes, batch);
    Array<Complex> rows(ctx, {at_once, grid_size()});
    for (Index first = 0; first < batch; first += at_once) {
      work(rows.data(), first, std::min(at_once, batch - first));
    }
  }

  auto forward() const {
    return [this](const auto* lines, Index count, Real* scratch) {
      forward_lines(axes_[2], ones_.data(), lines, count, 1, row_, scratch);
    };
  }

  auto adjoint() const {
    return [this](const auto* lines, Index count, Real* scratch) {
      adjoint_lines(axes_[2], ones_.data(), lines, count, 1, scratch);
    };
  }

  void convolve(const Context& ctx, Complex* work, Index batch) const {
    const Index planes = batch * axes_.image()[0];
    if (last_ == 1) {
      axes_.for_each(ctx, planes * blocks(), 8 * block_lines * grid_[1], [&](Index task, Real* scratch) {
        const Index block = task % blocks();
        convolve_columns(axes_[1], work + task / blocks() * plane_size() + block * block_lines, row_,
                         spectrum_block(0, block), scratch);
      });
    } else {
      const Index tasks = batch * blocks();
      const Index operations = 16 * block_lines * grid_[0] * grid_[1];
      const Index slab_size = axes_.image()[0] * slab_plane();
      Array<Complex> slabs(ctx, {threads_for(ctx, tasks * operations), slab_size});  // those of for_each
      axes_.for_each(ctx, tasks, operations, [&](Index task, Real* scratch) {
        const Index block = task % blocks();
        convolve_slab(work + task / blocks() * axes_.image()[0] * plane_size() + block * block_lines, block,
                      slabs.data() + omp_get_thread_num() * slab_size, scratch);
      });
    }
  }

  const Real* spectrum_block(Index y, Index block) const {
    return spectrum_.data() + (y * blocks() + block) * grid_[last_] * block_lines;
  }

  template <class Work>
  void each_line_block(const Context& ctx, Complex* images, Complex* work_grid, Index batch, const Work& work) const {
    const auto& image = axes_.image();
    const Index lines = batch * image[0] * image[1];
    axes_.for_each(ctx, divide_up(lines, block_lines), 4 * block_lines * grid_[2], [&](Index block, Real* scratch) {
      PaddedLine<Real> list[block_lines];
      Index count = 0;
      for_each_line(block, lines, image, [&](Index i, Index b, Index z, Index y) {
        list[i] = {images + (block * block_lines + i) * image[2],
                   work_grid + ((b * image[0] + z) * image[1] + y) * row_, Real(1)};
        count = i + 1;
      });
      work(list, count, scratch);
    });
  }

  Index plane_size() const { return axes_.image()[1] * row_; }
  Index slab_plane() const { return padded_stride(grid_[1] * block_lines); }

  // The columns along y and z through a block of lines. Their planes are copied to memory that stays in a cache; only
  // the copies have the padding along y.
  void convolve_slab(Complex* work, Index block, Complex* slab, Real* scratch) const {
    const auto [nz, ny, nx] = axes_.image();
    for (Index z = 0; z < nz; ++z) {
      Complex* const plane = slab + z * slab_plane();
      for (Index y = 0; y < ny; ++y) {
        std::copy_n(work + z * plane_size() + y * row_, block_lines, plane + y * block_lines);
      }
      forward_columns(axes_[1], plane, block_lines, scratch);
    }
    for (Index y = 0; y < grid_[1]; ++y) {
      convolve_columns(axes_[0], slab + y * block_lines, slab_plane(), spectrum_block(y, block), scratch);
    }
    for (Index z = 0; z < nz; ++z) {
      Complex* const plane = slab + z * slab_plane();
      adjoint_columns(axes_[1], plane, block_lines, scratch);
      for (Index y = 0; y < ny; ++y) {
        std::copy_n(plane + y * block_lines, block_lines, work + z * plane_size() + y * row_);
      }
    }
  }

  PaddedAxes<Real> axes_;
  std::array<Index, 3> grid_;
  std::size_t last_;  // the axis whose transform is multiplied by the spectrum: z in 3D, y in 2D
  Index row_;
  Array<Real> spectrum_;  // [y][block][place along the last axis][column]
  std::vector<Real> ones_;
};

template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_convolution(const Context& ctx,
                                                                   const kernels::ConvolutionGeometry& geometry,
                                                                   const Real* spectrum) {
  return std::make_shared<const LineConvolution<Real>>(ctx, geometry, spectrum);
}

}  // namespace

void register_convolution() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_convolution<Real>.set(DeviceKind::cpu, make_convolution<Real>);
  });
}

}  // namespace whorl::backend::cpu
