#include "backend/cpu/deapodize.hpp"

#include <algorithm>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// The pixel that a grid point holds, or -1 for a point of the padding.
Index pixel_of(Index point, Index pixels, Index points) {
  const Index half = pixels / 2;
  if (point < pixels - half) return point + half;
  if (point >= points - half) return point - (points - half);
  return -1;
}

Index point_of(Index pixel, Index pixels, Index points) {
  const Index half = pixels / 2;
  return pixel >= half ? pixel - half : points - half + pixel;
}

}  // namespace

template <class Real>
void pad_deapodize(const Context& ctx, const kernels::DeapodizeShape<Real>& shape, const std::complex<Real>* images,
                   std::complex<Real>* grids, Index batch) {
  const Index image_z = shape.image[0];
  const Index image_y = shape.image[1];
  const Index image_x = shape.image[2];
  const Index grid_z = shape.grid[0];
  const Index grid_y = shape.grid[1];
  const Index grid_x = shape.grid[2];
  const Index half = image_x / 2;
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, batch* grid_z* grid_y* grid_x))
  for (Index line = 0; line < batch * grid_z * grid_y; ++line) {
    std::complex<Real>* out = grids + line * grid_x;
    const Index y = pixel_of(line % grid_y, image_y, grid_y);
    const Index z = pixel_of(line / grid_y % grid_z, image_z, grid_z);
    if (y < 0 || z < 0) {
      std::fill(out, out + grid_x, std::complex<Real>(0));
      continue;
    }
    const Index b = line / (grid_y * grid_z);
    const std::complex<Real>* in = images + ((b * image_z + z) * image_y + y) * image_x;
    const Real factor = shape.factor[0][z] * shape.factor[1][y];
    const Real* factor_x = shape.factor[2];
    for (Index x = half; x < image_x; ++x) out[x - half] = in[x] * (factor * factor_x[x]);
    std::fill(out + (image_x - half), out + (grid_x - half), std::complex<Real>(0));
    for (Index x = 0; x < half; ++x) out[grid_x - half + x] = in[x] * (factor * factor_x[x]);
  }
}

template <class Real>
void crop_deapodize(const Context& ctx, const kernels::DeapodizeShape<Real>& shape, const std::complex<Real>* grids,
                    std::complex<Real>* images, Index batch) {
  const Index image_z = shape.image[0];
  const Index image_y = shape.image[1];
  const Index image_x = shape.image[2];
  const Index half = image_x / 2;
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, batch* image_z* image_y* image_x))
  for (Index line = 0; line < batch * image_z * image_y; ++line) {
    const Index y = line % image_y;
    const Index z = line / image_y % image_z;
    const Index b = line / (image_y * image_z);
    const Index gy = point_of(y, image_y, shape.grid[1]);
    const Index gz = point_of(z, image_z, shape.grid[0]);
    const std::complex<Real>* in = grids + ((b * shape.grid[0] + gz) * shape.grid[1] + gy) * shape.grid[2];
    std::complex<Real>* out = images + line * image_x;
    const Real factor = shape.factor[0][z] * shape.factor[1][y];
    const Real* factor_x = shape.factor[2];
    for (Index x = half; x < image_x; ++x) out[x] = in[x - half] * (factor * factor_x[x]);
    for (Index x = 0; x < half; ++x) out[x] = in[shape.grid[2] - half + x] * (factor * factor_x[x]);
  }
}

#define WHORL_INSTANTIATE(Real)                                                                                 \
  template void pad_deapodize(const Context&, const kernels::DeapodizeShape<Real>&, const std::complex<Real>*,  \
                              std::complex<Real>*, Index);                                                      \
  template void crop_deapodize(const Context&, const kernels::DeapodizeShape<Real>&, const std::complex<Real>*, \
                               std::complex<Real>*, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
