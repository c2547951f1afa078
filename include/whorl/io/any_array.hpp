// AnyArray: an array whose element type is known at run time, as read from a file.
#pragma once

#include <complex>
#include <string_view>
#include <variant>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// An array of one of the four element types of whorl.
using AnyArray = std::variant<Array<float>, Array<double>, Array<std::complex<float>>, Array<std::complex<double>>>;

const Shape& shape_of(const AnyArray& array);

/// "float32", "float64", "complex64" or "complex128"
std::string_view type_name(const AnyArray& array);

bool is_complex(const AnyArray& array);

/// The elements as T. Narrowing (double to float) rounds. If complex elements are real but for rounding
/// (imaginary parts up to 1e-5 of the largest element), a real T takes the real part.
/// Throws ValueError, naming `source`, if T is real and other elements are complex, or if the magnitude of the largest element
/// is out of the range of normal numbers of T.
template <class T>
WHORL_PUBLIC Array<T> converted(const Context& ctx, const AnyArray& array, std::string_view source);

/// Throws ValueError, naming `source` and the first such element, if an element is not finite.
void check_finite(const AnyArray& array, std::string_view source);

}  // namespace whorl
