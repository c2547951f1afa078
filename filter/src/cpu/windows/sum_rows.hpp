// One pass of a separable window: a weighted sum of rows. For the pass along x all rows are the same row, each moved by
// one pixel more.
#pragma once

#include "filter/src/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cpu {

/// to[i] = the sum over k of taps[k] rows[k][i], with the rounding of the pass and clipped to the range of `to`.
/// `stream`: results are not needed soon and bypass the caches.
void sum_rows(const kernels::PassTaps<std::int16_t>& pass, const std::uint8_t* const* rows, Index count, bool stream,
              std::int16_t* to);
void sum_rows(const kernels::PassTaps<std::int16_t>& pass, const std::int16_t* const* rows, Index count, bool stream,
              std::uint8_t* to);
void sum_rows(const kernels::PassTaps<float>& pass, const std::uint16_t* const* rows, Index count, bool stream,
              float* to);
void sum_rows(const kernels::PassTaps<float>& pass, const float* const* rows, Index count, bool stream, float* to);
void sum_rows(const kernels::PassTaps<float>& pass, const float* const* rows, Index count, bool stream,
              std::uint16_t* to);

}  // namespace whorl::backend::cpu
