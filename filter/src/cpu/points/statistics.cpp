#include "filter/src/kernels/points/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/points/points.hpp"
#include "filter/src/kernels/points/point_arithmetic.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::Observed;

// Pixels that the point operation makes at a time: they stay in the first-level cache.
constexpr Index chunk = 1024;
constexpr Index most_channels = 4;
// A thread counts in 32 bits, in four histograms in turn, because a number often equals its neighbor and would wait
// until the previous count is written.
constexpr Index most_pixels = Index{1} << 30;
constexpr std::size_t tables_side_by_side = 4;

/// Calls use(numbers, count) with chunks of the pixels [first, last) after the point operation, until a stop is
/// requested.
template <class T, class Use>
void each_chunk(const Context& ctx, const Observed& what, Index first, Index last, const void* from, const Use& use) {
  alignas(64) std::array<T, chunk * most_channels> made;
  const auto bytes = static_cast<Index>(bytes_of(what.through.from)) * what.through.channels_from;
  for (Index i = first; i < last && !ctx.cancel_requested(); i += chunk) {
    const Index count = std::min(chunk, last - i);
    const std::byte* source = static_cast<const std::byte*>(from) + i * bytes;
    if (what.through.count == 0) {
      use(reinterpret_cast<const T*>(source), count);
    } else {
      point_row(what.through, count, source, made.data());
      use(made.data(), count);
    }
  }
}

// Counts one color; `counts` has tables_side_by_side histograms.
template <class T>
void count_color(const T* numbers, Index count, Index channels, std::size_t levels, float low, float scale,
                 std::uint32_t* counts) {  // NOLINT(readability-non-const-parameter): they grow
  const auto level = [&](Index i) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<std::size_t>(kernels::point::bin_of(numbers[i * channels], scale, low));
    } else {
      return static_cast<std::size_t>(numbers[i * channels]);
    }
  };
  Index i = 0;
  for (; i + static_cast<Index>(tables_side_by_side) <= count; i += tables_side_by_side) {
    for (std::size_t k = 0; k < tables_side_by_side; ++k) ++counts[k * levels + level(i + static_cast<Index>(k))];
  }
  for (; i < count; ++i) ++counts[level(i)];
}

template <class T>
void count_levels_of(const Context& ctx, const Observed& what, float low, float scale, Index pixels, const void* from,
                     std::uint64_t* counts) {
  const std::size_t levels = std::is_same_v<T, std::uint8_t> ? 256 : kernels::point_bins;
  const auto colors = static_cast<std::size_t>(what.colors);
  const Index parts = std::max<Index>(ctx.threads(), divide_up(pixels, most_pixels));
  detail::parallel_for(ctx, "histogram", 0, parts, [&](Index part) {
    std::vector<std::uint32_t> own(colors * tables_side_by_side * levels);
    each_chunk<T>(ctx, what, pixels * part / parts, pixels * (part + 1) / parts, from,
                  [&](const T* numbers, Index count) {
                    for (std::size_t color = 0; color < colors; ++color) {
                      count_color(numbers + color, count, what.through.channels_to, levels, low, scale,
                                  own.data() + color * tables_side_by_side * levels);
                    }
                  });
#pragma omp critical(whorl_histogram)
    for (std::size_t i = 0; i < own.size(); ++i)
      counts[i / (tables_side_by_side * levels) * levels + i % levels] += own[i];
  });
}

void count_levels(const Context& ctx, const Observed& what, float low, float scale, Index pixels, const void* from,
                  std::uint64_t* counts) {
  with_pixel_type(what.through.to,
                  [&](auto number) { count_levels_of<decltype(number)>(ctx, what, low, scale, pixels, from, counts); });
}

void extremes(const Context& ctx, const Observed& what, Index pixels, const void* from, std::uint32_t* keys) {
  float least = INFINITY;
  float largest = -INFINITY;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static) reduction(min : least) reduction(max : largest)
  for (Index first = 0; first < pixels; first += chunk) {
    each_chunk<float>(ctx, what, first, std::min(first + chunk, pixels), from, [&](const float* numbers, Index count) {
      for (Index i = 0; i < count; ++i) {
        for (int c = 0; c < what.colors; ++c) {
          const float v = numbers[i * what.through.channels_to + c];
          if (!std::isfinite(v)) continue;
          least = std::min(least, v);
          largest = std::max(largest, v);
        }
      }
    });
  }
  if (least > largest) return;
  keys[0] = std::min(keys[0], kernels::key_of(least));
  keys[1] = std::max(keys[1], kernels::key_of(largest));
}

void sum_colors(const Context& ctx, const Observed& what, Index pixels, const void* from, double* sums) {
  using Sums = std::array<double, most_channels>;
  std::vector<Sums> parts(static_cast<std::size_t>(divide_up(pixels, chunk)));
  const auto count = static_cast<Index>(parts.size());
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index part = 0; part < count; ++part) {
    Sums own{};
    each_chunk<float>(
        ctx, what, part * chunk, std::min((part + 1) * chunk, pixels), from, [&](const float* numbers, Index n) {
          for (Index i = 0; i < n; ++i) {
            for (int c = 0; c < what.colors; ++c) {
              own[static_cast<std::size_t>(c)] += static_cast<double>(numbers[i * what.through.channels_to + c]);
            }
          }
        });
    parts[static_cast<std::size_t>(part)] = own;
  }
  for (const Sums& part : parts) {
    for (int c = 0; c < what.colors; ++c) sums[c] += part[static_cast<std::size_t>(c)];
  }
}

}  // namespace

void register_statistics() {
  kernels::count_levels.set(DeviceKind::cpu, count_levels);
  kernels::extremes.set(DeviceKind::cpu, extremes);
  kernels::sum_colors.set(DeviceKind::cpu, sum_colors);
}

}  // namespace whorl::backend::cpu
