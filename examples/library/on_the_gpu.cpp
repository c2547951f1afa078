// On a GPU, in memory and in a stream that belong to the program or to another library: whorl works there, in order with
// all other work of the stream, and nothing passes through the host.
#include <cuda_runtime_api.h>

#include <complex>
#include <iostream>
#include <string>

#include "whorl/core/error.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/trajectory/radial.hpp"

namespace {

using Complex = std::complex<float>;  // as float2 and cuFloatComplex lie in memory

constexpr whorl::Index n = 128;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw whorl::DeviceError(cudaGetErrorString(status));
}

Complex* allocate(whorl::Index count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(Complex)));
  return static_cast<Complex*>(memory);
}

// What the program has already: samples in the memory of the GPU, which work in its stream puts there.
Complex* samples_on_the_gpu(const whorl::Array<Complex>& samples, cudaStream_t stream) {
  Complex* memory = allocate(samples.size());
  check(cudaMemcpyAsync(memory, samples.data(), static_cast<std::size_t>(samples.size()) * sizeof(Complex),
                        cudaMemcpyHostToDevice, stream));
  return memory;
}

double error_of_the_image(whorl::Device gpu, cudaStream_t stream) {
  // All work of this context runs in the stream. ctx.stream() hands it out again.
  const whorl::Context ctx({.device = gpu, .stream = stream});
  const whorl::Context host = ctx.host();

  const whorl::Trajectory spokes = whorl::radial_trajectory(host, 202, 2 * n, whorl::SpokeOrder::uniform);
  const whorl::Phantom head = whorl::shepp_logan(2, whorl::PhantomContrast::modified);
  const auto exact = whorl::phantom_samples(host, head, {n, n, 1}, spokes.points);
  whorl::Array<Complex> single(host, {1, spokes.samples()});  // [coil, sample]
  for (whorl::Index i = 0; i < exact.size(); ++i) single.data()[i] = static_cast<Complex>(exact.data()[i]);

  // The array takes the memory over, and releases it with cudaFree, which waits for the GPU.
  auto samples = whorl::Array<Complex>::adopt(
      samples_on_the_gpu(single, stream), [](Complex* memory) { cudaFree(memory); }, single.shape(), gpu);
  // This memory stays the program's: whorl refers to it.
  Complex* const image = allocate(n * n);
  const whorl::ArrayRef<Complex> image_there(image, {1, n, n}, gpu);  // [coil, y, x]

  const auto density = whorl::density_weights<float>(host, spokes, {n, n}, nullptr, whorl::DensityMethod::automatic);
  whorl::multiply_weights(ctx, whorl::clone(ctx, density.weights), samples, samples);
  const whorl::Nufft<float> A(ctx, spokes.points, {n, n}, 1);
  A.adjoint(ctx, samples, image_there);

  // The image is not there yet, but the next work in the stream comes after it.
  whorl::Array<Complex> result(host, {n, n});
  check(cudaMemcpyAsync(result.data(), image, static_cast<std::size_t>(n * n) * sizeof(Complex), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFree(image));
  return whorl::scaled_error(host, whorl::magnitude(host, result), whorl::rasterize<float>(host, head, {n, n, 1}, 8))
      .nrmse;
}

}  // namespace

int main() {
  constexpr int skipped = 77;
  whorl::Device gpu;
  try {
    gpu = whorl::parse_device("cuda");
  } catch (const whorl::DeviceError& error) {
    std::cerr << "skipped: " << error.what() << '\n';
    return skipped;
  }
  try {
    cudaStream_t stream = nullptr;
    check(cudaSetDevice(gpu.index));
    check(cudaStreamCreate(&stream));
    std::cout << "error after scaling: " << error_of_the_image(gpu, stream) << '\n';
    check(cudaStreamDestroy(stream));  // after the context
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
