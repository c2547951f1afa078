// Rows of bytes in strips, one warp per strip. A lane goes down 16 bytes of the rows, four rows at a time. Four rows of
// a column of bytes make a word, and one instruction multiplies it by two or four weights. The columns to the left and
// right are in the neighboring lanes. The lanes at both ends only hold the neighbors of others.
#pragma once

#include <cstdint>
#include <limits>

#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/byte_mma.cuh"
#include "filter/src/cuda/ends.cuh"
#include "filter/src/cuda/strips.hpp"
#include "whorl/core/image.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cuda {

inline constexpr int strip_threads = 128;
inline constexpr int strip_warps = strip_threads / 32;
inline constexpr int lane_bytes = 16;
inline constexpr int making_lanes = 30;
inline constexpr int step_rows = 4;
inline constexpr unsigned whole_warp = 0xffffffffU;

/// The largest number of rows that strips read beyond their last result, and beyond the image.
inline constexpr int far_rows = 16;

struct ByteStrips {
  Index slices;
  int height, width;
  int groups;  // of 16 bytes in a row
  int across;  // number of warps across a row
  int strips, strip_rows;
  Border border;
  unsigned beyond;  // a word with the value of the constant border
};

/// Whether all bytes seen beyond a side come from the 16 bytes at this side, or at the other side.
constexpr bool is_edge_near(int radius, int pixel_bytes) { return (radius + 1) * pixel_bytes <= lane_bytes; }

inline Index row_bytes(const ImageFormat& format) { return format.row() * static_cast<Index>(bytes_of(format.type)); }

/// Whether rows consist of whole vectors, and 32 bits suffice for places and warps.
inline bool in_byte_strips(const ImageFormat& format, const void* from, const void* to) {
  const auto is_whole = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % lane_bytes == 0; };
  constexpr Index most = std::numeric_limits<int>::max() / 4;
  constexpr std::size_t most_bytes = std::size_t{std::numeric_limits<unsigned>::max()} * lane_bytes;
  return row_bytes(format) % lane_bytes == 0 && is_whole(from) && is_whole(to) && format.height < most &&
         row_bytes(format) < most && format.bytes() < most_bytes;
}

template <class Kernel>
ByteStrips byte_strips(const Context& ctx, const ImageFormat& format, Border border, unsigned beyond, Kernel kernel) {
  constexpr Index longest = 64;
  ByteStrips job{};
  job.slices = format.slices();
  job.height = static_cast<int>(format.height);
  job.width = static_cast<int>(format.width);
  job.groups = static_cast<int>(row_bytes(format) / lane_bytes);
  job.across = divide_up(job.groups, making_lanes);
  const Index at_once = blocks_at_once(ctx, kernel, strip_threads, 0) * strip_warps;
  job.strip_rows = static_cast<int>(rows_of_strips(at_once, job.slices * job.across, job.height, step_rows, longest));
  job.strips = divide_up(job.height, job.strip_rows);
  job.border = border;
  job.beyond = beyond;
  return job;
}

inline unsigned blocks_of(const ByteStrips& job) {
  return static_cast<unsigned>(divide_up(job.slices * job.strips * job.across, strip_warps));
}

/// The pixels beyond the image. For each side, the shuffles that make the four words there from the words of a group:
/// `within` picks bytes of its first two words and of its last two words; `choice` picks bytes of these two results.
struct Edges {
  uint4 within[2], choice[2];
  int above[far_rows], below[far_rows];  // rows to read for the rows outside, from the image outwards; -1: constant
};

/// border_index, which divides only for places far outside a small image.
__device__ inline int near_index(Border border, int i, int n) {
  if (i >= 0 && i < n) return i;
  if (i <= -n || i >= 2 * n - 1) return static_cast<int>(border_index(border, i, n));
  switch (border) {
    case Border::reflect:
      return i < 0 ? -i : 2 * (n - 1) - i;
    case Border::replicate:
      return i < 0 ? 0 : n - 1;
    case Border::wrap:
      return i < 0 ? i + n : i - n;
    default:
      return -1;
  }
}

/// A whole block calls it, for pixels of C bytes.
template <int C>
__device__ void find_edges(const ByteStrips& job, Edges& edges) {
  const int own = static_cast<int>(threadIdx.x);
  if (own < far_rows) {
    edges.above[own] = near_index(job.border, -1 - own, job.height);
    edges.below[own] = near_index(job.border, job.height + own, job.height);
  }
  if (own < 8) {
    const bool left = own < 4;
    const int row = job.groups * lane_bytes;
    const int group = left == (job.border == Border::wrap) ? row - lane_bytes : 0;
    unsigned within = 0;
    unsigned choice = 0;
    for (int b = 0; b < 4; ++b) {
      constexpr int lead = lane_bytes;  // pixels, so that no place is below 0
      const int place = (left ? 0 : lane_bytes + row) + own % 4 * 4 + b + (lead * C - lane_bytes);
      const int source = near_index(job.border, place / C - lead, job.width) * C + place % C - group;
      within |= static_cast<unsigned>(source & 7) << (4 * b);
      choice |= static_cast<unsigned>(b + ((source & 8) != 0 ? 4 : 0)) << (4 * b);
    }
    reinterpret_cast<unsigned*>(edges.within)[own] = within;
    reinterpret_cast<unsigned*>(edges.choice)[own] = choice;
  }
  __syncthreads();
}

