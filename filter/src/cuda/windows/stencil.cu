// Correlation with small kernels, on an NVIDIA GPU. The first code in this list that takes the image and the kernel is
// used:
//
//   bytes to bytes, weights of one digit, up to 5 x 5   stencil_columns  four products in an instruction, down strips
//   gray floats, 3 x 3 or 5 x 5                         stencil_window   a thread goes down a strip, all in registers
//   bytes, sums in 32 bits                              stencil_bytes    a tile in shared memory, four products in an
//                                                                        instruction, weights of one digit or two
//   all others                                          stencil_numbers  a tile in shared memory, a product at a time
//
// The first two do point operations in their load and store; for the others these are passes of their own.
#include "filter/src/cuda/windows/stencil.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/points/point_ends.hpp"
#include "filter/src/cuda/windows/stencil_bytes.cuh"
#include "filter/src/cuda/windows/stencil_columns.cuh"
#include "filter/src/cuda/windows/stencil_numbers.cuh"
#include "filter/src/cuda/windows/stencil_window.cuh"
#include "filter/src/cuda/word_rows.cuh"
#include "whorl/core/integer.hpp"
#include "whorl/filter/windows/image_kernel.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::PointEnds;

constexpr int block_threads = 256;

StencilJob job_of(const ImageFormat& format, const kernels::Stencil& stencil, int tile_x, int tile_y) {
  StencilJob job{};
  job.slices = format.slices();
  job.height = format.height;
  job.width = format.width;
  job.channels = count_of(format.channels);
  job.kernel_width = static_cast<int>(stencil.width);
  job.kernel_height = static_cast<int>(stencil.height);
  job.border = stencil.border;
  job.border_value = static_cast<float>(stencil.border_value);
  job.absolute = stencil.absolute;
  job.single_finish = stencil.single_finish;
  job.scale = stencil.scale;
  job.offset = stencil.offset;
  job.scale_single = static_cast<float>(stencil.scale);
  job.offset_single = static_cast<float>(stencil.offset);
  job.tiles_x = divide_up(format.width, tile_x);
  job.tiles_y = divide_up(format.height, tile_y);
  return job;
}

/// Weights for a launch: in its arguments, or on the device if there are many.
struct Weights {
  StencilWeights small{};
  Array<int> large;

  Weights(const Context& ctx, const std::vector<int>& words) {
    if (words.size() <= StencilWeights::most) {
      std::copy(words.begin(), words.end(), small.words);
    } else {
      large = upload<int>(ctx, words);
    }
  }
  const int* on_device() const { return large.size() == 0 ? nullptr : large.data(); }
};

/// The number of rows of the kernel for which shared memory suffices: it takes `fixed` words, and `each` more per row.
int rows_at_once(int kernel_rows, Index fixed, Index each) {
  constexpr Index words = stencil_shared_bytes / 4;
  return static_cast<int>(std::clamp<Index>((words - fixed) / each, 0, kernel_rows));
}

template <class T, class Word, class Sum, class Out>
void launch_numbers(const Context& ctx, StencilJob job, const std::vector<Word>& values, const T* from, Out* to) {
  const int row_words = (job.kernel_width + 3) / 4 * 4;
  std::vector<int> words(static_cast<std::size_t>(row_words) * job.kernel_height);
  for (int y = 0; y < job.kernel_height; ++y) {
    for (int x = 0; x < job.kernel_width; ++x) {
      words[static_cast<std::size_t>(y) * row_words + x] =
          std::bit_cast<int>(values[static_cast<std::size_t>(y) * job.kernel_width + x]);
    }
  }
  job.pitch = (spread_word(numbers_tile_x + row_words + 4) + 3) / 4 * 4;
  // At least one row, even of the widest kernel.
  constexpr int widest = (longest_kernel_side + 3) / 4 * 4;
  constexpr int widest_pitch = spread_word(numbers_tile_x + widest + 4) + 3;
  static_assert((numbers_tile_y * widest_pitch + widest) * sizeof(int) <= stencil_shared_bytes);
  job.chunk_rows = rows_at_once(job.kernel_height, Index{numbers_tile_y - 1} * job.pitch, job.pitch + row_words);
  const std::size_t shared =
      sizeof(int) * (job.chunk_rows * row_words + (numbers_tile_y + job.chunk_rows - 1) * job.pitch);
  const Weights weights(ctx, words);
  const Index blocks = job.tiles_x * job.tiles_y * job.slices * job.channels;
  launch(ctx, "stencil", stencil_numbers<T, Word, Sum, Out>, {grid_of(blocks), block_threads, shared}, job,
         weights.small, weights.on_device(), from, to);
}

