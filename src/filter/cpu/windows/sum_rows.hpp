// One pass of a separable window: a sum of rows. Along a row the rows are the same one, each a pixel further.
#pragma once

#include "filter/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cpu {

/// to[i] = the sum over k of taps[k] rows[k][i], rounded as the pass says and clipped to to's range. `stream`: what is
/// stored is not needed soon, and passes the caches by.
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
