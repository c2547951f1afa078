// Transforms of padded images by passes over lines: the entry of this folder. Which code takes which input, and why:
//
//   lines along x                   forward_lines, adjoint_lines   points of a line are turned into lanes
//   columns along y and z           forward_columns, ...           neighboring columns are lanes already
//   images of all coils             padded_fft.cpp                 the grids of several coils are interleaved
//   one image and its coil maps     coil_lines.hpp                 no coil image is stored
//   the normal operator of a NUFFT  convolution.cpp                only the rows that hold pixels are stored
//
// padded_lines_hwy.cpp has the passes, line_fft.cpp and line_fft-inl.hpp the transform of a line.
#include "kernels/padded_fft.hpp"

#include "backend/cpu/lines/coil_lines.hpp"
#include "backend/cpu/lines/padded_axes.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

kernels::GridLayout layout_of(const std::array<Index, 3>& grid) {
  const Index row = padded_stride(grid[2]);
  return {grid, row, padded_stride(row * grid[1]), kernels::coils_together};
}

template <class Real>
class LinePaddedFft final : public kernels::PaddedFft<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit LinePaddedFft(const kernels::PaddedFftGeometry<Real>& geometry)
      : axes_(geometry.image, geometry.grid, true), factor_(geometry.factor) {
    this->layout_ = layout_of(geometry.grid);
  }

  void forward(const Context& ctx, const Complex* images, Complex* grids, Index batch) const override {
    // The lines are read only.
    each_kind(const_cast<Complex*>(images), grids, batch, [&](const Batch& part) {
      each_line_block(ctx, part, [&](const auto* lines, Index count, Real* scratch) {
        forward_lines(axes_[2], factor_[2].data(), lines, count, part.together, this->layout_.row, scratch);
      });
      forward_all_columns(ctx, part);
    });
  }

  void adjoint(const Context& ctx, Complex* grids, Complex* images, Index batch) const override {
    each_kind(images, grids, batch, [&](const Batch& part) {
      adjoint_all_columns(ctx, part);
      each_line_block(ctx, part, [&](const auto* lines, Index count, Real* scratch) {
        adjoint_lines(axes_[2], factor_[2].data(), lines, count, part.together, scratch);
      });
    });
  }

  void forward_of_coils(const Context& ctx, const Complex* image, const Complex* maps, Complex* grids,
                        Index batch) const override {
    // The maps are read only.
    each_kind(const_cast<Complex*>(maps), grids, batch, [&](const Batch& part) {
      coil_lines(part).forward(ctx, image, line_of(part), [&](const auto* lines, Index count, Real* scratch) {
        forward_lines(axes_[2], factor_[2].data(), lines, count, part.together, this->layout_.row, scratch);
      });
      forward_all_columns(ctx, part);
    });
  }

  void adjoint_of_coils(const Context& ctx, Complex* grids, const Complex* maps, Complex* image, Index batch,
                        const kernels::CoilSum<Real>& sum) const override {
    bool begun = sum.first > 0;
    // The maps are read only.
    each_kind(const_cast<Complex*>(maps), grids, batch, [&](const Batch& part) {
      adjoint_all_columns(ctx, part);
      coil_lines(part).adjoint(ctx, image, begun, line_of(part), [&](const auto* lines, Index count, Real* scratch) {
        adjoint_lines(axes_[2], factor_[2].data(), lines, count, part.together, scratch);
      });
      begun = true;
    });
  }

 private:
  // Groups of coils whose grids are interleaved, or single coils as groups of one. If all coils share one image,
  // `images` are their maps.
  struct Batch {
    Complex* images;
    Complex* grids;
    Index groups;
    Index together;
  };

  template <class Work>
  void each_kind(Complex* images, Complex* grids, Index batch, const Work& work) const {
    const auto& image = axes_.image();
    const auto& layout = this->layout_;
    const Index joined = layout.together == 1 ? 0 : batch / layout.together;
    const Index first = joined * layout.together;
    if (joined > 0) work(Batch{images, grids, joined, layout.together});
    if (first < batch) {
      work(Batch{images + first * image[0] * image[1] * image[2], grids + first * layout.size(), batch - first, 1});
    }
  }

  // The line of a coil of the batch, for the place of its image.
  auto line_of(const Batch& part) const {
    return [this, &part](Complex* image, Index coil, Index row) {
      const auto& layout = this->layout_;
      const Index z = row / axes_.image()[1];
      const Index y = row % axes_.image()[1];
      const Index point =
          coil / part.together * layout.size() + axes_.point(0, z) * layout.plane + axes_.point(1, y) * layout.row;
      return PaddedLine<Real>{image, part.grids + coil % part.together + part.together * point,
                              factor_[0][static_cast<std::size_t>(z)] * factor_[1][static_cast<std::size_t>(y)]};
    };
  }

  CoilLines<Real> coil_lines(const Batch& part) const {
    const Index coils = part.groups * part.together;
    return {axes_, part.images, coils, std::min(coils, kernels::coils_together)};
  }

  void forward_all_columns(const Context& ctx, const Batch& part) const {
    each_y_block(ctx, part,
                 [&](Complex* data, Index stride, Real* scratch) { forward_columns(axes_[1], data, stride, scratch); });
    each_z_block(ctx, part,
                 [&](Complex* data, Index stride, Real* scratch) { forward_columns(axes_[0], data, stride, scratch); });
  }

  void adjoint_all_columns(const Context& ctx, const Batch& part) const {
    each_z_block(ctx, part,
                 [&](Complex* data, Index stride, Real* scratch) { adjoint_columns(axes_[0], data, stride, scratch); });
    each_y_block(ctx, part,
                 [&](Complex* data, Index stride, Real* scratch) { adjoint_columns(axes_[1], data, stride, scratch); });
  }

  // Lines in the order [group][z][y][coil].
  template <class Work>
  void each_line_block(const Context& ctx, const Batch& part, const Work& work) const {
    const Index nx = axes_.image()[2];
    const Index rows = axes_.image()[0] * axes_.image()[1];
    const auto& layout = this->layout_;
    const Index lines = part.groups * rows * part.together;
    const auto line = line_of(part);
    axes_.for_each(ctx, divide_up(lines, block_lines), 4 * block_lines * layout.extent[2],
                   [&](Index block, Real* scratch) {
                     PaddedLine<Real> list[block_lines];
                     const Index first = block * block_lines;
                     const Index count = std::min(block_lines, lines - first);
                     for (Index i = 0; i < count; ++i) {
                       const Index lane = (first + i) % part.together;
                       const Index row = (first + i) / part.together;
                       const Index coil = row / rows * part.together + lane;
                       list[i] = line(part.images + (coil * rows + row % rows) * nx, coil, row % rows);
                     }
                     work(list, count, scratch);
                   });
  }

  // Blocks of columns, of all coils that are interleaved.
  Index column_blocks(Index together) const { return divide_up(this->layout_.extent[2] * together, block_lines); }

  // Columns along y of the planes that hold pixels.
  template <class Work>
  void each_y_block(const Context& ctx, const Batch& part, const Work& work) const {
    const auto& layout = this->layout_;
    if (layout.extent[1] == 1) return;
    const Index blocks = column_blocks(part.together);
    const Index planes = axes_.image()[0];
    axes_.for_each(
        ctx, part.groups * planes * blocks, 4 * block_lines * layout.extent[1], [&](Index task, Real* scratch) {
          const Index plane = task / blocks;
          const Index point = plane / planes * layout.size() + axes_.point(0, plane % planes) * layout.plane;
          work(part.grids + part.together * point + task % blocks * block_lines, part.together * layout.row, scratch);
        });
  }

  // Columns along z of every row.
  template <class Work>
  void each_z_block(const Context& ctx, const Batch& part, const Work& work) const {
    const auto& layout = this->layout_;
    if (layout.extent[0] == 1) return;
    const Index blocks = column_blocks(part.together);
    axes_.for_each(ctx, part.groups * layout.extent[1] * blocks, 4 * block_lines * layout.extent[0],
                   [&](Index task, Real* scratch) {
                     const Index row = task / blocks;
                     const Index point = row / layout.extent[1] * layout.size() + row % layout.extent[1] * layout.row;
                     work(part.grids + part.together * point + task % blocks * block_lines,
                          part.together * layout.plane, scratch);
                   });
  }

  PaddedAxes<Real> axes_;
  std::array<std::vector<Real>, 3> factor_;
};

template <class Real>
std::shared_ptr<const kernels::PaddedFft<Real>> make_padded_fft(const Context& /*ctx*/,
                                                                const kernels::PaddedFftGeometry<Real>& geometry) {
  return std::make_shared<const LinePaddedFft<Real>>(geometry);
}

}  // namespace

void register_padded_fft() {
  kernels::padded_layout.set(DeviceKind::cpu,
                             [](const Context&, const std::array<Index, 3>& grid, Index) { return layout_of(grid); });
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_padded_fft<Real>.set(DeviceKind::cpu, make_padded_fft<Real>);
  });
}

}  // namespace whorl::backend::cpu
