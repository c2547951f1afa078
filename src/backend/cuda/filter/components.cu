#include <limits>
#include <string>

#include "backend/cuda/filter/bit_rows.cuh"
#include "backend/cuda/filter/components.cuh"
#include "backend/cuda/filter/components.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "whorl/core/error.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace components;

// Seeds grow within tiles first, in registers; only components that reach the edge of a tile without a seed stay open,
// and are united across the edges in global memory. Numbers of the nodes of a tile and of its slice are in the same
// order.
constexpr int tile_columns = 4;  // words
constexpr int tile_rows = 32;    // one for each lane of a warp
constexpr int tile_words = tile_columns * tile_rows;
constexpr int warps = 4;  // each with a tile of its own
constexpr int list_runs = 256;
constexpr int end = word_bits - 1;

struct Masks {
  Index slices, words_per_slice;
  int height, words_per_row;
  int tiles_x, tiles_y;
  const Word* mask;
  Word* seeds;
  Word* open;    // runs of components of which other tiles tell whether they hold a seed
  int* parents;  // of open runs, and of all that touch the edge of a tile
};

// The words around one: left, and those of the row above.
struct Near {
  Word left, above, above_left, above_right;
};

// What a run of a word has in common with those that come before it; the row above is `step` words away.
template <class Node>
__device__ void unite_run(volatile Node* parents, int word, int step, Word run, const Near& near) {
  const int node = node_of(word, lowest_bit(run));
  for (Word touched = near.above & (run | run << 1 | run >> 1); touched != 0;) {
    const int bit = lowest_bit(touched);
    unite(parents, node, node_of(word - step, begin_of_run(near.above, bit)));
    touched &= ~lowest_run(touched);
  }
  if ((run & 1U) != 0) {
    if (near.left >> end != 0) unite(parents, node, node_of(word - 1, begin_of_run(near.left, end)));
    if (near.above_left >> end != 0) {
      unite(parents, node, node_of(word - step - 1, begin_of_run(near.above_left, end)));
    }
  }
  if (run >> end != 0 && (near.above_right & 1U) != 0) unite(parents, node, node_of(word - step + 1, 0));
}

template <class Node>
__device__ void unite_word(volatile Node* parents, int word, int step, Word here, const Near& near) {
  for (Word rest = here; rest != 0;) {
    const Word run = lowest_run(rest);
    rest &= ~run;
    unite_run(parents, word, step, run, near);
  }
}

// The sum of the numbers of all lanes before.
__device__ int sum_before(int lane, int number) {
  int sum = number;
#pragma unroll
  for (int step = 1; step < tile_rows; step *= 2) {
    const int before = __shfl_up_sync(~0U, sum, step);
    if (lane >= step) sum += before;
  }
  return sum - number;
}

// The words of a tile's row, in one access where rows begin at whole tiles: each row lies on a line of its own.
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
  // Of open runs: they have no seed.
  using TileNode = unsigned short;
  __shared__ TileNode parents_of_warps[warps][tile_words * nodes_per_word];
  __shared__ Word open_of_warps[warps][tile_words];
  __shared__ std::uint16_t lists_of_warps[warps][list_runs];
  const int row = static_cast<int>(threadIdx.x) % tile_rows;
  const int warp = static_cast<int>(threadIdx.x) / tile_rows;
  // Parents of 2^32 words would not fit into any memory.
  const auto tiles = static_cast<unsigned>(masks.tiles_x * masks.tiles_y);
  const unsigned tile = blockIdx.x * warps + static_cast<unsigned>(warp);
  const Index slice = tile / tiles;
  if (slice >= masks.slices) return;
  const auto place = static_cast<int>(tile % tiles);
  const int x0 = place % masks.tiles_x * tile_columns;
  const int y0 = place / masks.tiles_x * tile_rows;
  const auto number_at = [&](int y, int column) { return (y0 + y) * masks.words_per_row + x0 + column; };
  const Index first_word = slice * masks.words_per_slice;
  volatile TileNode* const parents = parents_of_warps[warp];
  Word* const open_words = open_of_warps[warp];
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

#pragma unroll
  for (int i = 0; i < tile_columns; ++i) {
    const Word open_here = word_of(open, i);
    open_words[row * tile_columns + i] = open_here;
    for (Word runs = open_here; runs != 0; runs &= ~lowest_run(runs)) {
      const int node = node_of(row * tile_columns + i, lowest_bit(runs));
      parents[node] = static_cast<TileNode>(node);
    }
    const Word edge_here = word_of(edge, i);
    for (Word runs = word_of(grown, i); (runs & edge_here) != 0; runs &= ~lowest_run(runs)) {
      if ((lowest_run(runs) & edge_here) != 0) known[node_of(number_at(row, i), lowest_bit(runs))] = seeded;
    }
  }
  __syncwarp();

  // Lanes have few runs or many: they share them, in several rounds where their list is too short.
  int count = 0;
