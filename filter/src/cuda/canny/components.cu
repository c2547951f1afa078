#include <limits>
#include <string>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/canny/bit_rows.cuh"
#include "filter/src/cuda/canny/components.cuh"
#include "filter/src/cuda/canny/components.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace components;

// Seeds first grow within tiles, in registers. Only components that reach the edge of a tile without a seed stay open;
// they are united across the edges in global memory. The nodes of a tile and of its slice are numbered in the same
// order.
constexpr int tile_columns = 4;  // words
constexpr int tile_rows = 32;    // one for each lane of a warp
constexpr int tile_words = tile_columns * tile_rows;
constexpr int warps = 4;  // each with a tile of its own
constexpr int list_runs = 256;
// Several threads share a word at the edge of two tiles, because its chains of accesses are long.
constexpr int part_bits = 4;
constexpr int parts = word_bits / part_bits;
constexpr int end = word_bits - 1;

struct Masks {
  Index slices, words_per_slice;
  int height, words_per_row;
  int tiles_x, tiles_y;
  const Word* mask;
  Word* seeds;
  Word* open;    // runs of components that may be connected with a seed in other tiles
  int* parents;  // parents of open runs, and of all runs that touch the edge of a tile
};

// The words beside one word: the left one, and three in the row above.
struct Near {
  Word left, above, above_left, above_right;
};

// Calls f(word, its bits, a bit) for the earlier runs that a run of a word touches; the row above is `step` words away.
// One of two runs that touch each other is enough.
template <class Function>
__device__ void for_near_runs(int word, int step, Word run, const Near& near, const Function& f) {
  for (Word touched = near.above & (run | run << 1 | run >> 1); touched != 0; touched &= ~lowest_run(touched)) {
    f(word - step, near.above, lowest_bit(touched));
  }
  if ((run & 1U) != 0) {
    if (near.left >> end != 0) {
      f(word - 1, near.left, end);
    } else if (near.above_left >> end != 0 && (near.above & 1U) == 0) {
      f(word - step - 1, near.above_left, end);
    }
  }
  if (run >> end != 0 && (near.above_right & 1U) != 0 && near.above >> end == 0) {
    f(word - step + 1, near.above_right, 0);
  }
}

// The words of a tile's row: one access if rows are aligned to tiles. Each row is in a cache line of its own.
struct alignas(tile_columns * sizeof(Word)) TileRow {
  Word words[tile_columns];
};
__device__ TileRow load_row(const Word* from, int columns, bool at_once) {
  if (at_once && columns > 0) return *reinterpret_cast<const TileRow*>(from);
  TileRow row{};
#pragma unroll
  for (int i = 0; i < tile_columns; ++i) {
    if (i < columns) row.words[i] = from[i];
  }
  return row;
}
__device__ void store_row(Word* to, const TileRow& row, int columns, bool at_once) {
  if (at_once && columns > 0) {
    *reinterpret_cast<TileRow*>(to) = row;
    return;
  }
#pragma unroll
  for (int i = 0; i < tile_columns; ++i) {
    if (i < columns) to[i] = row.words[i];
  }
}

__device__ BitRow row_of(const TileRow& row) {
  return {row.words[0] | std::uint64_t{row.words[1]} << word_bits,
          row.words[2] | std::uint64_t{row.words[3]} << word_bits};
}
__device__ Word word_of(const BitRow& row, int column) {
  const std::uint64_t half = column < tile_columns / 2 ? row.low : row.high;
  return static_cast<Word>(half >> (column % 2 * word_bits));
}

__device__ TileRow tile_row_of(const BitRow& row) {
  return {word_of(row, 0), word_of(row, 1), word_of(row, 2), word_of(row, 3)};
}

