#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/ordered/morphology_tiles.hpp"
#include "filter/src/cuda/ordered/packed_extremum.cuh"
#include "filter/src/cuda/word_rows.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Extremum;
using kernels::Rectangle;

constexpr int lanes = 32;
constexpr int warps = 8;
// The number of words in a tile's rows including the halo, and the largest halo.
constexpr int pitch = 96;
constexpr int most_halo = pitch / 2;
constexpr int words_per_lane = pitch / lanes;
constexpr int largest_tile = 32;
constexpr int smallest_tile = 16;
constexpr int most_rectangles = 16;
// The shared memory that every device gives a block, minus the tables of operations at the ends.
constexpr std::size_t most_shared = (std::size_t{64} << 10) - 2 * TableEnds::table_words * sizeof(unsigned);

struct Windows {
  int count = 0;
  int reach_x = 0, reach_y = 0;
  int tile_rows = 0;
  int tile_words = 0;
  int x[most_rectangles] = {};
  int y[most_rectangles] = {};
  __host__ __device__ int rows() const { return tile_rows + 2 * reach_y; }
};

// Windows of `length` numbers become longer ones, the union of up to four that overlap.
struct Widening {
  static constexpr int most_taps = 4;
  int length, longer, taps;

  __device__ Widening(int before, int side)
      : length(before), longer(min(most_taps * before, side)), taps(divide_up(longer, before)) {}
  __device__ int offset(int tap) const { return min(tap * length, longer - length); }
};

template <class T, Extremum which, class Ends>
__global__ void __launch_bounds__(lanes* warps)
    extremum_of_tiles(EdgeSlice<T> image, Windows windows, const __grid_constant__ Ends ends, T* __restrict__ to) {
  using Keys = PackedExtremum<T, which>;
  extern __shared__ std::uint32_t words[];
  constexpr int per_word = numbers_per_word<T>;
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  const Index slice = blockIdx.z;
  const Index row = image.width * image.channels;
  const Index left = Index{blockIdx.x} * windows.tile_words * per_word;
  const Index top = Index{blockIdx.y} * windows.tile_rows;
  const int size = windows.rows() * pitch;
  const int pixel_bytes = image.channels * static_cast<int>(sizeof(T));
  const WordRows<T> source{slice_of(image, slice), row};
  const Index end = row + windows.reach_x * image.channels;

  if constexpr (Ends::any) {
    ends.prepare();
    __syncthreads();
  }
  for (int y = warp; y < windows.rows(); y += warps) {
    const T* start = source.start(top + y - windows.reach_y);
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) {
      const int word = lane + i * lanes;
      const Index first = left + word * per_word - windows.reach_x * image.channels;
      // The last tile of a row may extend far beyond the needed pixels.
      words[y * pitch + word] = first < end ? source.word(start, first, ends) : 0;
    }
  }
  __syncthreads();

  // The number of rows of a thread, which are `warps` apart.
  constexpr int most_rows = largest_tile / warps;
  std::uint32_t results[most_rows][words_per_lane];
  // Later rectangles need the tile itself.
  std::uint32_t* const other = windows.count > 1 ? words + 2 * size : words;
  for (int k = 0; k < windows.count; ++k) {
    const std::uint32_t* latest = words + (windows.reach_y - windows.y[k]) * pitch;
    std::uint32_t* next = words + size;
    const auto done = [&] {
      __syncthreads();
      latest = next;
      next = next == other ? words + size : other;
    };
    const int height = 2 * windows.y[k] + 1;
    for (int length = 1; length < height;) {
      const Widening widen(length, height);
      const int rows = windows.tile_rows + height - widen.longer;
      for (int y = warp; y < rows; y += warps) {
#pragma unroll
        for (int i = 0; i < words_per_lane; ++i) {
          const std::uint32_t* at = latest + y * pitch + lane + i * lanes;
          std::uint32_t best = at[0];
          for (int tap = 1; tap < widen.taps; ++tap) best = Keys::of(best, at[widen.offset(tap) * pitch]);
          next[y * pitch + lane + i * lanes] = best;
        }
      }
      done();
      length = widen.longer;
    }
    const int width = 2 * windows.x[k] + 1;
    int start = (windows.reach_x - windows.x[k]) * pixel_bytes;
    const auto taken = [&](int y, int word, const Widening& widen) {
      std::uint32_t best = 0;
      for (int tap = 0; tap < widen.taps; ++tap) {
        const int bytes = start + widen.offset(tap) * pixel_bytes;
        // Numbers that are read beyond the end of a row are not used.
        const int at = min(word + bytes / word_bytes, pitch - 2);
        const std::uint32_t* pair = latest + y * pitch + at;
        const std::uint32_t found = __funnelshift_r(pair[0], pair[1], 8 * (bytes % word_bytes));
        best = tap == 0 ? found : Keys::of(best, found);
      }
      return best;
    };
    int length = 1;
    for (; Widening::most_taps * length < width; length *= Widening::most_taps) {
      const Widening widen(length, width);
      for (int y = warp; y < windows.tile_rows; y += warps) {
#pragma unroll
        for (int i = 0; i < words_per_lane; ++i) {
          next[y * pitch + lane + i * lanes] = taken(y, lane + i * lanes, widen);
        }
      }
      done();
      start = 0;
    }
    const Widening last(length, width);
#pragma unroll
    for (int j = 0; j < most_rows; ++j) {
      const int y = warp + j * warps;
      if (y >= windows.tile_rows) continue;
#pragma unroll
      for (int i = 0; i < words_per_lane; ++i) {
        const std::uint32_t found = taken(y, lane + i * lanes, last);
        results[j][i] = k == 0 ? found : Keys::of(results[j][i], found);
      }
    }
    if (k + 1 < windows.count) __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < most_rows; ++j) {
    const Index y = top + warp + j * warps;
    if (warp + j * warps >= windows.tile_rows || y >= image.height) continue;
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) {
      const int word = lane + i * lanes;
      const Index first = left + word * per_word;
      if (word < windows.tile_words) {
        store_word(results[j][i], first, row, to + (slice * image.height + y) * row + first, ends);
      }
    }
  }
}

