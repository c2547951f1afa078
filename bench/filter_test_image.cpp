#include "bench/filter_test_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "whorl/core/random.hpp"

namespace whorl::bench {

Image filter_test_image(const Context& ctx, const ImageFormat& format) {
  constexpr std::uint64_t seed = 11;
  Image image(ctx.host(), format);
  const Index channels = count_of(format.channels);
  const auto height = static_cast<double>(format.height);
  const auto width = static_cast<double>(format.width);
  with_pixel_type(format.type, [&](auto number) {
    using T = decltype(number);
    const ArrayRef<T> pixels = image.pixels<T>();
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
    for (Index row = 0; row < format.slices() * format.height; ++row) {
      const auto y = static_cast<double>(row % format.height);
      const Index slice = row / format.height;
      const auto z = static_cast<double>(slice);
      for (Index i = 0; i < format.row(); ++i) {
        const Index column = i / channels;
        const auto x = static_cast<double>(column);
        const auto c = static_cast<double>(i % channels);
        const double radius = std::hypot(y / height - 0.4, x / width - 0.55 + 0.02 * c + 0.01 * z);
        double value = 0.3 * x / width + 0.2 * y / height;
        value += radius < 0.25 ? 0.5 : 0.1;
        value += 0.1 * std::sin(0.9 * x + 0.3 * y + c) * std::cos(0.2 * x - 1.1 * y + z);
        value += 0.3 * (random_uniform(seed, static_cast<std::uint64_t>(row * format.row() + i)) - 0.5);
        if constexpr (std::is_floating_point_v<T>) {
          pixels.data()[row * format.row() + i] = static_cast<T>(2 * value - 0.5);
        } else {
          const double scaled = std::floor(value * (full_scale(format.type) + 1));
          pixels.data()[row * format.row() + i] = static_cast<T>(std::clamp(scaled, 0.0, full_scale(format.type)));
        }
      }
    }
  });
  return clone(ctx, image);
}

}  // namespace whorl::bench