__global__ void __launch_bounds__(warps* tile_rows) tile_kernel(Masks masks) {
  // Open runs, which have no seed, are numbered in the order in which they are found.
  using Number = std::uint16_t;
  __shared__ Number roots_of_warps[warps][tile_words * nodes_per_word];
  __shared__ Word open_of_warps[warps][tile_words];
  __shared__ Number first_of_warps[warps][tile_words];
  __shared__ Number lists_of_warps[warps][list_runs];
  const int row = static_cast<int>(threadIdx.x) % tile_rows;
  const int warp = static_cast<int>(threadIdx.x) / tile_rows;
  // 32 bits suffice: the parents of 2^32 words would not fit into any memory.
  const auto tiles = static_cast<unsigned>(masks.tiles_x * masks.tiles_y);
  const unsigned tile = blockIdx.x * warps + static_cast<unsigned>(warp);
  const Index slice = tile / tiles;
  if (slice >= masks.slices) return;
  const auto place = static_cast<int>(tile % tiles);
  const int x0 = place % masks.tiles_x * tile_columns;
  const int y0 = place / masks.tiles_x * tile_rows;
  const auto number_at = [&](int y, int column) { return (y0 + y) * masks.words_per_row + x0 + column; };
  const Index first_word = slice * masks.words_per_slice;
  volatile Number* const roots = roots_of_warps[warp];
  Word* const open_words = open_of_warps[warp];
  Number* const first_runs = first_of_warps[warp];
  int* const known = masks.parents + first_word * nodes_per_word;

  const int columns = y0 + row < masks.height ? min(tile_columns, masks.words_per_row - x0) : 0;
  const bool at_once = masks.words_per_row % tile_columns == 0;
  const Index here = first_word + number_at(row, 0);
  const BitRow mask = row_of(load_row(masks.mask + here, columns, at_once));
  const BitRow grown = flood(mask, row_of(load_row(masks.seeds + here, columns, at_once)));
  BitRow edge{1U, std::uint64_t{1} << (2 * word_bits - 1)};
  if (row == 0 || row + 1 == tile_rows) edge = {~std::uint64_t{0}, ~std::uint64_t{0}};
  const BitRow rest = without(mask, grown);
  const BitRow open = flood(rest, rest & edge);
  store_row(masks.open + here, tile_row_of(open), columns, at_once);
  store_row(masks.seeds + here, tile_row_of(grown), columns, at_once);

  int count = 0;
#pragma unroll
  for (int i = 0; i < tile_columns; ++i) {
    count += __popc(begins_of(word_of(open, i)));
    const Word edge_here = word_of(edge, i);
    for (Word runs = word_of(grown, i); (runs & edge_here) != 0; runs &= ~lowest_run(runs)) {
      if ((lowest_run(runs) & edge_here) != 0) known[node_of(number_at(row, i), lowest_bit(runs))] = seeded;
    }
  }
  const int begin = sum_of_lanes_before(count);
  const int all = __shfl_sync(~0U, begin + count, tile_rows - 1);
  int next = begin;
#pragma unroll
  for (int i = 0; i < tile_columns; ++i) {
    const Word open_here = word_of(open, i);
    open_words[row * tile_columns + i] = open_here;
    first_runs[row * tile_columns + i] = static_cast<Number>(next);
    next += __popc(begins_of(open_here));
  }
  for (int run = row; run < all; run += tile_rows) roots[run] = static_cast<Number>(run);

  // Some lanes have many runs and some have few, so they share a list of runs, in several rounds if the list is too
  // short.
  Number* const list = lists_of_warps[warp];
  bool is_listed = false;
  const auto for_runs = [&](const auto& f) {
    for (int round = 0; round < all; round += list_runs) {
      int place = begin + count - round;
#pragma unroll
      for (int i = tile_columns - 1; i >= 0 && !is_listed; --i) {
        for (Word begins = begins_of(word_of(open, i)); begins != 0;) {
          const int bit = end - __clz(static_cast<int>(begins));
          begins ^= Word{1} << bit;
          --place;
          if (place >= 0 && place < list_runs) {
            list[place] = static_cast<Number>((row * tile_columns + i) * word_bits + bit);
          }
        }
      }
      is_listed = all <= list_runs;
      __syncwarp();
      for (int at = row; at < min(list_runs, all - round); at += tile_rows) {
        f(round + at, list[at] / word_bits, list[at] % word_bits);
      }
      __syncwarp();
    }
  };

  // Runs that touch hook the larger of their roots to the smaller. A lane may overwrite the hook of another; it is then
  // repeated, because rounds continue until all runs that touch have the same root. Each round has fewer roots.
  bool hooks = true;
  while (__any_sync(~0U, hooks)) {
    hooks = false;
    for_runs([&](int number, int word, int bit) {
      const bool first = word % tile_columns == 0;
      const bool last = word % tile_columns + 1 == tile_columns;
      Near near{};
      if (!first) near.left = open_words[word - 1];
      if (word >= tile_columns) {
        near.above = open_words[word - tile_columns];
        if (!first) near.above_left = open_words[word - tile_columns - 1];
        if (!last) near.above_right = open_words[word - tile_columns + 1];
      }
      const auto hook = [&](int near_word, Word bits, int near_bit) {
        const int before = __popc(begins_of(bits) << (end - near_bit));
        const int a = roots[number];
        const int b = roots[first_runs[near_word] + before - 1];
        if (a == b) return;
        roots[max(a, b)] = static_cast<Number>(min(a, b));
        hooks = true;
      };
      for_near_runs(word, tile_columns, lowest_run(open_words[word] >> bit << bit), near, hook);
    });
    for (int run = row; run < all; run += tile_rows) {
      int root = roots[run];
      for (int above = roots[root]; above != root; above = roots[root]) root = above;
      roots[run] = static_cast<Number>(root);
    }
    __syncwarp();
  }

  // At the end roots store their pixel.
  constexpr int is_pixel = 1 << 15;
  static_assert(tile_words * word_bits <= is_pixel);
  for_runs([&](int number, int word, int bit) {
    if (roots[number] == number) roots[number] = static_cast<Number>(is_pixel | word * word_bits | bit);
  });
  for_runs([&](int number, int word, int bit) {
    const int above = roots[number];
    const int pixel = ((above & is_pixel) != 0 ? above : static_cast<int>(roots[above])) - is_pixel;
    const int root = pixel / word_bits;
    known[node_of(number_at(word / tile_columns, word % tile_columns), bit)] =
        node_of(number_at(root / tile_columns, root % tile_columns), pixel % word_bits);
  });
}

