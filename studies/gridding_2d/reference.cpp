#include "studies/gridding_2d/reference.hpp"

#include <cmath>

namespace whorl::studies::gridding_2d {

Array<std::complex<double>> reference_grid(const Context& host, const Scan& scan, double b, Lookup lookup,
                                           const Sizes& sizes) {
  Array<std::complex<double>> grid = zeros<std::complex<double>>(host, {scan.grid.y, scan.grid.x});
  const auto points = grid.view<2>();
  for (const Sample& sample : scan.samples) {
    const std::complex<double> value(sample.real, sample.imag);
    const int x0 = first_point(sample.x, sizes.window);
    const int y0 = first_point(sample.y, sizes.window);
    for (int y = y0; y < y0 + sizes.window; ++y) {
      for (int x = x0; x < x0 + sizes.window; ++x) {
        const double w =
            window_value(lookup, b, static_cast<float>(x) - sample.x, static_cast<float>(y) - sample.y, sizes.entries);
        points(wrapped(y, scan.grid.y), wrapped(x, scan.grid.x)) += w * value;
      }
    }
  }
  return grid;
}

double grid_error(const Context& ctx, ArrayRef<const float> grid, Layout layout,
                  const Array<std::complex<double>>& expected, Index points) {
  const Array<float> here = to_host(ctx, grid);
  const Index stride = layout == Layout::split ? 1 : 2;
  const float* const real = here.data();
  const float* const imag = layout == Layout::split ? real + expected.size() : real + 1;
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < points; ++i) {
    const std::complex<double> value(real[i * stride], imag[i * stride]);
    difference += std::norm(value - expected.data()[i]);
    total += std::norm(expected.data()[i]);
  }
  return std::sqrt(difference / total);
}

}  // namespace whorl::studies::gridding_2d