/// Words of four weights each: [digit][row][word][shift]; byte b of word m at shift j is the weight 4 m + b - j.
std::vector<int> shifted_weights(const kernels::Stencil& stencil, int kernel_words, int digits) {
  std::vector<int> words;
  const auto width = static_cast<int>(stencil.width);
  for (int digit = 0; digit < digits; ++digit) {
    for (Index y = 0; y < stencil.height; ++y) {
      for (int i = 0; i < kernel_words * 4; ++i) {
        std::uint32_t word = 0;
        for (int b = 0; b < 4; ++b) {
          const int x = i / 4 * 4 + b - i % 4;
          if (x < 0 || x >= width) continue;
          const int weight = stencil.integers[static_cast<std::size_t>(y * width + x)];
          const int low = static_cast<std::int8_t>(weight);
          word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(digit == 0 ? low : (weight - low) / 256))
                  << (8 * b);
        }
        words.push_back(static_cast<int>(word));
      }
    }
  }
  return words;
}

template <int M, int digits, class Out>
bool launch_bytes(const Context& ctx, StencilJob job, const kernels::Stencil& stencil, const std::uint8_t* from,
                  Out* to) {
  const int kernel_words = M == 4 ? (shifted_words(job.kernel_width) + 3) / 4 * 4 : M;
  job.pitch = bytes_tile_x / 4 + 4 + (M == 4 ? kernel_words - 4 : 0);
  const auto fit = [&](int planes) {
    const Index row = Index{planes} * job.pitch;
    const Index results = Index{planes} * bytes_tile_x / 4 * bytes_tile_y;
    job.planes = planes;
    job.chunk_rows =
        rows_at_once(job.kernel_height, (bytes_tile_y - 1) * row + results, row + Index{digits} * kernel_words * 4);
    return job.chunk_rows;
  };
  // Channels are summed one after the other. If the kernel does not fit at once, each channel has a block of its own.
  if (job.channels == 2 || fit(job.channels) < job.kernel_height) fit(1);
  if (job.chunk_rows == 0) return false;
  const std::size_t shared =
      sizeof(int) *
      (Index{digits} * job.chunk_rows * kernel_words * 4 +
       Index{job.planes} * ((bytes_tile_y - 1 + job.chunk_rows) * job.pitch + bytes_tile_x / 4 * bytes_tile_y));
  const Weights weights(ctx, shifted_weights(stencil, kernel_words, digits));
  const Index blocks = job.tiles_x * job.tiles_y * job.slices * (job.channels / job.planes);
  std::uint8_t* bytes = nullptr;
  float* wide = nullptr;
  if constexpr (sizeof(Out) == 1) {
    bytes = to;
  } else {
    wide = to;
  }
  launch(ctx, "stencil", stencil_bytes<M, digits>, {grid_of(blocks), block_threads, shared}, job, weights.small,
         weights.on_device(), from, bytes, wide);
  return true;
}

bool is_whole(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(int4) == 0; }

