#include "backend/cpu/padded_fft.hpp"

#include "backend/cpu/padded_axes.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
class LinePaddedFft final : public kernels::PaddedFft<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit LinePaddedFft(const kernels::PaddedFftGeometry<Real>& geometry)
      : axes_(geometry.image, geometry.grid, true), factor_(geometry.factor) {
    auto& layout = this->layout_;
    layout.extent = geometry.grid;
    layout.row = padded_stride(geometry.grid[2]);
    layout.plane = padded_stride(layout.row * geometry.grid[1]);
  }

  void forward(const Context& ctx, const Complex* images, Complex* grids, Index batch) const override {
    // The lines are read only.
    each_line_block(ctx, const_cast<Complex*>(images), grids, batch,
                    [&](const auto* lines, Index count, Real* scratch) {
                      forward_lines(axes_[2], factor_[2].data(), lines, count, this->layout_.row, scratch);
                    });
    each_y_block(ctx, grids, batch,
                 [&](Complex* data, Real* scratch) { forward_columns(axes_[1], data, this->layout_.row, scratch); });
    each_z_block(ctx, grids, batch,
                 [&](Complex* data, Real* scratch) { forward_columns(axes_[0], data, this->layout_.plane, scratch); });
  }

  void adjoint(const Context& ctx, Complex* grids, Complex* images, Index batch) const override {
    each_z_block(ctx, grids, batch,
                 [&](Complex* data, Real* scratch) { adjoint_columns(axes_[0], data, this->layout_.plane, scratch); });
    each_y_block(ctx, grids, batch,
                 [&](Complex* data, Real* scratch) { adjoint_columns(axes_[1], data, this->layout_.row, scratch); });
    each_line_block(ctx, images, grids, batch, [&](const auto* lines, Index count, Real* scratch) {
      adjoint_lines(axes_[2], factor_[2].data(), lines, count, scratch);
    });
  }

 private:
  template <class Work>
  void each_line_block(const Context& ctx, Complex* images, Complex* grids, Index batch, const Work& work) const {
    const auto& image = axes_.image();
    const auto& layout = this->layout_;
    const Index lines = batch * image[0] * image[1];
    axes_.for_each(
        ctx, (lines + block_lines - 1) / block_lines, 4 * block_lines * layout.extent[2],
        [&](Index block, Real* scratch) {
          PaddedLine<Real> list[block_lines];
          Index count = 0;
          for_each_line(block, lines, image, [&](Index i, Index b, Index z, Index y) {
            list[i] = {images + (block * block_lines + i) * image[2],
                       grids + b * layout.size() + axes_.point(0, z) * layout.plane + axes_.point(1, y) * layout.row,
                       factor_[0][static_cast<std::size_t>(z)] * factor_[1][static_cast<std::size_t>(y)]};
            count = i + 1;
          });
          work(list, count, scratch);
        });
  }

  // Columns along y of the planes that hold pixels.
  template <class Work>
  void each_y_block(const Context& ctx, Complex* grids, Index batch, const Work& work) const {
    const auto& layout = this->layout_;
    if (layout.extent[1] == 1) return;
    const Index blocks = (layout.extent[2] + block_lines - 1) / block_lines;
    const Index planes = axes_.image()[0];
    axes_.for_each(ctx, batch * planes * blocks, 4 * block_lines * layout.extent[1], [&](Index task, Real* scratch) {
      const Index plane = task / blocks;
      work(grids + plane / planes * layout.size() + axes_.point(0, plane % planes) * layout.plane +
               task % blocks * block_lines,
           scratch);
    });
  }

  // Columns along z of every row.
  template <class Work>
  void each_z_block(const Context& ctx, Complex* grids, Index batch, const Work& work) const {
    const auto& layout = this->layout_;
    if (layout.extent[0] == 1) return;
    const Index blocks = (layout.extent[2] + block_lines - 1) / block_lines;
    axes_.for_each(ctx, batch * layout.extent[1] * blocks, 4 * block_lines * layout.extent[0],
                   [&](Index task, Real* scratch) {
                     const Index row = task / blocks;
                     work(grids + row / layout.extent[1] * layout.size() + row % layout.extent[1] * layout.row +
                              task % blocks * block_lines,
                          scratch);
                   });
  }

  PaddedAxes<Real> axes_;
  std::array<std::vector<Real>, 3> factor_;
};

}  // namespace

template <class Real>
std::shared_ptr<const kernels::PaddedFft<Real>> make_padded_fft(const Context& /*ctx*/,
                                                                const kernels::PaddedFftGeometry<Real>& geometry) {
  return std::make_shared<const LinePaddedFft<Real>>(geometry);
}

template std::shared_ptr<const kernels::PaddedFft<float>> make_padded_fft(const Context&,
                                                                          const kernels::PaddedFftGeometry<float>&);
template std::shared_ptr<const kernels::PaddedFft<double>> make_padded_fft(const Context&,
                                                                           const kernels::PaddedFftGeometry<double>&);

}  // namespace whorl::backend::cpu
