#include "backend/cpu/lines/mix_components.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/lines/mix_components_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "kernels/grid_layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
using Tag = hn::CappedTag<Real, 8>;

constexpr auto most = static_cast<std::size_t>(kernels::most_components);
constexpr auto block = static_cast<std::size_t>(mixed_points);

// Real and imaginary parts of the points of a block, each in a row. Vectors run along the points, so that a vector of
// spectra serves all coils.
template <class Real>
struct Rows {
  Real real[block];
  Real imag[block];
};

// The spectra of the pairs (k, k), (k, k + 1), ... in a block.
template <class Real, class Spectrum>
HWY_INLINE const Spectrum* split_spectra(const Spectrum* row, Index stride, std::size_t pairs, std::size_t points,
                                         Rows<Real>* split) {
  for (std::size_t l = 0; l < pairs; ++l, row += stride) {
    for (std::size_t p = 0; p < points; ++p) {
      if constexpr (std::is_same_v<Spectrum, Real>) {
        split[l].real[p] = row[p];
      } else {
        split[l].real[p] = row[p].real();
        split[l].imag[p] = row[p].imag();
      }
    }
  }
  return row;
}

// out[0] += G_0 in[0] and, for the pairs after it, out[0] += G_l in[l] and out[l] += conj(G_l) in[0], in steps of
// `together` rows from component to component.
template <bool is_complex, std::size_t together, class Real>
HWY_INLINE void mix_rows(const Rows<Real>* g, const Rows<Real>* in, Rows<Real>* out, std::size_t pairs) {
  const Tag<Real> d;
  for (std::size_t at = 0; at < block; at += hn::Lanes(d)) {
    const auto x_real = hn::LoadU(d, in->real + at);
    const auto x_imag = hn::LoadU(d, in->imag + at);
    const auto diagonal = hn::LoadU(d, g->real + at);
    auto sum_real = hn::MulAdd(diagonal, x_real, hn::LoadU(d, out->real + at));
    auto sum_imag = hn::MulAdd(diagonal, x_imag, hn::LoadU(d, out->imag + at));
    for (std::size_t l = 1; l < pairs; ++l) {
      const Rows<Real>& other = in[l * together];
      Rows<Real>& to = out[l * together];
      const auto g_real = hn::LoadU(d, g[l].real + at);
      const auto y_real = hn::LoadU(d, other.real + at);
      const auto y_imag = hn::LoadU(d, other.imag + at);
      auto to_real = hn::MulAdd(g_real, x_real, hn::LoadU(d, to.real + at));
      auto to_imag = hn::MulAdd(g_real, x_imag, hn::LoadU(d, to.imag + at));
      sum_real = hn::MulAdd(g_real, y_real, sum_real);
      sum_imag = hn::MulAdd(g_real, y_imag, sum_imag);
      if constexpr (is_complex) {
        const auto g_imag = hn::LoadU(d, g[l].imag + at);
        sum_real = hn::NegMulAdd(g_imag, y_imag, sum_real);
        sum_imag = hn::MulAdd(g_imag, y_real, sum_imag);
        to_real = hn::MulAdd(g_imag, x_imag, to_real);
        to_imag = hn::NegMulAdd(g_imag, x_real, to_imag);
      }
      hn::StoreU(to_real, d, to.real + at);
      hn::StoreU(to_imag, d, to.imag + at);
    }
    hn::StoreU(sum_real, d, out->real + at);
    hn::StoreU(sum_imag, d, out->imag + at);
  }
}