/// A lane's part of a strip.
struct StripLane {
  int first, last;             // rows that the strip makes
  const std::uint8_t* source;  // its input bytes in the first row of the slice
  Index target;                // its result bytes in the first row of the slice, counted from the image's first byte
  int side;                    // the side of the image beyond which it lies; -1: none
  bool is_making;

  __device__ StripLane(const ByteStrips& job, unsigned warp, int lane, const std::uint8_t* from) {
    const unsigned strip = warp / job.across;
    const unsigned slice = strip / job.strips;
    first = static_cast<int>(strip - slice * job.strips) * job.strip_rows;
    last = min(first + job.strip_rows, job.height);
    const int group = static_cast<int>(warp - strip * job.across) * making_lanes + lane - 1;
    side = group < 0 ? 0 : group >= job.groups ? 1 : -1;
    is_making = side < 0 && lane > 0 && lane <= making_lanes;
    const int at_edge = (side == 0) == (job.border == Border::wrap) ? job.groups - 1 : 0;
    const Index image = Index{slice} * job.height * job.groups;
    source = from + (image + (side < 0 ? group : at_edge)) * lane_bytes;
    target = (image + group) * lane_bytes;
  }
};

/// The rows from y on, before the load.
template <int count>
__device__ __forceinline__ void load_strip(const ByteStrips& job, const Edges& edges, const StripLane& own, int y,
                                           uint4 (&rows)[count]) {
  const auto* source = reinterpret_cast<const uint4*>(own.source);
  if (y >= 0 && y + count <= job.height) {
#pragma unroll
    for (int r = 0; r < count; ++r) rows[r] = __ldg(source + Index{y + r} * job.groups);
    return;
  }
#pragma unroll
  for (int r = 0; r < count; ++r) {
    const int row = y + r;
    const int near = row < 0 ? edges.above[-1 - row] : row < job.height ? row : edges.below[row - job.height];
    rows[r] = near < 0 ? make_uint4(job.beyond, job.beyond, job.beyond, job.beyond)
                       : __ldg(source + Index{near} * job.groups);
  }
}

/// The rows from y on, after the load; the values of a constant border are already after the load.
template <int count, class Ends>
__device__ __forceinline__ void load_through(const Ends& ends, const ByteStrips& job, int y, uint4 (&rows)[count]) {
  if (!ends.loads()) return;
#pragma unroll
  for (int r = 0; r < count; ++r) {
    ends.load(rows[r]);
    if (job.border == Border::constant && (y + r < 0 || y + r >= job.height)) {
      rows[r] = make_uint4(job.beyond, job.beyond, job.beyond, job.beyond);
    }
  }
}

/// Replaces bytes beyond the image's sides by those of the border.
template <int count>
__device__ __forceinline__ void order_edge(const ByteStrips& job, const Edges& edges, int side, uint4 (&rows)[count]) {
  if (side < 0) return;
  const uint4 within = edges.within[side];
  const uint4 choice = edges.choice[side];
  const auto pick = [&](const uint4& row, unsigned from, unsigned which) {
    return __byte_perm(__byte_perm(row.x, row.y, from), __byte_perm(row.z, row.w, from), which);
  };
#pragma unroll
  for (uint4& row : rows) {
    if (job.border == Border::constant) {
      row = make_uint4(job.beyond, job.beyond, job.beyond, job.beyond);
    } else {
      row = make_uint4(pick(row, within.x, choice.x), pick(row, within.y, choice.y), pick(row, within.z, choice.z),
                       pick(row, within.w, choice.w));
    }
  }
}

/// Word i: byte i of each of four rows.
__device__ inline void take_columns(const uint4 (&rows)[step_rows], unsigned (&columns)[lane_bytes]) {
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const auto word = [&](const uint4& row) { return w == 0 ? row.x : w == 1 ? row.y : w == 2 ? row.z : row.w; };
    unsigned four[4] = {word(rows[0]), word(rows[1]), word(rows[2]), word(rows[3])};
    transpose_bytes(four);
#pragma unroll
    for (int i = 0; i < 4; ++i) columns[4 * w + i] = four[i];
  }
}

}  // namespace whorl::backend::cuda
