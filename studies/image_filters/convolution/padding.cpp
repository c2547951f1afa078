#include "studies/image_filters/convolution/padding.hpp"

#include <cstring>

namespace whorl::studies::image_filters {

Padded pad(const Context& host, const Job& job, int frame) {
  Padded padded{Array<Byte>(host, {job.rows + Index{2} * frame, job.width + Index{2} * frame, 3})};
  Byte* const pixels = padded.pixels.data();
  const Index width = job.width + Index{2} * frame;
#pragma omp parallel for schedule(static) num_threads(host.threads())
  for (int y = 0; y < job.rows + 2 * frame; ++y) {
    const Byte* const from = job.from + Index{3} * job.width * wrapped(y - frame, job.height);
    Byte* const to = pixels + 3 * width * y;
    const std::size_t edge = std::size_t{3} * static_cast<std::size_t>(frame);
    const std::size_t row = std::size_t{3} * static_cast<std::size_t>(job.width);
    std::memcpy(to, from + row - edge, edge);
    std::memcpy(to + edge, from, row);
    std::memcpy(to + edge + row, from, edge);
  }
  return padded;
}

}  // namespace whorl::studies::image_filters
