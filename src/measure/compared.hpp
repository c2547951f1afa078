// Checks and helpers of all measures.
#pragma once

#include <complex>

#include "whorl/measure/measured_set.hpp"

namespace whorl::measure {

/// Calls a macro for every type of pixel.
#define WHORL_FOR_EACH_PIXEL_TYPE(MACRO) \
  MACRO(float);                          \
  MACRO(double);                         \
  MACRO(std::complex<float>);            \
  MACRO(std::complex<double>)

/// Throws ShapeError unless the shapes are equal and not empty, and the set has that shape or its last axes; ValueError
/// if the set is empty.
void check_shapes(const char* operation, const Shape& image, const Shape& truth, MeasuredSet set);

/// Throws ValueError, naming the first such pixel, if a pixel is not finite, or if the pixels are so far from 1 that
/// their powers leave the range of double (check_powers).
template <class T>
void check_finite(const char* operation, const char* which, ArrayRef<const T> image);

/// True if pixel `i`, in memory order, counts.
class Counted {
 public:
  explicit Counted(MeasuredSet set) : mask_(set.data()), size_(set.size()) {}
  bool operator()(Index i) const { return size_ == 0 || mask_[i % size_]; }

 private:
  const bool* mask_;
  Index size_;
};

// The real or complex value of a pixel in double.
inline double widened(float value) { return value; }
inline double widened(double value) { return value; }
inline std::complex<double> widened(std::complex<float> value) { return value; }
inline std::complex<double> widened(std::complex<double> value) { return value; }

}  // namespace whorl::measure