/// Cuts the rows into strips that threads go down. Strips are shorter where the image has too few to fill the device.
template <class Job>
Index set_strips(const ImageFormat& format, Index row_vectors, Job& job) {
  constexpr int longest = 16;
  constexpr int shortest = 4;
  constexpr Index enough = 100'000;  // threads
  job.slices = format.slices();
  job.height = format.height;
  job.width = format.width;
  job.groups = static_cast<int>(row_vectors);
  job.strip_rows = longest;
  while (job.strip_rows > shortest && job.slices * row_vectors * job.height < enough * job.strip_rows) {
    job.strip_rows /= 2;
  }
  job.strips = static_cast<int>(divide_up(job.height, job.strip_rows));
  return job.slices * job.strips * row_vectors;
}

template <int size, int C, class Ends>
void launch_columns(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const Ends& ends,
                    const std::uint8_t* from, std::uint8_t* to) {
  const auto kernel = stencil_columns<size, C, Ends>;
  ColumnsJob job{};
  job.strips =
      byte_strips(ctx, format, stencil.border, repeated(static_cast<std::uint8_t>(stencil.border_value)), kernel);
  job.absolute = stencil.absolute;
  // Then the offset only serves for rounding, and is far enough from an integer for floats.
  constexpr double least = 1.0 / 64;
  job.whole = stencil.scale == 1 && stencil.offset >= least && stencil.offset <= 1 - least;
  job.start = job.whole ? 0 : float_start;
  job.scale = static_cast<float>(stencil.scale);
  job.offset = static_cast<float>(stencil.offset);
  const auto width = static_cast<int>(stencil.width);
  const auto height = static_cast<int>(stencil.height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto weight = static_cast<std::uint8_t>(stencil.integers[static_cast<std::size_t>(y * width + x)]);
      for (int r = 0; r < rows_of_words<size>; ++r) {
        const int row = y + (size - height) / 2 + r;
        auto& word = job.weights[r][x + (size - width) / 2][row / 4];
        word = static_cast<int>(static_cast<unsigned>(word) | static_cast<unsigned>(weight) << (row % 4 * 8));
      }
    }
  }
  launch(ctx, "stencil", kernel, {blocks_of(job.strips), strip_threads}, job, ends, from, to);
}

// True where results are so small that a float holds every integer near them, before they are clipped.
bool is_moderate(const kernels::Stencil& stencil) {
  constexpr double largest_level = 255;
  constexpr double most = 1 << 21;
  double gain = 0;
  for (const std::int32_t weight : stencil.integers) gain += std::abs(weight);
  return std::abs(stencil.scale) * gain * largest_level + std::abs(stencil.offset) < most;
}

// Whether all weights are one digit.
bool has_one_digit(const kernels::Stencil& stencil) {
  constexpr int longest = 127;
  return std::all_of(stencil.integers.begin(), stencil.integers.end(),
                     [](std::int32_t weight) { return std::abs(weight) <= longest; });
}

// Returns false if rows are not whole vectors, if the kernel, a weight or the results are too large, and for operations
// at the ends of images with alpha.
bool launch_on_columns(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                       const PointEnds& points, const std::uint8_t* from, std::uint8_t* to) {
  const Index size = std::max(stencil.width, stencil.height);
  const int channels = count_of(format.channels);
  if (!in_byte_strips(format, from, to) || size > columns_largest || channels == 2 || !stencil.short_sums ||
      !stencil.single_finish || !has_one_digit(stencil) || !is_moderate(stencil)) {
    return false;
  }
  return with_ends<std::uint8_t>(points, [&](const auto& ends) {
    using Ends = std::decay_t<decltype(ends)>;
    const auto launch = [&](auto small, auto large) {
      (size <= 3 ? small : large)(ctx, format, stencil, ends, from, to);
      return true;
    };
    if (channels == 1) return launch(launch_columns<3, 1, Ends>, launch_columns<columns_largest, 1, Ends>);
    if (channels == 3) return launch(launch_columns<3, 3, Ends>, launch_columns<columns_largest, 3, Ends>);
    if constexpr (Ends::any) {
      return false;
    } else {
      return launch(launch_columns<3, 4, Ends>, launch_columns<columns_largest, 4, Ends>);
    }
  });
}

