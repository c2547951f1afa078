// Custom: correlation with any small kernel.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"
#include "whorl/filter/negatives.hpp"
#include "whorl/filter/windows/image_kernel.hpp"

namespace WHORL_PUBLIC whorl {

struct CustomOptions : BorderOptions {
  ImageKernel kernel;
  double divisor = 1;  ///< of the sums; not 0
  double offset = 0;   ///< added after the division, in the image's numbers
  Negatives negatives = Negatives::clip;
};

/// result = (sum of the products of the kernel with the pixels under it) / divisor + offset; `negatives` acts before
/// the offset. Each channel by itself, alpha too; volumes slice by slice. Takes every image.
///
/// Integers  Exactly rounded where kernel, divisor and offset are numbers of up to six decimals with a small common
///           denominator: at most 4096 for uint8, or 2^31 where sums are long. Otherwise the weights are rounded to
///           fixed point, such that a sum is at most a quarter of a gray level off before it is rounded.
/// Floats    Sums of float32 products, with weights rounded to float32: the error is below 6e-8 times the number of
///           taps times the sum of the products' magnitudes. If a kernel differs from the product of a column and a row
///           by at most 2^-26 of its largest value, the product replaces it.
/// Throws    ValueError as check_kernel, and for a divisor that is 0 or a divisor or offset above 1e9
std::unique_ptr<Filter> make_custom(const CustomOptions& options);

}  // namespace whorl
