// From a phantom to its image by hand: trajectory, samples, density weights, transform, error.
#include <iostream>

#include "whorl/core/error.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/io/png.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/trajectory/radial.hpp"

namespace {

void make_image(const char* picture) {
  using Complex = std::complex<double>;
  const whorl::Context ctx;
  const whorl::Index n = 128;
  // Spokes of 2 n samples, enough of them for the edge of k-space: pi / 2 n.
  const whorl::Trajectory spokes = whorl::radial_trajectory(ctx, 202, 2 * n, whorl::SpokeOrder::uniform);
  const whorl::Phantom head = whorl::shepp_logan(2, whorl::PhantomContrast::modified);
  // The exact transform of the ellipses. Matrices are x, y, z; arrays are [z, y, x].
  whorl::Array<Complex> samples = whorl::phantom_samples(ctx, head, {n, n, 1}, spokes.points);

  const auto density = whorl::density_weights<double>(ctx, spokes, {n, n}, nullptr, whorl::DensityMethod::automatic);
  whorl::Array<Complex> weighted(ctx, samples.shape());
  whorl::multiply_weights(ctx, density.weights, samples, weighted);
  weighted.reshape({1, spokes.samples()});  // [coil, sample]

  const whorl::Nufft<double> A(ctx, spokes.points, {n, n}, 1, {.tolerance = 1e-6});
  whorl::Array<Complex> image(ctx, A.domain());  // [coil, y, x]
  A.adjoint(ctx, weighted, image);

  const whorl::Array<double> result = whorl::magnitude(ctx, image);
  const whorl::Array<double> truth = whorl::rasterize<double>(ctx, head, {n, n, 1}, 8);
  // A scale is free: the sum of the weights is a convention.
  const auto error = whorl::scaled_error(ctx, result.slice(0), truth.ref());
  std::cout << "error after scaling: " << error.nrmse << '\n';

  whorl::Array<float> picture_values(ctx, {n, n});
  for (whorl::Index i = 0; i < result.size(); ++i) picture_values.data()[i] = static_cast<float>(result.data()[i]);
  whorl::write_png(ctx, picture, picture_values);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example_phantom_to_image PICTURE.png\n";
    return 2;
  }
  try {
    make_image(argv[1]);
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
