#include "studies/gridding_2d/image_passes.hpp"

namespace whorl::studies::gridding_2d {

void join_parts(const Context& ctx, ArrayRef<const float> parts, ArrayRef<std::complex<float>> grid) {
  if (ctx.device().kind == DeviceKind::cuda) return join_parts_on_gpu(ctx, parts, grid);
  const float* const real = parts.data();
  const float* const imag = real + grid.size();
  std::complex<float>* const to = grid.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < grid.size(); ++i) to[i] = {real[i], imag[i]};
}

void cut_image(const Context& ctx, const Cut& cut) {
  if (ctx.device().kind == DeviceKind::cuda) return cut_image_on_gpu(ctx, cut);
  const auto from = cut.grid.view<2>();
  const auto to = cut.image.view<2>();
  const auto rows = static_cast<int>(cut.image.extent(0));
  const auto columns = static_cast<int>(cut.image.extent(1));
  const auto extent_y = static_cast<int>(cut.grid.extent(0));
  const auto extent_x = static_cast<int>(cut.grid.extent(1));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      to(y, x) = cut.rows.data()[y] * cut.columns.data()[x] *
                 from(wrapped(y - rows / 2, extent_y), wrapped(x - columns / 2, extent_x));
    }
  }
}

}  // namespace whorl::studies::gridding_2d
