// Fits of noisy series against the least squares found by trying all values of the parameters that are not linear, with the
// linear ones solved for (variable projection), in double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "support/dense.hpp"
#include "support/device.hpp"
#include "whorl/core/random.hpp"
#include "whorl/fit/diffusion.hpp"
#include "whorl/fit/relaxation.hpp"
#include "whorl/fit/water_fat.hpp"

namespace whorl {
namespace {

// The place of the least value over an interval of logarithms: 4000 places, then thirds of the best bracket.
double least_place(double low, double high, const std::function<double(double)>& value) {
  constexpr int places = 4000;
  const double step = std::log(high / low) / places;
  int best = 0;
  double least = value(low);
  for (int i = 1; i <= places; ++i) {
    const double here = value(low * std::exp(i * step));
    if (here < least) {
      least = here;
      best = i;
    }
  }
  double from = std::log(low) + (best - 1) * step;
  double to = std::log(low) + (best + 1) * step;
  for (int i = 0; i < 60; ++i) {
    const double third = (to - from) / 3;
    const bool lower = value(std::exp(from + third)) < value(std::exp(to - third));
    (lower ? to : from) = lower ? to - third : from + third;
  }
  return std::exp((from + to) / 2);
}

// What is left of values after the best combination of columns.
double rest(const test::DenseMatrix& columns, const test::DenseVector& values) {
  return (values - columns * test::least_squares(columns, values)).squaredNorm();
}

constexpr Index voxels = 24;

// A series [setting, 4, 6] made of `signal(voxel, setting)` and noise.
Array<float> noisy(const Context& ctx, std::size_t settings, double noise,
                   const std::function<double(Index, std::size_t)>& signal) {
  Array<float> made(ctx.host(), {static_cast<Index>(settings), 4, 6});
  for (Index i = 0; i < made.size(); ++i) {
    made.data()[i] = static_cast<float>(signal(i % voxels, static_cast<std::size_t>(i / voxels)) +
                                        noise * random_normal(41, static_cast<std::uint64_t>(i)));
  }
  return made;
}

Eigen::VectorXd values_of(const Array<float>& series, Index voxel) {
  Eigen::VectorXd values(series.extent(0));
  for (Index i = 0; i < values.size(); ++i) values[i] = series.data()[i * voxels + voxel];
  return values;
}

// A sum of squares is flat at its minimum: thirds find the place to the root of the rounding of double, 1e-8, times what the
// noise leaves over its curvature, 1e3 at most here. The fits stop where steps are below 1e-6 or so.
constexpr double agreement = 1e-4;

TEST(BruteForce, RelaxationTimesAreTheLeastSquares) {
  const Context ctx = test::device_context();
  const std::vector<double> times{10, 25, 45, 70, 100, 150, 220, 400};
  for (const RelaxationModel model : {RelaxationModel::decay, RelaxationModel::recovery}) {
    const bool decay = model == RelaxationModel::decay;
    const auto series = noisy(ctx, times.size(), 0.03, [&](Index r, std::size_t i) {
      const double e = std::exp(-times[i] / (40 + 3 * static_cast<double>(r)));
      return decay ? e : 1 - 1.9 * e;
    });
    const auto maps = fit_relaxation(ctx, series, times, model);
    ASSERT_EQ(maps.fitted, voxels);
    for (Index r = 0; r < voxels; ++r) {
      const Eigen::VectorXd values = values_of(series, r);
      const double expected = least_place(5, 2000, [&](double time) {
        test::DenseMatrix columns(values.size(), decay ? 1 : 2);
        for (Index i = 0; i < values.size(); ++i) {
          columns(i, 0) = std::exp(-times[static_cast<std::size_t>(i)] / time);
          if (!decay) columns(i, 1) = 1;
        }
        return rest(columns, values.cast<std::complex<double>>());
      });
      EXPECT_NEAR(maps.time.data()[r] / expected, 1, agreement) << r;
    }
  }
}

TEST(BruteForce, DiffusionIsTheLeastSquares) {
  const Context ctx = test::device_context();
  const std::vector<double> b{0, 100, 300, 500, 800, 1000};
  const auto series = noisy(ctx, b.size(), 0.03, [&](Index r, std::size_t i) {
    return std::exp(-b[i] * (0.5e-3 + 0.08e-3 * static_cast<double>(r)));
  });
  const auto maps = fit_diffusion(ctx, series, b);
  ASSERT_EQ(maps.fitted, voxels);
  for (Index r = 0; r < voxels; ++r) {
    const Eigen::VectorXd values = values_of(series, r);
    const double expected = least_place(1e-5, 1e-2, [&](double coefficient) {
      test::DenseMatrix columns(values.size(), 1);
      for (Index i = 0; i < values.size(); ++i) columns(i, 0) = std::exp(-b[static_cast<std::size_t>(i)] * coefficient);
      return rest(columns, values.cast<std::complex<double>>());
    });
    EXPECT_NEAR(maps.diffusivity.data()[r] / expected, 1, agreement) << r;
  }
}

// A search along the axes of (xx, yy, zz, xy, xz, yz), whose step is halved where none of them is better: from three starts,
// for the amplitude that is best for each tensor.
TEST(BruteForce, DiffusionTensorsAreTheLeastSquares) {
  const Context ctx = test::device_context();
  std::vector<double> b{0, 0};
  std::vector<std::array<double, 3>> directions{{0, 0, 0}, {0, 0, 0}};
  for (int n = 0; n < 24; ++n) {
    const double z = 1 - (2 * (n % 12) + 1) / 12.0;
    const double angle = 2.399963229728653 * n;
    b.push_back(n < 12 ? 700 : 1400);
    directions.push_back({std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z});
  }
  using Tensor = std::array<double, 6>;  // in 1e-3 mm^2/s
  const auto exponent = [&](const Tensor& d, std::size_t i) {
    const auto& [x, y, z] = directions[i];
    return -1e-3 * b[i] *
           (d[0] * x * x + d[1] * y * y + d[2] * z * z + 2 * (d[3] * x * y + d[4] * x * z + d[5] * y * z));
  };
  // From nearly isotropic tensors to fibers.
  const auto series = noisy(ctx, b.size(), 0.03, [&](Index r, std::size_t i) {
    const double part = static_cast<double>(r) / static_cast<double>(voxels);
    return std::exp(exponent({0.8 + 0.8 * part, 0.8 - 0.4 * part, 0.7 - 0.3 * part, 0.3 * part, -0.2 * part, 0.1}, i));
  });
  const auto maps = fit_diffusion_tensor(ctx, series, b, directions);
  ASSERT_EQ(maps.mean.fitted, voxels);
  for (Index r = 0; r < voxels; ++r) {
    const Eigen::VectorXd values = values_of(series, r);
    const auto left = [&](const Tensor& d) {
      double with = 0;
      double squares = 0;
      for (std::size_t i = 0; i < b.size(); ++i) {
        const double e = std::exp(exponent(d, i));
        with += e * values[static_cast<Index>(i)];
        squares += e * e;
      }
      return values.squaredNorm() - with * with / squares;
    };
    Tensor best{};
    double least = values.squaredNorm();
    for (const double start : {0.2, 0.8, 2.0}) {
      Tensor here{start, start, start, 0, 0, 0};
      double lowest = left(here);
      for (double step = 0.3; step > 1e-6;) {
        bool is_better = false;
        for (double& element : here) {
          for (const double change : {step, -step}) {
            element += change;
            const double value = left(here);
            if (value < lowest) {
              lowest = value;
              is_better = true;
              break;
            }
            element -= change;
          }
        }
        if (!is_better) step /= 2;
      }
      if (lowest < least) {
        least = lowest;
        best = here;
      }
    }
    // Steps of 1e-6 along the axes end within some ten of them of the minimum of a narrow valley; the rest as above.
    for (std::size_t n = 0; n < 6; ++n) {
      EXPECT_NEAR(1e3 * maps.tensor.data()[static_cast<Index>(n) * voxels + r], best[n], agreement) << r << " " << n;
    }
  }
}

// The field within 60 Hz of the one found, R2* from -50 to 250: a grid that is drawn together around its best point.
TEST(BruteForce, WaterAndFatAreTheLeastSquares) {
  using Complex = std::complex<double>;
  const Context ctx = test::device_context();
  const std::vector<double> times{1.1e-3, 2.2e-3, 3.3e-3, 4.4e-3, 5.5e-3, 6.6e-3};
  constexpr double tesla = 3;
  const std::vector<std::pair<double, double>> peaks{{5.3, 0.047}, {4.2, 0.039}, {2.75, 0.006},
                                                     {2.1, 0.120}, {1.3, 0.700}, {0.9, 0.088}};
  const auto fat_at = [&](double t) {
    Complex sum = 0;
    for (const auto& [ppm, part] : peaks) {
      sum += std::polar(part, -2 * std::numbers::pi * (ppm - 4.7) * 42.577478 * tesla * t);
    }
    return sum;
  };
  Array<std::complex<float>> echoes(ctx.host(), {6, 4, 6});
  for (Index i = 0; i < echoes.size(); ++i) {
    const double t = times[static_cast<std::size_t>(i / voxels)];
    const double part = 0.1 + 0.033 * static_cast<double>(i % voxels);
    const auto n = static_cast<std::uint64_t>(2 * i);
    echoes.data()[i] =
        std::complex<float>((1 - part + part * fat_at(t)) * std::exp(Complex(-50 * t, -2 * std::numbers::pi * 80 * t)) +
                            0.02 * Complex(random_normal(42, n), random_normal(42, n + 1)));
  }
  const auto maps = fit_water_fat(ctx, echoes, times, liver_fat(), {.field_strength = tesla});
  for (Index r = 0; r < voxels; ++r) {
    test::DenseVector values(6);
    for (Index n = 0; n < 6; ++n) values[n] = Complex(echoes.data()[n * voxels + r]);
    const auto left = [&](double field, double rate) {
      test::DenseMatrix columns(6, 2);
      for (Index n = 0; n < 6; ++n) {
        const double t = times[static_cast<std::size_t>(n)];
        columns(n, 0) = std::exp(Complex(-rate * t, -2 * std::numbers::pi * field * t));
        columns(n, 1) = columns(n, 0) * fat_at(t);
      }
      return rest(columns, values);
    };
    double field = maps.field.data()[r];
    double rate = 100;
    double wide_field = 60;
    double wide_rate = 150;
    for (int round = 0; round < 24; ++round) {
      const double middle_field = field;
      const double middle_rate = rate;
      double least = left(field, rate);
      for (int i = -10; i <= 10; ++i) {
        for (int j = -10; j <= 10; ++j) {
          const double f = middle_field + wide_field * i / 10;
          const double q = middle_rate + wide_rate * j / 10;
          const double here = left(f, q);
          if (here < least) {
            least = here;
            field = f;
            rate = q;
          }
        }
      }
      wide_field *= 0.5;
      wide_rate *= 0.5;
    }
    EXPECT_NEAR(maps.field.data()[r], field, 0.01) << r;
    EXPECT_NEAR(maps.r2_star.data()[r], rate, 0.02) << r;
  }
}

}  // namespace
}  // namespace whorl
