// The parts of Canny on a GPU: what launches their kernels.
#pragma once

#include <span>

#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/canny/edges.cuh"
#include "studies/image_filters/canny/marks.cuh"
#include "studies/image_filters/canny/slopes.cuh"
#include "studies/image_filters/gpu_launch.cuh"

namespace whorl::studies::image_filters::gpu {

inline Size size_of(const Job& job) { return {job.height, job.width}; }
inline Shape shape_of(const Job& job) { return {job.height, job.width}; }

/// Launches a kernel with a thread for each pixel, of a picture with a frame where there is one.
template <class... Parameters, class... Arguments>
void launch(const Context& ctx, void (*kernel)(Parameters...), const Size& size, Arguments... arguments) {
  kernel<<<pixel_grid(size.width, size.height), pixel_block, 0, stream_of(ctx)>>>(arguments...);
  check_launch("canny");
}

/// A thread for each of `count` pixels.
template <class... Parameters, class... Arguments>
void launch_flat(const Context& ctx, void (*kernel)(unsigned, Parameters...), unsigned count, Arguments... arguments) {
  constexpr unsigned threads = 256;
  kernel<<<blocks_for(count, threads), threads, 0, stream_of(ctx)>>>(count, arguments...);
  check_launch("canny");
}

/// The window's weights on the device.
template <class Real>
Array<Real> window_on(const Context& ctx) {
  const std::array<double, 25> window = canny_window();
  const std::vector<Real> weights(window.begin(), window.end());
  return backend::cuda::upload(ctx, std::span<const Real>(weights));
}

inline Array<Byte> light(const Context& ctx, const Job& job) {
  Array<Byte> gray(ctx, shape_of(job));
  launch(ctx, take_light, size_of(job), job, gray.data());
  return gray;
}

template <class T, bool torus>
Array<T> framed(const Context& ctx, const Array<T>& from, int frame) {
  const Size size{static_cast<int>(from.extent(0)), static_cast<int>(from.extent(1))};
  const Size whole{size.height + 2 * frame, size.width + 2 * frame};
  Array<T> to(ctx, {whole.height, whole.width});
  launch(ctx, add_frame<T, torus>, whole, size, from.data(), frame, to.data());
  return to;
}

template <class Real>
Array<Byte> tested_smooth(const Context& ctx, const Job& job, const Array<Real>& weights) {
  const Array<Byte> gray = light(ctx, job);
  Array<Byte> smoothed(ctx, shape_of(job));
  launch(ctx, smooth_with_tests<Real>, size_of(job), size_of(job), gray.data(), weights.data(), smoothed.data());
  return smoothed;
}

template <class Real>
Slopes<Real> tested_slopes(const Context& ctx, const Job& job, const Array<Byte>& smoothed) {
  Slopes<Real> slopes{Array<Real>(ctx, shape_of(job)), Array<Real>(ctx, shape_of(job))};
  launch(ctx, slopes_with_tests<Real>, size_of(job), size_of(job), smoothed.data(), slopes.length.data(),
         slopes.angle.data());
  return slopes;
}

inline Array<Byte> smooth_on_frame(const Context& ctx, const Job& job, const Array<float>& weights) {
  backend::cuda::check(cudaMemcpyToSymbolAsync(constant_window, weights.data(), sizeof(constant_window), 0,
                                               cudaMemcpyDeviceToDevice, stream_of(ctx)),
                       "cudaMemcpyToSymbolAsync");
  const Array<Byte> gray = framed<Byte, true>(ctx, light(ctx, job), 2);
  Array<Byte> smoothed(ctx, shape_of(job));
  launch(ctx, smooth_padded, size_of(job), size_of(job), gray.data(), smoothed.data());
  return smoothed;
}

inline Slopes<float> slopes_on_frame(const Context& ctx, const Job& job, const Array<Byte>& smoothed) {
  const Array<Byte> around = framed<Byte, true>(ctx, smoothed, 1);
  Slopes<float> slopes{Array<float>(ctx, shape_of(job)), Array<float>(ctx, shape_of(job))};
  launch(ctx, slopes_padded, size_of(job), size_of(job), around.data(), slopes.length.data(), slopes.angle.data());
  return slopes;
}

/// Lengths with a frame of zeros, and directions.
struct Sectors {
  Array<float> length;
  Array<Byte> direction;
};

inline Sectors sectors_of(const Context& ctx, const Job& job, const Array<Byte>& smoothed) {
  const Array<Byte> around = framed<Byte, true>(ctx, smoothed, 1);
  Sectors sectors{zeros<float>(ctx, {Index{job.height} + 2, Index{job.width} + 2}), Array<Byte>(ctx, shape_of(job))};
  launch(ctx, slopes_and_directions, size_of(job), size_of(job), around.data(), sectors.length.data(),
         sectors.direction.data());
  return sectors;
}

template <class Real>
void branches(const Context& ctx, const Job& job, const Slopes<Real>& slopes, Byte* marks) {
  launch(ctx, thin_by_branches<Real>, size_of(job), size_of(job), slopes.length.data(), slopes.angle.data(), marks);
}

using TableKernel = void (*)(Size, const float*, const float*, Byte*);

inline void table(const Context& ctx, const Job& job, TableKernel kernel, const Slopes<float>& slopes, Byte* marks) {
  const Array<float> length = framed<float, false>(ctx, slopes.length, 1);
  launch(ctx, kernel, size_of(job), size_of(job), length.data(), slopes.angle.data(), marks);
}

inline void by_sectors(const Context& ctx, const Job& job, const Sectors& sectors, Byte* marks) {
  launch(ctx, thin_by_directions, size_of(job), size_of(job), sectors.length.data(), sectors.direction.data(), marks);
}

inline void once(const Context& ctx, const Job& job, const Array<Byte>& marks) {
  launch(ctx, one_pass, size_of(job), size_of(job), marks.data(), job.to);
}

template <class Number>
void division(const Context& ctx, const Job& job, const Array<Byte>& marks) {
  const Array<Byte> around = framed<Byte, false>(ctx, marks, 1);
  launch(ctx, one_pass_by_division<Number>, size_of(job), size_of(job), around.data(), job.to);
}

inline void components(const Context& ctx, const Job& job, const Array<Byte>& marks) {
  const auto pixels = static_cast<unsigned>(pixels_of(job));
  Array<unsigned> parent(ctx, marks.shape());
  Array<Byte> chosen = zeros<Byte>(ctx, marks.shape());
  launch_flat(ctx, plant, pixels, parent.data());
  launch(ctx, connect, size_of(job), size_of(job), marks.data(), parent.data());
  launch_flat(ctx, choose, pixels, marks.data(), parent.data(), chosen.data());
  launch_flat(ctx, keep_chosen, pixels, marks.data(), parent.data(), chosen.data(), job.to);
}

}  // namespace whorl::studies::image_filters::gpu
