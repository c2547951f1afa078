// Calls with elements that whorl does not compute with. test/traps/check_traps.py compiles this file.
#include <complex>
#include <cstdint>

#include "whorl/calib/combine.hpp"
#include "whorl/core/random.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/math/add_products.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/math/value_range.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/measure/ssim.hpp"
#include "whorl/op/sense.hpp"

namespace whorl {

using Wrong = std::complex<int>;

void traps(const Context& ctx) {
  Array<Wrong> wrong(ctx, {2, 3});
  const Array<int> integers(ctx, {2, 3});
  Array<float> reals(ctx, {2, 3});
  Array<std::complex<float>> values(ctx, {2, 3});
  Array<std::complex<double>> doubles(ctx, {2, 3});

  dot(ctx, wrong, wrong);                              // error: Precision
  norm(ctx, wrong);                                    // error: Precision
  axpby(ctx, 1, wrong, 1, wrong);                      // error: Precision
  magnitude(ctx, wrong);                               // error: Precision
  root_sum_of_squares(ctx, wrong);                     // error: Precision
  matched_combination(ctx, wrong, wrong);              // error: Precision
  unit_maps(ctx, wrong);                               // error: Precision
  to_complex(ctx, integers, wrong);                    // error: Precision
  fill_random_normal(wrong, 1);                        // error: Precision
  centered_fft(ctx, FftDirection::forward, wrong, 2);  // error: Precision
  multiply_by_power_of_two(ctx, 1, wrong);             // error: Precision
  largest_part(ctx, wrong.ref());                      // error: Precision
  normalize_weights(ctx, wrong);                       // error: Precision
  scaled_error(ctx, integers, integers);               // error: Number
  error_measures(ctx, integers, integers);             // error: Number
  ssim(ctx, integers, integers);                       // error: Number
  peak_of(ctx, integers);                              // error: Number
  LinearOperator<int>* nothing = nullptr;
  nothing->domain();                     // error: operators compute with float or double
  to_complex(ctx, reals, doubles);       // error: convert|convertible
  axpby(ctx, 1, values, 1, doubles);     // error: convert|convertible
  copy(values, doubles);                 // error: convert|convertible
  copy(ctx, reals, integers);            // error: convert|convertible
  fill(integers, 1);                     // error: is_const|deduce|discard|no known conversion|no matching
  fill(ctx, zeros<float>(ctx, {3}), 1);  // error: rvalue|no matching|expects an lvalue
  Array<const float> constant;           // error: static.assert
}

// Calls with arrays and references to them, const or not, compile without <float>.
void calls(const Context& ctx, Array<std::complex<float>>& a, const Array<std::complex<float>>& b,
           ArrayRef<std::complex<float>> c, ArrayRef<const std::complex<float>> d) {
  const auto each = [&](auto& x) {
    dot(ctx, x, b);
    dot(ctx, d, x);
    norm(ctx, x);
    axpby(ctx, 1, x, 1, a);
    axpby(ctx, 1, x, 1, c);
    magnitude(ctx, x);
    root_sum_of_squares(ctx, x);
    matched_combination(ctx, x, d);
    unit_maps(ctx, x);
    to_complex(ctx, magnitude(ctx, x), a);
    to_complex(ctx, magnitude(ctx, x), c);
    clone(ctx, x);
    to_host(ctx, x);
    copy(x, a);
    copy(ctx, x, c);
    scaled_error(ctx, x, d);
    error_measures(ctx, x, b);
    ssim(ctx, x, b);
    peak_of(ctx, x);
    largest_part(ctx, x);
  };
  each(a);
  each(b);
  each(c);
  each(d);
  fill(a, 1);
  fill(ctx, a, 1);
  fill(c, 1);
  fill(ctx, c, 1);
  fill_random_normal(a, 1);
  fill_random_normal(c, 1);
  centered_fft(ctx, FftDirection::forward, a, 2);
  centered_fft(ctx, FftDirection::forward, c, 2);
  multiply_by_power_of_two(ctx, 1, a);
  multiply_by_power_of_two(ctx, 1, c);
}

}  // namespace whorl
