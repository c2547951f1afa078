#include "studies/image_filters/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "whorl/core/random.hpp"

namespace whorl::studies::image_filters {

namespace {

constexpr std::size_t sample_count = 8192;
constexpr std::uint64_t seed = 3;

struct Sample {
  Index y;
  Index x;
  std::array<double, 3> value;
};

// Every fourth pixel lies at the upper or lower edge, and every fourth at the left or right one.
Sample place(std::size_t i, const ImageFormat& format) {
  constexpr std::size_t kinds = 8;
  const auto somewhere = [&](Index n, std::uint64_t at) {
    return std::min(n - 1, static_cast<Index>(random_uniform(seed, at) * static_cast<double>(n)));
  };
  Sample sample{somewhere(format.height, 2 * i), somewhere(format.width, 2 * i + 1), {}};
  switch (i % kinds) {
    case 0:
      sample.y = 0;
      break;
    case 1:
      sample.y = format.height - 1;
      break;
    case 2:
      sample.x = 0;
      break;
    case 3:
      sample.x = format.width - 1;
      break;
    default:
      break;
  }
  return sample;
}

}  // namespace

Check largest_difference(const Context& host, const ImageFormat& result, const Exact& exact) {
  const auto samples = std::make_shared<std::vector<Sample>>(sample_count);
#pragma omp parallel for num_threads(host.threads()) schedule(dynamic, 64)
  for (std::size_t i = 0; i < sample_count; ++i) {
    Sample sample = place(i, result);
    for (int c = 0; c < 3; ++c) {
      const double value = exact(static_cast<int>(sample.y), static_cast<int>(sample.x), c);
      sample.value[static_cast<std::size_t>(c)] = std::clamp(value, 0.0, full_scale(PixelType::uint8));
    }
    (*samples)[i] = sample;
  }
  return [samples](const Image& image, Index rows) {
    const Byte* const pixels = image.pixels<Byte>().data();
    double largest = 0;
    for (const Sample& sample : *samples) {
      if (sample.y >= rows) continue;
      const Byte* const pixel = pixels + 3 * (sample.y * image.format().width + sample.x);
      for (std::size_t c = 0; c < 3; ++c) largest = std::max(largest, std::abs(pixel[c] - sample.value[c]));
    }
    return largest;
  };
}

Check differing_pixels(std::vector<Byte> expected) {
  return [expected = std::move(expected)](const Image& image, Index rows) {
    const std::span<const Byte> pixels = image.pixels<Byte>().span();
    const Index compared = rows * image.format().row();
    Index count = 0;
    for (Index i = 0; i < compared; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (pixels[at] != expected[at]) ++count;
    }
    return static_cast<double>(count);
  };
}

}  // namespace whorl::studies::image_filters
