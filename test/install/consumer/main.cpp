// The transform of an image of 5 x 6 pixels along three spokes, fast and exact: prints the relative error of the fast
// one, and fails where it exceeds the tolerance.
#include <whorl/core/context.hpp>
#include <whorl/core/version.hpp>
#include <whorl/op/dft.hpp>
#include <whorl/op/nufft.hpp>
#include <whorl/trajectory/radial.hpp>

#include <cmath>
#include <complex>
#include <iostream>

int main() {
  using Complex = std::complex<float>;
  const whorl::Context ctx;
  const whorl::Trajectory spokes = whorl::radial_trajectory(ctx, 3, 12, whorl::SpokeOrder::golden_angle);
  const whorl::Shape image{5, 6};
  constexpr double tolerance = 1e-4;
  const whorl::Nufft<float> nufft(ctx, spokes.points, image, 1, {.tolerance = tolerance});
  const whorl::Dft<float> dft(ctx, spokes.points, image, 1);

  whorl::Array<Complex> x(ctx, nufft.domain());
  for (whorl::Index i = 0; i < x.size(); ++i) x.data()[i] = Complex(1 + static_cast<float>(i % 7), 0.5F);
  whorl::Array<Complex> fast(ctx, nufft.range());
  whorl::Array<Complex> exact(ctx, dft.range());
  nufft.forward(ctx, x, fast);
  dft.forward(ctx, x, exact);

  double difference = 0;
  double norm = 0;
  for (whorl::Index i = 0; i < exact.size(); ++i) {
    difference += std::norm(fast.data()[i] - exact.data()[i]);
    norm += std::norm(exact.data()[i]);
  }
  const double error = std::sqrt(difference / norm);
  std::cout << "whorl " << whorl::version() << ": relative error " << error << '\n';
  return norm > 0 && error <= tolerance ? 0 : 1;
}
