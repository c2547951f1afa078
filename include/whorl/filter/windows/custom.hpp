// Custom: correlation with any small kernel.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"
#include "whorl/filter/negatives.hpp"
#include "whorl/filter/windows/image_kernel.hpp"

namespace whorl {

struct CustomOptions : BorderOptions {
  ImageKernel kernel;
  double divisor = 1;  ///< of the sums; not 0
  double offset = 0;   ///< added after, in the image's numbers
  Negatives negatives = Negatives::clip;
};

/// result = (sum of the products of the kernel with what lies under it) / divisor + offset; `negatives` acts before the
/// offset. Each channel by itself, alpha too; the slices of a volume one by one. Takes every image.
///
/// Integers  Exactly rounded where kernel, divisor and offset are numbers of up to six decimals whose common
///           denominator is small (at most 4096 for uint8 or, where sums are long, 2^31 for all); otherwise the weights
///           are rounded to fixed point such that a sum is at most a quarter of a gray level off before it is rounded.
/// Floats    Sums of float32 products, from weights rounded to float32; relative to the sum of their magnitudes the
/// error
///           is that of summation, below 6e-8 times the number of taps. Kernels that are the product of a column and a
///           row to 2^-26 of their largest value are taken as one.
/// Throws    ValueError as check_kernel, and for a divisor that is 0 or a divisor or offset above 1e9
std::unique_ptr<Filter> make_custom(const CustomOptions& options);

}  // namespace whorl
