// Runs the versions of a correlation on a GPU.
#include <memory>
#include <span>

#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/convolution/tiles.cuh"
#include "studies/image_filters/gpu_launch.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::studies::image_filters {

namespace {

static_assert(block_width == pixel_block.x && block_height == pixel_block.y);

/// A window's weights on the device, in both precisions.
struct Weights {
  int radius;
  Array<double> exact;
  Array<float> rounded;
  Array<float> line;
};

std::shared_ptr<const Weights> weights_of(const Context& ctx, const Window& window) {
  const std::vector<float> rounded(window.weights.begin(), window.weights.end());
  const std::vector<float> line(window.line.begin(), window.line.end());
  return std::make_shared<Weights>(
      Weights{window.radius, backend::cuda::upload(ctx, std::span<const double>(window.weights)),
              backend::cuda::upload(ctx, std::span<const float>(rounded)),
              line.empty() ? Array<float>() : backend::cuda::upload(ctx, std::span<const float>(line))});
}

void to_constant_memory(const Context& ctx, const Array<float>& weights) {
  backend::cuda::check(cudaMemcpyToSymbolAsync(constant_weights, weights.data(),
                                               static_cast<std::size_t>(weights.size()) * sizeof(float), 0,
                                               cudaMemcpyDeviceToDevice, stream_of(ctx)),
                       "cudaMemcpyToSymbolAsync");
}

Array<uchar4> padded_picture(const Context& ctx, const Job& job, int frame) {
  Array<uchar4> padded(ctx, {Index{job.height} + 2 * frame, Index{job.width} + 2 * frame});
  pad_picture<<<pixel_grid(job.width + 2 * frame, job.height + 2 * frame), pixel_block, 0, stream_of(ctx)>>>(
      job, frame, padded.data());
  check_launch("pad_picture");
  return padded;
}

void run_double(const Context& ctx, const Job& job, const Weights& weights) {
  with_edge_tests<double><<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(
      job, weights.exact.data(), weights.radius);
  check_launch("with_edge_tests");
}

void run_float(const Context& ctx, const Job& job, const Weights& weights) {
  with_edge_tests<float><<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(
      job, weights.rounded.data(), weights.radius);
  check_launch("with_edge_tests");
}

void run_padded(const Context& ctx, const Job& job, const Weights& weights) {
  const Array<uchar4> padded = padded_picture(ctx, job, weights.radius);
  on_padded<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(
      job, padded.data(), weights.rounded.data(), weights.radius);
  check_launch("on_padded");
}

void run_constant(const Context& ctx, const Job& job, const Weights& weights) {
  to_constant_memory(ctx, weights.rounded);
  const Array<uchar4> padded = padded_picture(ctx, job, weights.radius);
  with_constant_weights<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, padded.data(),
                                                                                               weights.radius);
  check_launch("with_constant_weights");
}

std::size_t tile_bytes(int radius, int rows) {
  return static_cast<std::size_t>((block_width + 2 * radius) * (rows + 2 * radius)) * sizeof(uchar4);
}

void run_shared(const Context& ctx, const Job& job, const Weights& weights) {
  to_constant_memory(ctx, weights.rounded);
  with_shared_tile<<<pixel_grid(job.width, job.height), pixel_block, tile_bytes(weights.radius, block_height),
                     stream_of(ctx)>>>(job, weights.radius);
  check_launch("with_shared_tile");
}

void run_four(const Context& ctx, const Job& job, const Weights& weights) {
  to_constant_memory(ctx, weights.rounded);
  const int rows = divide_up(job.height, rows_of_thread);
  const std::size_t tile = tile_bytes(weights.radius, rows_of_thread * block_height);
  four_pixels_a_thread<<<pixel_grid(job.width, rows), pixel_block, tile, stream_of(ctx)>>>(job, weights.radius);
  check_launch("four_pixels_a_thread");
}

void run_separable(const Context& ctx, const Job& job, const Weights& weights) {
  to_constant_memory(ctx, weights.line);
  const int height = job.height + 2 * weights.radius;
  const Array<uchar4> padded = padded_picture(ctx, job, weights.radius);
  Array<float4> between(ctx, {height, job.width});
  along_rows<<<pixel_grid(job.width, height), pixel_block, 0, stream_of(ctx)>>>(job, padded.data(), weights.radius,
                                                                                between.data());
  check_launch("along_rows");
  along_columns<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, between.data(),
                                                                                       weights.radius);
  check_launch("along_columns");
}

using Run = void (*)(const Context&, const Job&, const Weights&);

Step step(const std::string& name, Run run, const std::shared_ptr<const Weights>& weights, Cited published) {
  return {name, [run, weights](const Context& ctx, const Job& job) { run(ctx, job, *weights); }, published};
}

}  // namespace

std::vector<Step> convolution_on_gpu(const Context& ctx, const Window& window) {
  const std::shared_ptr<const Weights> weights = weights_of(ctx, window);
  return {step("double, a test of edges for each tap", run_double, weights, {}),
          step("float", run_float, weights, said("gains everywhere")),
          step("padding in place of tests, four bytes a pixel", run_padded, weights, said("dramatic (Gaussian)")),
          step("weights in constant memory", run_constant, weights, said("a gain")),
          step("a tile in shared memory, no padding", run_shared, weights, said("no option")),
          step("four pixels a thread", run_four, weights, said("not tried"))};
}

Step separable_on_gpu(const Context& ctx, const Window& window) {
  return step("rows, then columns", run_separable, weights_of(ctx, window), said("not tried"));
}

}  // namespace whorl::studies::image_filters
