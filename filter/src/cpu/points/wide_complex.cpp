#include "filter/src/kernels/points/wide_complex.hpp"

#include "filter/src/cpu/pieces.hpp"

namespace whorl::backend::cpu {

namespace {

using Complex = std::complex<double>;

template <class T>
void widen(const Context& ctx, Index count, bool pairs, const T* from, Complex* to) {
  in_pieces(ctx, count, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      to[i] = pairs ? Complex(static_cast<double>(from[2 * i]), static_cast<double>(from[2 * i + 1]))
                    : Complex(static_cast<double>(from[i]), 0);
    }
  });
}

template <class T>
void narrow(const Context& ctx, Index count, bool pairs, const Complex* a, const Complex* b, T* to) {
  in_pieces(ctx, count, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Complex sum = a[i] + b[i];
      if (pairs) {
        to[2 * i] = kernels::number_of<T>(static_cast<float>(sum.real()));
        to[2 * i + 1] = kernels::number_of<T>(static_cast<float>(sum.imag()));
      } else {
        to[i] = kernels::number_of<T>(static_cast<float>(sum.real()));
      }
    }
  });
}

}  // namespace

void register_wide_complex() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::narrow<T>.set(DeviceKind::cpu, narrow<T>);
    kernels::widen<T>.set(DeviceKind::cpu, widen<T>);
  });
}

}  // namespace whorl::backend::cpu
