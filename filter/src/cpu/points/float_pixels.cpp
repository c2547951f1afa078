#include "filter/src/kernels/points/float_pixels.hpp"

#include "filter/src/cpu/pieces.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void float_piece(Index count, float offset, const T* from, float* to) {
#pragma omp simd
  for (Index i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) - offset;
}

template <class T>
void pixel_piece(Index count, float offset, const float* from, T* to) {
#pragma omp simd
  for (Index i = 0; i < count; ++i) to[i] = kernels::number_of<T>(from[i] + offset);
}

template <class T>
void to_float(const Context& ctx, Index count, float offset, const T* from, float* to) {
  in_pieces(ctx, count, [=](Index first, Index last) { float_piece(last - first, offset, from + first, to + first); });
}

template <class T>
void from_float(const Context& ctx, Index count, float offset, const float* from, T* to) {
  in_pieces(ctx, count, [=](Index first, Index last) { pixel_piece(last - first, offset, from + first, to + first); });
}

}  // namespace

void register_float_pixels() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::from_float<T>.set(DeviceKind::cpu, from_float<T>);
    kernels::to_float<T>.set(DeviceKind::cpu, to_float<T>);
  });
}

}  // namespace whorl::backend::cpu
