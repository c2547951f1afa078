#include "studies/quantitative_mri/bilinear_gridding.hpp"

#include <array>
#include <cmath>

#include "whorl/math/fft.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

struct Neighbors {
  std::array<Index, 2> index;
  std::array<double, 2> weight;
};

// The two grid points around k along an axis of n; index floor(n/2) is k = 0, and the grid is periodic.
Neighbors neighbors(double k, Index n) {
  const double place = k * static_cast<double>(n);
  const double below = std::floor(place);
  const Index index = (static_cast<Index>(below) + n / 2 + n) % n;
  return {{index, (index + 1) % n}, {1 - (place - below), place - below}};
}

}  // namespace

Array<std::complex<double>> bilinear_gridding(const Context& ctx, ArrayRef<const double> points,
                                              ArrayRef<const double> weights,
                                              ArrayRef<const std::complex<double>> values, Index size) {
  Array<std::complex<double>> image = zeros<std::complex<double>>(ctx, {size, size, size});
  const auto grid = image.view<3>();
  const auto k = points.view<2>();
  for (Index j = 0; j < values.size(); ++j) {
    const Neighbors x = neighbors(k(j, 0), size);
    const Neighbors y = neighbors(k(j, 1), size);
    const Neighbors z = neighbors(k(j, 2), size);
    const std::complex<double> value = weights.data()[j] * values.data()[j];
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t a = 0; a < 2; ++a) {
          grid(z.index[c], y.index[b], x.index[a]) += z.weight[c] * y.weight[b] * x.weight[a] * value;
        }
      }
    }
  }
  centered_fft<double>(ctx, FftDirection::inverse, image, 3);
  return image;
}

}  // namespace whorl::studies::quantitative_mri