#pragma unroll
  for (int i = 0; i < tile_columns; ++i) count += __popc(word_of(open, i) & ~(word_of(open, i) << 1));
  const int begin = sum_before(row, count);
  const int all = __shfl_sync(~0U, begin + count, tile_rows - 1);
  std::uint16_t* const list = lists_of_warps[warp];
  bool is_listed = false;
  const auto for_runs = [&](const auto& f) {
    for (int round = 0; round < all; round += list_runs) {
      int place = begin - round;
#pragma unroll
      for (int i = 0; i < tile_columns && !is_listed; ++i) {
        for (Word runs = word_of(open, i); runs != 0; runs &= ~lowest_run(runs), ++place) {
          const int bit = (row * tile_columns + i) * word_bits + lowest_bit(runs);
          if (place >= 0 && place < list_runs) list[place] = static_cast<std::uint16_t>(bit);
        }
      }
      is_listed = all <= list_runs;
      __syncwarp();
      for (int at = row; at < min(list_runs, all - round); at += tile_rows) {
        f(list[at] / word_bits, list[at] % word_bits);
      }
      __syncwarp();
    }
  };
  for_runs([&](int word, int bit) {
    const bool first = word % tile_columns == 0;
    const bool last = word % tile_columns + 1 == tile_columns;
    Near near{};
    if (!first) near.left = open_words[word - 1];
    if (word >= tile_columns) {
      near.above = open_words[word - tile_columns];
      if (!first) near.above_left = open_words[word - tile_columns - 1];
      if (!last) near.above_right = open_words[word - tile_columns + 1];
    }
    unite_run(parents, word, tile_columns, lowest_run(open_words[word] >> bit << bit), near);
  });
  for_runs([&](int word, int bit) {
    const int root = root_of(parents, node_of(word, bit));
    const int root_word = root / nodes_per_word;
    known[node_of(number_at(word / tile_columns, word % tile_columns), bit)] =
        number_at(root_word / tile_columns, root_word % tile_columns) * nodes_per_word + root % nodes_per_word;
  });
}

// A thread takes a word below the edge of two tiles, or the pixels on both sides of an edge to the left.
__global__ void edge_kernel(Masks masks) {
  const int width = masks.words_per_row;
  const int below = (masks.tiles_y - 1) * width;
  const int beside = (masks.tiles_x - 1) * masks.height;
  const auto of_slice = static_cast<unsigned>(below + beside);
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < masks.slices * of_slice; at += stride) {
    const Index slice = at / of_slice;
    const auto place = static_cast<int>(at % of_slice);
    const Word* const mask = masks.mask + slice * masks.words_per_slice;
    volatile int* const parents = masks.parents + slice * masks.words_per_slice * nodes_per_word;
    if (place < below) {
      const int column = place % width;
      const int word = (place / width + 1) * tile_rows * width + column;
      Near near{};
      near.above = mask[word - width];
      if (column > 0) near.above_left = mask[word - width - 1];
      if (column + 1 < width) near.above_right = mask[word - width + 1];
      unite_word(parents, word, width, mask[word], near);
    } else {
      const int number = place - below;
      const int row = number / (masks.tiles_x - 1);
      const int word = row * width + (number % (masks.tiles_x - 1) + 1) * tile_columns;
      Near near{};
      near.left = mask[word - 1];
      if (row > 0) near.above_left = mask[word - width - 1];
      const Word begin = mask[word] & 1U;
      unite_word(parents, word, width, begin, near);
      if (row > 0 && near.left >> end != 0 && (mask[word - width] & 1U) != 0) {
        unite(parents, node_of(word - 1, begin_of_run(near.left, end)), node_of(word - width, 0));
      }
    }
  }
}

__global__ void gather_kernel(Index words, Index words_per_slice, const Word* open, int* parents, Word* seeds) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index at = blockIdx.x * Index{blockDim.x} + threadIdx.x; at < words; at += stride) {
    if (open[at] == 0) continue;
    const auto number = static_cast<int>(at % words_per_slice);
    const Word grown = seeded_runs(parents + (at - number) * nodes_per_word, number, open[at]);
    if (grown != 0) seeds[at] |= grown;
  }
}

}  // namespace

OpenRuns grow_in_tiles(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask,
                       std::uint32_t* seeds) {
  const Index words_per_slice = masks.height * masks.words_per_row();
  if (words_per_slice > std::numeric_limits<int>::max() / nodes_per_word) {
    throw Unsupported("grow_seeds: takes slices of up to 2^32 pixels on a GPU, got " + std::to_string(masks.width) +
                      " x " + std::to_string(masks.height) + "; use the CPU");
  }
  const auto words_per_row = static_cast<int>(masks.words_per_row());
  const auto height = static_cast<int>(masks.height);
  const int tiles_x = (words_per_row + tile_columns - 1) / tile_columns;
  const int tiles_y = (height + tile_rows - 1) / tile_rows;
  OpenRuns runs{Array<Word>(ctx, {masks.words()}), Array<int>(ctx, {masks.words() * nodes_per_word})};
  const Masks job{masks.slices,      words_per_slice,    height, words_per_row, tiles_x, tiles_y, mask, seeds,
                  runs.words.data(), runs.parents.data()};
  const Index tiles = masks.slices * tiles_x * tiles_y;
  tile_kernel<<<static_cast<unsigned>((tiles + warps - 1) / warps), warps * tile_rows, 0, stream_of(ctx)>>>(job);
  check_launch("grow_seeds");
  const Index edges = masks.slices * ((tiles_y - 1) * masks.words_per_row() + (tiles_x - 1) * masks.height);
  if (edges > 0) {
    edge_kernel<<<loop_blocks(ctx, edges), loop_threads, 0, stream_of(ctx)>>>(job);
    check_launch("grow_seeds");
  }
  return runs;
}

void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds) {
  OpenRuns runs = grow_in_tiles(ctx, masks, mask, seeds);
  gather_kernel<<<loop_blocks(ctx, masks.words()), loop_threads, 0, stream_of(ctx)>>>(
      masks.words(), masks.height * masks.words_per_row(), runs.words.data(), runs.parents.data(), seeds);
  check_launch("grow_seeds");
}

}  // namespace whorl::backend::cuda