template <class Real, class Spectrum, std::size_t together>
void mix_block(const kernels::MixedGrids& what, const Spectrum* spectra, std::complex<Real>* grids, Index component,
               Index count) {
  const auto components = static_cast<std::size_t>(what.components);
  const auto points = static_cast<std::size_t>(count);
  HWY_ALIGN Rows<Real> in[most * together];
  HWY_ALIGN Rows<Real> out[most * together];
  HWY_ALIGN Rows<Real> g[most] = {};
  for (std::size_t k = 0; k < components; ++k) {
    const std::complex<Real>* from = grids + static_cast<Index>(k) * component;
    for (std::size_t c = 0; c < together; ++c) {
      Rows<Real>& to = in[k * together + c];
      to = {};
      out[k * together + c] = {};
      for (std::size_t p = 0; p < points; ++p) {
        to.real[p] = from[p * together + c].real();
        to.imag[p] = from[p * together + c].imag();
      }
    }
  }
  const Spectrum* row = spectra;
  for (std::size_t k = 0; k < components; ++k) {
    row = split_spectra<Real>(row, what.points, components - k, points, g);
    for (std::size_t c = 0; c < together; ++c) {
      mix_rows<!std::is_same_v<Spectrum, Real>, together>(g, in + k * together + c, out + k * together + c,
                                                          components - k);
    }
  }
  for (std::size_t k = 0; k < components; ++k) {
    std::complex<Real>* to = grids + static_cast<Index>(k) * component;
    for (std::size_t c = 0; c < together; ++c) {
      const Rows<Real>& from = out[k * together + c];
      for (std::size_t p = 0; p < points; ++p) to[p * together + c] = {from.real[p], from.imag[p]};
    }
  }
}

template <class Real, class Spectrum>
HWY_INLINE void mix_either(const kernels::MixedGrids& what, const Spectrum* spectra, std::complex<Real>* grids,
                           Index component, Index together, Index count) {
  if (together == kernels::coils_together) {
    mix_block<Real, Spectrum, static_cast<std::size_t>(kernels::coils_together)>(what, spectra, grids, component,
                                                                                 count);
  } else {
    mix_block<Real, Spectrum, 1>(what, spectra, grids, component, count);
  }
}

void mix_float_by_real(const kernels::MixedGrids& what, const float* spectra, std::complex<float>* grids,
                       Index component, Index together, Index count) {
  mix_either<float>(what, spectra, grids, component, together, count);
}
void mix_double_by_real(const kernels::MixedGrids& what, const double* spectra, std::complex<double>* grids,
                        Index component, Index together, Index count) {
  mix_either<double>(what, spectra, grids, component, together, count);
}
void mix_float_by_complex(const kernels::MixedGrids& what, const std::complex<float>* spectra,
                          std::complex<float>* grids, Index component, Index together, Index count) {
  mix_either<float>(what, spectra, grids, component, together, count);
}
void mix_double_by_complex(const kernels::MixedGrids& what, const std::complex<double>* spectra,
                           std::complex<double>* grids, Index component, Index together, Index count) {
  mix_either<double>(what, spectra, grids, component, together, count);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(mix_float_by_real);
HWY_EXPORT(mix_double_by_real);
HWY_EXPORT(mix_float_by_complex);
HWY_EXPORT(mix_double_by_complex);

void mix_points(const kernels::MixedGrids& what, const float* spectra, std::complex<float>* grids, Index component,
                Index together, Index count) {
  HWY_DYNAMIC_DISPATCH(mix_float_by_real)(what, spectra, grids, component, together, count);
}
void mix_points(const kernels::MixedGrids& what, const double* spectra, std::complex<double>* grids, Index component,
                Index together, Index count) {
  HWY_DYNAMIC_DISPATCH(mix_double_by_real)(what, spectra, grids, component, together, count);
}
void mix_points(const kernels::MixedGrids& what, const std::complex<float>* spectra, std::complex<float>* grids,
                Index component, Index together, Index count) {
  HWY_DYNAMIC_DISPATCH(mix_float_by_complex)(what, spectra, grids, component, together, count);
}
void mix_points(const kernels::MixedGrids& what, const std::complex<double>* spectra, std::complex<double>* grids,
                Index component, Index together, Index count) {
  HWY_DYNAMIC_DISPATCH(mix_double_by_complex)(what, spectra, grids, component, together, count);
}

}  // namespace whorl::backend::cpu
#endif