// Returns false if a row of the kernel is too long for shared memory.
template <class Out>
bool launch_on_bytes(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                     const std::uint8_t* from, Out* to) {
  const StencilJob job = job_of(format, stencil, bytes_tile_x, bytes_tile_y);
  if (!has_one_digit(stencil)) return launch_bytes<4, 2>(ctx, job, stencil, from, to);
  switch (shifted_words(job.kernel_width)) {
    case 1:
    case 2:
      return launch_bytes<2, 1>(ctx, job, stencil, from, to);
    case 3:
      return launch_bytes<3, 1>(ctx, job, stencil, from, to);
    case 5:
      return launch_bytes<5, 1>(ctx, job, stencil, from, to);
    default:
      return launch_bytes<4, 1>(ctx, job, stencil, from, to);
  }
}

// In one kernel with the operations at its ends. Returns false, and does nothing, if there is no such kernel.
template <class T, class Out>
bool launch_with_ends(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                      const PointEnds& ends, const T* from, Out* to) {
  if constexpr (sizeof(T) == 1 && sizeof(Out) == 1) {
    return launch_on_columns(ctx, format, stencil, ends, from, to);
  } else if constexpr (std::is_floating_point_v<T>) {
    return correlate_window(ctx, format, stencil, ends, from, to);
  } else {
    return false;
  }
}

}  // namespace

bool correlate_window(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                      const PointEnds& points, const float* from, float* to) {
  const Index size = stencil.width;
  if (format.row() % window_each != 0 || !is_whole(from) || !is_whole(to) || count_of(format.channels) != 1 ||
      stencil.height != size || (size != 3 && size != window_largest) || !stencil.single_finish) {
    return false;
  }
  WindowJob job{};
  const Index threads = set_strips(format, format.width / window_each, job);
  job.border = stencil.border;
  job.border_value = static_cast<float>(stencil.border_value);
  job.absolute = stencil.absolute;
  job.scale = static_cast<float>(stencil.scale);
  job.offset = static_cast<float>(stencil.offset);
  for (std::size_t i = 0; i < stencil.reals.size(); ++i) job.weights[i / size][i % size] = stencil.reals[i];
  const dim3 blocks = grid_of(divide_up(threads, window_threads));
  with_ends<float>(points, [&](const auto& ends) {
    using Ends = std::decay_t<decltype(ends)>;
    const auto kernel = size == 3 ? stencil_window<3, Ends> : stencil_window<window_largest, Ends>;
    launch(ctx, "stencil", kernel, {blocks, window_threads}, job, ends, from, to);
  });
  return true;
}

namespace {

template <class T, class Out>
void stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& kernel, const PointEnds& ends,
             const void* image, void* result) {
  const T* const from = static_cast<const T*>(image);
  Out* const to = static_cast<Out*>(result);
  if (launch_with_ends<T, Out>(ctx, format, kernel, ends, from, to)) return;
  if (ends.any()) {
    return in_passes<T, Out>(ctx, format, ends, image, result, [&](const T* loaded, Out* sums) {
      stencil<T, Out>(ctx, format, kernel, {}, loaded, sums);
    });
  }
  if constexpr (sizeof(T) == 1) {
    if (kernel.short_sums && launch_on_bytes(ctx, format, kernel, from, to)) return;
  }
  const StencilJob job = job_of(format, kernel, numbers_tile_x, numbers_tile_y);
  if constexpr (std::is_floating_point_v<T>) {
    launch_numbers<T, float, float>(ctx, job, kernel.reals, from, to);
  } else if (kernel.short_sums) {
    launch_numbers<T, int, int>(ctx, job, kernel.integers, from, to);
  } else {
    launch_numbers<T, int, long long>(ctx, job, kernel.integers, from, to);
  }
}

}  // namespace

void register_stencil() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::stencil<T, T>.set(DeviceKind::cuda, stencil<T, T>);
    kernels::stencil<T, float>.set(DeviceKind::cuda, stencil<T, float>);
  });
}

}  // namespace whorl::backend::cuda
