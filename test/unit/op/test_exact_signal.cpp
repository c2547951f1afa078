// The exact model of the signal against the sum term by term.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/exact_signal.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

constexpr double full_turn = 2 * std::numbers::pi;

struct Case {
  Shape image;
  Array<double> points;
  Array<double> times;
  Array<Complex> maps;
  Array<Complex> x;
  ExponentialSignal signal;
};

// Readouts of 7 samples, so that most times occur several times; the last sample has a time of its own.
Case make_case(const Context& ctx, const Shape& image, Index coils, Index components) {
  const int dim = image.rank();
  const Index samples = 50;
  Case made{image,
            test::random_points(ctx, samples, dim),
            Array<double>(ctx, {samples}),
            test::random_array<double>(ctx, image.with_front(coils), 1),
            test::random_array<double>(ctx, image, 2),
            {zeros<double>(ctx, image.with_front(components)), zeros<double>(ctx, image.with_front(components)),
             zeros<double>(ctx, image.with_front(components))}};
  for (Index j = 0; j < samples; ++j) made.times.data()[j] = -2e-3 + 1e-3 * static_cast<double>(j % 7);
  made.times.data()[samples - 1] = 0.0123;
  for (Index i = 0; i < components * image.size(); ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    made.signal.amplitudes.data()[i] = random_uniform(3, at);
    made.signal.decay_rates.data()[i] = 90 * random_uniform(4, at);
    made.signal.off_resonance.data()[i] = 400 * random_uniform(5, at) - 150;
  }
  made.x.data()[3] = 0;  // is left out
  return made;
}

Array<Complex> term_by_term(const Context& ctx, const Case& what) {
  const Shape& image = what.image;
  const Index coils = what.maps.extent(0);
  const Index samples = what.points.extent(0);
  const int dim = image.rank();
  auto y = zeros<Complex>(ctx, {coils, samples});
  for (Index c = 0; c < coils; ++c) {
    for (Index j = 0; j < samples; ++j) {
      for (Index r = 0; r < image.size(); ++r) {
        double turns = 0;
        Index rest = r;
        for (int axis = dim - 1; axis >= 0; --axis) {
          turns += what.points.data()[j * dim + dim - 1 - axis] * double(rest % image[axis] - image[axis] / 2);
          rest /= image[axis];
        }
        Complex e = what.signal.amplitudes.size() == 0 ? 1 : 0;
        for (Index i = r; i < what.signal.amplitudes.size(); i += image.size()) {
          e += what.signal.amplitudes.data()[i] *
               std::exp(-Complex(what.signal.decay_rates.data()[i], full_turn * what.signal.off_resonance.data()[i]) *
                        what.times.data()[j]);
        }
        y.data()[c * samples + j] += what.maps.data()[c * image.size() + r] * what.x.data()[r] * e *
                                     std::polar(1 / std::sqrt(double(image.size())), -full_turn * turns);
      }
    }
  }
  return y;
}

// Both sum at most 210 terms with relative errors of some 1e-16 each, phases of up to 20 turns included: their relative
// difference is below 210^(1/2) * 20 * 2 pi * 1e-16 = 2e-13.
constexpr double rounding_of_sums = 2e-13;

TEST(ExactSignal, IsTheSumTermByTerm) {
  const Context ctx({.threads = 2});
  for (const Shape& image : {Shape{14, 15}, Shape{5, 6, 7}}) {
    for (const Index components : {0, 1, 3}) {
      const Case what = make_case(ctx, image, 3, components);
      const auto y = exact_signal(ctx, what.maps, what.x, what.signal, what.points, what.times);
      EXPECT_LT(test::relative_error(y, term_by_term(ctx, what)), rounding_of_sums);
    }
  }
}

TEST(ExactSignal, WithoutMapsIsThatOfOneUniformCoil) {
  const Context ctx({.threads = 2});
  Case what = make_case(ctx, {6, 9}, 1, 1);
  fill<Complex>(what.maps, 1);
  const auto y = exact_signal(ctx, {}, what.x, what.signal, what.points, what.times);
  EXPECT_LT(test::relative_error(y, term_by_term(ctx, what)), rounding_of_sums);
}

TEST(ExactSignal, RefusesWhatDoesNotFit) {
  const Context ctx;
  const Case what = make_case(ctx, {6, 9}, 2, 1);
  const Case turned = make_case(ctx, {9, 6}, 2, 1);
  const Case volume = make_case(ctx, {3, 6, 9}, 2, 1);
  EXPECT_THROW(exact_signal(ctx, turned.maps, what.x, what.signal, what.points, what.times), ShapeError);
  EXPECT_THROW(exact_signal(ctx, what.maps, what.x, turned.signal, what.points, what.times), ShapeError);
  EXPECT_THROW(exact_signal(ctx, what.maps, what.x, what.signal, volume.points, what.times), ShapeError);
  EXPECT_THROW(exact_signal(ctx, what.maps, what.x, what.signal, what.points, Array<double>(ctx, {49})), ShapeError);
}

}  // namespace
}  // namespace whorl
