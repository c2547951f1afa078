#include "filter/src/filters/windows/large_kernel.hpp"

#include "filter/src/filters/geometry/frame_job.hpp"
#include "filter/src/kernels/points/wide_complex.hpp"
#include "kernels/modulate.hpp"
#include "whorl/math/fft.hpp"

namespace whorl::filters {

namespace {

using Spectral = std::complex<double>;

// A slice with its border, which begins `left` and `top` pixels before the first pixel; padded to a fast size, whose
// end is not read.
kernels::FrameJob<float> padded(const ImageFormat& slice, const kernels::Stencil& stencil) {
  kernels::FrameJob<float> job =
      frame_job<float>(slice, {0, slice.height}, next_fast_even(slice.height + stencil.height - 1),
                       next_fast_even(slice.width + stencil.width - 1));
  job.top = -(stencil.height / 2);
  job.left = -(stencil.width / 2);
  job.border = stencil.border;
  job.value = static_cast<float>(stencil.border_value);
  return job;
}

// Channels are interleaved: the kernel is the same, with a step of that many numbers.
Array<Spectral> spectrum_of(const Context& ctx, const kernels::Stencil& stencil, const FftPlan<double>& plan,
                            const Shape& grid, Index channels) {
  Array<Spectral> kernel = zeros<Spectral>(ctx.host(), grid);
  // Half, because the result is added to itself when it is stored.
  const double scale = stencil.scale / (2 * static_cast<double>(grid.size()));
  for (Index y = 0; y < stencil.height; ++y) {
    for (Index x = 0; x < stencil.width; ++x) {
      const float value = stencil.reals[static_cast<std::size_t>(y * stencil.width + x)];
      kernel.data()[y * grid[1] + x * channels] = scale * static_cast<double>(value);
    }
  }
  Array<Spectral> spectrum = clone(ctx, kernel.ref());
  plan.execute(ctx, FftDirection::forward, spectrum.data(), 1);
  return spectrum;
}

}  // namespace

bool is_transformed(const kernels::Stencil& stencil, PixelType type) {
  return type == PixelType::float32 && stencil.width * stencil.height >= transformed_taps &&
         stencil.real_column.empty() && !stencil.absolute && stencil.offset == 0;
}

void correlate_by_transform(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                            const float* from, float* to) {
  ImageFormat slice = format;
  slice.volumes = slice.depth = 1;
  const kernels::FrameJob<float> around = padded(slice, stencil);
  const Shape grid{around.result_height, around.result_width * around.channels};
  const auto plan = make_fft_plan<double>(ctx, grid);
  const Array<Spectral> spectrum = spectrum_of(ctx, stencil, *plan, grid, around.channels);
  ImageFormat framed = slice;
  framed.height = around.result_height;
  framed.width = around.result_width;
  const auto inside = frame_job<float>(framed, {0, framed.height}, format.height, format.width);
  Array<float> numbers(ctx, grid);
  Array<Spectral> wide(ctx, grid);
  const Index numbers_of_slice = slice.shape().size();
  for (Index i = 0; i < format.slices(); ++i) {
    kernels::frame<float>(ctx, around, from + i * numbers_of_slice, numbers.data());
    kernels::widen<float>(ctx, grid.size(), false, numbers.data(), wide.data());
    plan->execute(ctx, FftDirection::forward, wide.data(), 1);
    kernels::modulate<double>(ctx, kernels::Factor::conjugate, 1, grid.size(), spectrum.data(), wide.data(),
                              wide.data());
    plan->execute(ctx, FftDirection::inverse, wide.data(), 1);
    kernels::narrow<float>(ctx, grid.size(), false, wide.data(), wide.data(), numbers.data());
    kernels::frame<float>(ctx, inside, numbers.data(), to + i * numbers_of_slice);
  }
}

}  // namespace whorl::filters
