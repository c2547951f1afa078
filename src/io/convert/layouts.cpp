#include "io/convert/layouts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::io {

void check_finite(std::complex<double> value, const std::string& source, Index sample) {
  if (std::isfinite(value.real()) && std::isfinite(value.imag())) return;
  throw ValueError(fmt::format("{}: element {} is {} + {}i; every number must be finite", source, sample, value.real(),
                               value.imag()));
}

Index readout_length_of(const ConvertOptions& options, Index samples, Index known, const std::string& source) {
  if (options.readout_length == 0) return known;
  if (options.readout_length < 0 || samples % options.readout_length != 0) {
    throw ValueError(fmt::format("{}: its {} samples are not a whole number of readouts of {} samples", source, samples,
                                 options.readout_length));
  }
  return options.readout_length;
}

}  // namespace whorl::io
