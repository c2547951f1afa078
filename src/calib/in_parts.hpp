// Work on arrays of the host by a device that has no room for them.
#pragma once

#include <algorithm>
#include <complex>

#include "whorl/core/array.hpp"

namespace whorl::detail {

/// Elements of all channels that are worked on at once.
inline constexpr Index elements_of_part = Index{1} << 14;

/// to = work(from), for parts of the elements on the context's device, one after another: from [channel, ...] and to
/// [channel, ...] lie on the host and may be one array. The work takes and gives [channel, count], and each element depends
/// on the same element of the channels alone: so the result has the bits that it has for all at once.
template <class Work>
void in_parts(const Context& ctx, ArrayRef<const std::complex<float>> from, ArrayRef<std::complex<float>> to,
              const Work& work) {
  using Complex = std::complex<float>;
  const Index elements = from.shape().tail().size();
  const auto row = [&]<class T>(ArrayRef<T> array, Index channel, Index first, Index count) {
    return ArrayRef<T>(array.data() + channel * elements + first, {count}, array.device());
  };
  for (Index first = 0; first < elements; first += elements_of_part) {
    const Index count = std::min(elements_of_part, elements - first);
    Array<Complex> part(ctx, {from.extent(0), count});
    for (Index channel = 0; channel < from.extent(0); ++channel) {
      copy<Complex>(ctx, row(from, channel, first, count), part.slice(channel));
    }
    const Array<Complex> made = work(part.ref());
    for (Index channel = 0; channel < to.extent(0); ++channel) {
      copy<Complex>(ctx, made.slice(channel), row(to, channel, first, count));
    }
  }
}

}  // namespace whorl::detail
