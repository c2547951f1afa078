#include "bench/exact_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "whorl/core/random.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::bench {

namespace {

using Complex = std::complex<double>;

// Without the checks for infinity of operator*.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(sign 2 pi i k . r) for the pixels r of an image of three axes, a factor an axis.
class Phases {
 public:
  Phases(const Shape& image_shape, double sign) : sign_(sign) {
    // x is the last axis of the image and the first coordinate.
    for (int axis = 0; axis < image_shape.rank(); ++axis) {
      extents_.at(static_cast<std::size_t>(axis)) = image_shape[-1 - axis];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) factors_[axis].resize(static_cast<std::size_t>(extents_[axis]), 1);
  }

  void set_sample(const double* k, Index dim) {
    for (Index axis = 0; axis < dim; ++axis) set_axis(factors_.at(static_cast<std::size_t>(axis)), k[axis]);
  }

  Index extent(std::size_t axis) const { return extents_.at(axis); }
  const Complex* factors(std::size_t axis) const { return factors_.at(axis).data(); }
  Complex at(Index pixel) const {
    const Index row = pixel / extents_[0];
    return product(product(factors(0)[pixel % extents_[0]], factors(1)[row % extents_[1]]),
                   factors(2)[row / extents_[1]]);
  }

 private:
  // Every fourth power by one multiplication: of an error of half the extent over 4 roundings.
  void set_axis(std::vector<Complex>& factors, double k) const {
    const auto turn = [&](double r) { return std::polar(1.0, sign_ * 2 * std::numbers::pi * k * r); };
    constexpr std::size_t stride = 4;
    const std::size_t center = factors.size() / 2;
    const auto origin = static_cast<double>(center);
    for (std::size_t i = 0; i < std::min(stride, factors.size()); ++i) {
      factors[i] = turn(static_cast<double>(i) - origin);
    }
    const Complex step = turn(stride);
    for (std::size_t i = stride; i < factors.size(); ++i) factors[i] = product(factors[i - stride], step);
  }

  double sign_;
  std::array<Index, 3> extents_{1, 1, 1};
  std::array<std::vector<Complex>, 3> factors_;
};

Complex sum_over_image(const std::complex<float>* image, const Phases& phases) {
  Complex total = 0;
  const Complex* along_x = phases.factors(0);
  const Index nx = phases.extent(0);
  for (Index z = 0; z < phases.extent(2); ++z) {
    for (Index y = 0; y < phases.extent(1); ++y) {
      Complex row = 0;
      for (Index x = 0; x < nx; ++x) row += product(Complex(image[x]), along_x[x]);
      total += product(row, product(phases.factors(1)[y], phases.factors(2)[z]));
      image += nx;
    }
  }
  return total;
}

}  // namespace

std::vector<Index> draw_places(Index extent, Index coils, Index terms) {
  constexpr Index most_values = 1000;
  constexpr Index least_values = 100;
  constexpr Index most_terms = 500'000'000;
  constexpr std::uint64_t seed = 99;
  const Index values = std::clamp(most_terms / terms, least_values, most_values);
  std::vector<Index> places(static_cast<std::size_t>(std::max<Index>(1, values / coils)));
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<Index>(random_uniform(seed, i) * static_cast<double>(extent));
  }
  std::sort(places.begin(), places.end());
  return places;
}

ExactValues exact_forward(const Context& ctx, ArrayRef<const double> points,
                          ArrayRef<const std::complex<float>> image) {
  const Index coils = image.extent(0);
  const Shape image_shape = image.shape().tail();
  const Index pixels = image_shape.size();
  ExactValues exact{draw_places(points.extent(0), coils, pixels), {}};
  const auto count = static_cast<Index>(exact.places.size());
  exact.values.resize(static_cast<std::size_t>(coils * count));
  const double scale = 1 / std::sqrt(static_cast<double>(pixels));
  const Index dim = points.extent(1);

#pragma omp parallel num_threads(ctx.threads())
  {
    Phases phases(image_shape, -1);
#pragma omp for schedule(dynamic)
    for (Index i = 0; i < count; ++i) {
      if (ctx.cancel_requested()) continue;
      phases.set_sample(points.data() + exact.places[static_cast<std::size_t>(i)] * dim, dim);
      for (Index c = 0; c < coils; ++c) {
        exact.values[static_cast<std::size_t>(c * count + i)] =
            scale * sum_over_image(image.data() + c * pixels, phases);
      }
    }
  }
  ctx.check_cancel("exact transform");
  return exact;
}

ExactValues exact_adjoint(const Context& ctx, ArrayRef<const double> points, ArrayRef<const std::complex<float>> data,
                          const Shape& image_shape) {
  const Index coils = data.extent(0);
  const Index samples = data.extent(1);
  ExactValues exact{draw_places(image_shape.size(), coils, samples), {}};
  const auto count = static_cast<Index>(exact.places.size());
  exact.values.resize(static_cast<std::size_t>(coils * count));
  const double scale = 1 / std::sqrt(static_cast<double>(image_shape.size()));
  const Index dim = points.extent(1);

#pragma omp parallel num_threads(ctx.threads())
  {
    Phases phases(image_shape, 1);
    std::vector<Complex> sums(exact.values.size());
#pragma omp for
    for (Index j = 0; j < samples; ++j) {
      if (ctx.cancel_requested()) continue;
      phases.set_sample(points.data() + j * dim, dim);
      for (Index i = 0; i < count; ++i) {
        const Complex phase = phases.at(exact.places[static_cast<std::size_t>(i)]);
        for (Index c = 0; c < coils; ++c) {
          sums[static_cast<std::size_t>(c * count + i)] += product(Complex(data.data()[c * samples + j]), phase);
        }
      }
    }
#pragma omp critical
    for (std::size_t i = 0; i < sums.size(); ++i) exact.values[i] += scale * sums[i];
  }
  ctx.check_cancel("exact transform");
  return exact;
}

ExactValues exact_normal(const Context& ctx, ArrayRef<const double> points, ArrayRef<const std::complex<float>> image) {
  const Index coils = image.extent(0);
  const Shape image_shape = image.shape().tail();
  const Index pixels = image_shape.size();
  ExactValues exact{draw_places(pixels, coils, 1), {}};
  const Nufft<double> nufft(ctx, points, image_shape, 1, {.tolerance = 1e-10, .oversampling = 1.5});
  Array<Complex> x(ctx, nufft.domain());
  Array<Complex> z(ctx, nufft.domain());
  for (Index c = 0; c < coils; ++c) {
    std::copy_n(image.data() + c * pixels, pixels, x.data());
    nufft.normal(ctx, x, z);
    for (const Index place : exact.places) exact.values.push_back(z.data()[place]);
  }
  return exact;
}

double relative_error(ArrayRef<const std::complex<float>> result, const ExactValues& exact) {
  const Index extent = result.size() / result.extent(0);
  double difference = 0;
  double total = 0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    const auto coil = static_cast<Index>(i / exact.places.size());
    const Complex value = result.data()[coil * extent + exact.places[i % exact.places.size()]];
    difference += std::norm(value - exact.values[i]);
    total += std::norm(exact.values[i]);
  }
  return std::sqrt(difference / total);
}

}  // namespace whorl::bench