// A thread handles the runs that begin in a part of a word below the edge of two tiles, or the pixels on both sides of
// an edge to the left.
__global__ void edge_kernel(Masks masks) {
  const int width = masks.words_per_row;
  const int below = (masks.tiles_y - 1) * width * parts;
  const int beside = (masks.tiles_x - 1) * masks.height;
  const auto of_slice = static_cast<unsigned>(below + beside);
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < masks.slices * of_slice; at += stride) {
    const Index slice = at / of_slice;
    const auto place = static_cast<int>(at % of_slice);
    const Word* const mask = masks.mask + slice * masks.words_per_slice;
    volatile int* const parents = masks.parents + slice * masks.words_per_slice * nodes_per_word;
    if (place < below) {
      const int at_edge = place / parts;
      const int column = at_edge % width;
      const int word = (at_edge / width + 1) * tile_rows * width + column;
      const Word here = mask[word];
      Near near{};
      near.above = mask[word - width];
      if (column > 0) near.above_left = mask[word - width - 1];
      if (column + 1 < width) near.above_right = mask[word - width + 1];
      constexpr Word part = (Word{1} << part_bits) - 1;
      for (Word begins = begins_of(here) & part << (place % parts * part_bits); begins != 0; begins &= begins - 1) {
        const int bit = lowest_bit(begins);
        for_near_runs(word, width, lowest_run(here >> bit << bit), near, [&](int near_word, Word bits, int near_bit) {
          unite(parents, node_of(word, bit), node_of(near_word, begin_of_run(bits, near_bit)));
        });
      }
    } else {
      const int number = place - below;
      const int row = number / (masks.tiles_x - 1);
      const int word = row * width + (number % (masks.tiles_x - 1) + 1) * tile_columns;
      const Word left = mask[word - 1];
      const Word above_left = row > 0 ? mask[word - width - 1] : 0;
      const Word above = row > 0 ? mask[word - width] : 0;
      const bool is_left = left >> end != 0;
      // Pixels above each other are united elsewhere.
      if ((mask[word] & 1U) != 0) {
        if (is_left) {
          unite(parents, node_of(word, 0), node_of(word - 1, begin_of_run(left, end)));
        } else if (above_left >> end != 0) {
          unite(parents, node_of(word, 0), node_of(word - width - 1, begin_of_run(above_left, end)));
        }
      } else if (is_left && (above & 1U) != 0) {
        unite(parents, node_of(word - 1, begin_of_run(left, end)), node_of(word - width, 0));
      }
    }
  }
}

}  // namespace

OpenRuns grow_in_tiles(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask,
                       std::uint32_t* seeds) {
  const Index words_per_slice = masks.height * masks.words_per_row();
  if (words_per_slice > std::numeric_limits<int>::max() / nodes_per_word) {
    throw Unsupported("canny: takes slices of up to 2^32 pixels on a GPU, got " + std::to_string(masks.width) + " x " +
                      std::to_string(masks.height) + "; use the CPU");
  }
  const auto words_per_row = static_cast<int>(masks.words_per_row());
  const auto height = static_cast<int>(masks.height);
  const int tiles_x = divide_up(words_per_row, tile_columns);
  const int tiles_y = divide_up(height, tile_rows);
  OpenRuns runs{Array<Word>(ctx, {masks.words()}), Array<int>(ctx, {masks.words() * nodes_per_word})};
  const Masks job{masks.slices,      words_per_slice,    height, words_per_row, tiles_x, tiles_y, mask, seeds,
                  runs.words.data(), runs.parents.data()};
  const Index tiles = masks.slices * tiles_x * tiles_y;
  launch(ctx, "canny", tile_kernel, {grid_of(divide_up(tiles, warps)), warps * tile_rows}, job);
  const Index edges = masks.slices * ((tiles_y - 1) * masks.words_per_row() * parts + (tiles_x - 1) * masks.height);
  if (edges > 0) {
    launch_loop(ctx, "canny", edge_kernel, edges, job);
  }
  return runs;
}

}  // namespace whorl::backend::cuda