template <class T, Extremum which, class Ends>
void start(const Context& ctx, const EdgeSlice<T>& image, Index slices, const Windows& windows, const Ends& ends,
           T* to) {
  const dim3 blocks = grid_of(divide_up(image.width * image.channels, Index{windows.tile_words} * numbers_per_word<T>),
                              divide_up(image.height, windows.tile_rows), slices);
  const std::size_t shared =
      sizeof(std::uint32_t) * static_cast<std::size_t>(pitch * windows.rows() * (windows.count > 1 ? 3 : 2));
  const auto kernel = extremum_of_tiles<T, which, Ends>;
  // Always, because the tables of the ends are in shared memory too, which `launch` does not know.
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most_shared)),
        "window_extremum");
  launch(ctx, "window_extremum", kernel, {blocks, dim3(lanes, warps), shared}, image, windows, ends, to);
}

}  // namespace

template <class T>
bool window_extremum_by_tiles(const Context& ctx, const ImageFormat& format, Extremum which,
                              const std::vector<Rectangle>& rectangles, kernels::Edge<T> edge,
                              const kernels::PointEnds& points, const T* from, T* to) {
  if (rectangles.size() > most_rectangles) return false;
  Rectangle reach;
  Windows windows;
  for (const Rectangle& rectangle : rectangles) {
    reach = {std::max(reach.x, rectangle.x), std::max(reach.y, rectangle.y)};
    windows.x[windows.count] = static_cast<int>(rectangle.x);
    windows.y[windows.count] = static_cast<int>(rectangle.y);
    ++windows.count;
  }
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const Index halo_bytes = 2 * reach.x * image.channels * static_cast<Index>(sizeof(T));
  // One more word for halos that cross the end of a word.
  const Index halo = divide_up(halo_bytes, word_bytes) + 1;
  if (halo > most_halo) return false;
  const Index copies = windows.count > 1 ? 3 : 2;
  const auto fits = [&](Index rows) {
    return static_cast<std::size_t>((rows + 2 * reach.y) * pitch * copies) * sizeof(std::uint32_t) <= most_shared;
  };
  windows.reach_x = static_cast<int>(reach.x);
  windows.reach_y = static_cast<int>(reach.y);
  windows.tile_words = pitch - static_cast<int>(halo);
  windows.tile_rows = fits(largest_tile) ? largest_tile : smallest_tile;
  if (!fits(windows.tile_rows)) return false;
  with_ends<T>(points, [&](const auto& ends) {
    if (which == Extremum::smallest) {
      start<T, Extremum::smallest>(ctx, image, format.slices(), windows, ends, to);
    } else {
      start<T, Extremum::largest>(ctx, image, format.slices(), windows, ends, to);
    }
  });
  return true;
}

#define WHORL_INSTANTIATE(T)                                                                                          \
  template bool window_extremum_by_tiles(const Context&, const ImageFormat&, Extremum, const std::vector<Rectangle>&, \
                                         kernels::Edge<T>, const kernels::PointEnds&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
