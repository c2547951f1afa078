// A ring of rows in shared memory: the part of consecutive rows that a warp reads, copied several rows ahead.
#pragma once

#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

/// The number of rows that covers the latency of memory, if each row is used for a few hundred instructions.
inline constexpr int ring_rows = 4;
inline constexpr int ring_row_bytes = 576;
inline constexpr int most_ring_bytes = ring_row_bytes - 15;  // of a row, for any alignment of its start
using RingMemory = uint4[ring_rows * ring_row_bytes / 16];

/// Rows of bytes that lie `pitch` apart.
struct ByteRows {
  const std::uint8_t* first;
  Index pitch;
  Index count;
};

class RowRing {
 public:
  /// The bytes [begin, begin + count) of each row, at most most_ring_bytes.
  __device__ RowRing(RingMemory& memory, const ByteRows& rows, Index begin, int count)
      : rows_(rows),
        begin_(begin + lane_begin()),
        shared_(reinterpret_cast<std::uint8_t*>(memory) + lane_begin()),
        beyond_(lane_begin() - count),
        is_wide_(count > lanes_bytes - static_cast<int>(word) + 1),
        near_end_(2 * lanes_bytes / static_cast<int>(min(rows.pitch, Index{2 * lanes_bytes})) + 1) {}

  /// No lane may still be reading earlier rows.
  __device__ void start(Index row, int count) {
    next_ = reinterpret_cast<std::uintptr_t>(rows_.first) + row * rows_.pitch + begin_;
    low_ = next_ % word;
    left_ = count;
    const Index plain = is_wide_ ? 0 : max(rows_.count - near_end_ - row, Index{0});
    special_ = static_cast<int>(max(count - plain, Index{0}));
    slot_ = 0;
#pragma unroll 1
    for (int i = 0; i + 1 < ring_rows; ++i) copy_next(i * ring_row_bytes);
  }

  /// The place of the next row in the memory, from `begin` on, in bytes. It is valid until all lanes have called this
  /// again.
  __device__ unsigned take() {
    wait_for_copies<ring_rows - 2>();
    __syncwarp();
    constexpr unsigned last = (ring_rows - 1) * ring_row_bytes;
    copy_next(slot_ == 0 ? last : slot_ - ring_row_bytes);
    const unsigned place = slot_ + low_;
    low_ = (low_ + static_cast<unsigned>(rows_.pitch)) % word;
    slot_ = slot_ == last ? 0 : slot_ + ring_row_bytes;
    return place;
  }

 private:
  static constexpr unsigned word = sizeof(uint4);
  static constexpr int lanes_bytes = 32 * static_cast<int>(word);
  static_assert(ring_row_bytes <= 2 * lanes_bytes);

  __device__ static int lane_begin() { return static_cast<int>(threadIdx.x % 32 * word); }

  // Words that begin or end outside the row are read whole, because they are inside the image's memory.
  __device__ void copy_next(unsigned slot) {
    const int low = static_cast<int>(next_ % word);
    const auto* from = reinterpret_cast<const std::uint8_t*>(next_ / word * word);
    if (left_ > special_) {
      if (beyond_ < low) copy_16_bytes(shared_ + slot, from);
    } else if (left_ > 0) {
      copy_special(slot, low, from);
    }
    close_copy_group();
    next_ += rows_.pitch;
    --left_;
  }

  // Rows of which a lane copies two words, or in which the image may end.
  __device__ void copy_special(unsigned slot, int low, const std::uint8_t* from) const {
    const std::uint8_t* const end = rows_.first + rows_.count * rows_.pitch;
#pragma unroll 1
    for (int i = 0; beyond_ + i < low; i += lanes_bytes) {
      if (from + i + word <= end) {
        copy_16_bytes(shared_ + slot + i, from + i);
      } else {
#pragma unroll 1
        for (int k = i; from + k < end; ++k) shared_[slot + k] = from[k];
      }
    }
  }

  ByteRows rows_;
  Index begin_;
  std::uintptr_t next_ = 0;
  std::uint8_t* shared_;  // the lane's first word of each row
  int beyond_;            // bytes from the end of an aligned part to this word; negative: inside
  bool is_wide_;          // a lane copies more than one word
  int near_end_;          // rows of the image whose words may end beyond it
  int left_ = 0, special_ = 0;
  unsigned low_ = 0, slot_ = 0;
};

__device__ inline Index warp_min(Index x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = min(x, __shfl_xor_sync(~0U, x, step));
  return x;
}

/// The part of a row that the lanes of a warp read from: from their first place to their last one.
struct WarpRange {
  Index begin, last;
};
template <int count>
__device__ WarpRange range_of_warp(const Index (&places)[count]) {
  Index begin = places[0];
  Index last = places[0];
#pragma unroll
  for (int n = 1; n < count; ++n) {
    begin = min(begin, places[n]);
    last = max(last, places[n]);
  }
  return {warp_min(begin), -warp_min(-last)};
}

/// A strip of new rows, and the old rows of which they are made.
struct RowStrip {
  Index slice, top;
  int rows;
  int first_old, old_rows;
};
template <int taps, class Job>
__device__ RowStrip row_strip(const Job& job, Index strip, Index strips) {
  const Index slice = strip / strips;
  const Index top = (strip - slice * strips) * job.strip_rows;
  const int rows = static_cast<int>(min(Index{job.strip_rows}, job.size.height - top));
  const int first_old = job.rows.first[top];
  return {slice, top, rows, first_old, job.rows.first[top + rows - 1] - first_old + taps};
}

}  // namespace whorl::backend::cuda
