// Fourier transforms of unit solids by SIMD.
#include "kernels/solid_values.hpp"

#include <cstddef>
#include <numbers>

#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/phantom/solid_values_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/exact/half_turns-inl.hpp"

#ifndef WHORL_BESSEL_COEFFICIENTS
#define WHORL_BESSEL_COEFFICIENTS
namespace whorl::backend::cpu {

// Polynomials of Chebyshev interpolation in 50 digits, highest power first, each to 2e-16 of its largest value:
//
//   J1(x) / x = bessel_small(x^2 / 32 - 1)                                          for x <= 8
//   J1(x) = sqrt(2 / (pi x)) (P cos(x - 3/4 pi) - Q / x sin(x - 3/4 pi))             for x >= 8
//
// with P = bessel_cosine(128 / x^2 - 1) and Q = bessel_sine(128 / x^2 - 1): Hankel's asymptotic form (Abramowitz, Stegun,
// 9.2.5), with the functions P and Q themselves, not their asymptotic series.
constexpr double bessel_small[] = {1.20936133963382887e-14,  -4.00457273878614689e-13,  1.16105979140429651e-11,
                                   -2.94301379839091613e-10, 6.43126878575308789e-9,    -1.19670818678721731e-7,
                                   1.8684525372057273e-6,    -0.0000240457486596869848, 0.000249494581390904924,
                                   -0.00202903949457059977,  0.0124568143922554391,     -0.0547458182128472191,
                                   0.158583764327219382,     -0.259594865285930269,     0.151516651438066325,
                                   0.0810586603858979549,    -0.0581438279559910701};
constexpr double bessel_cosine[] = {-3.42734255116645489e-14, 1.09117834676015725e-13,  -2.66891431604198315e-13,
                                    1.09580929272518018e-12,  -5.18719981491451766e-12, 2.72341878112870633e-11,
                                    -1.7131278980857612e-10,  1.36029706653691105e-9,   -1.47085125161458212e-8,
                                    2.45367663311693018e-7,   -7.9596946984786576e-6,   0.000898804941670519507,
                                    1.00090702627808217};
constexpr double bessel_sine[] = {2.78920353756046821e-13,  -8.40120873806914515e-13, 1.82890606546644497e-12,
                                  -7.03109781882185274e-12, 3.11081787911146562e-11,  -1.48425076700964979e-10,
                                  8.31577066874360344e-10,  -5.72081572991553422e-9,  5.1361063866241451e-8,
                                  -6.63356865430903904e-7,  0.0000145696148097038803, -0.000769716705764040782,
                                  0.374214992219591821};

// Highest power of x^2 first.
constexpr double ball_series[] = {1.0 / 6758061133824000,
                                  -1.0 / 22230464256000,
                                  1.0 / 93405312000,
                                  -1.0 / 518918400,
                                  1.0 / 3991680,
                                  -1.0 / 45360,
                                  1.0 / 840,
                                  -1.0 / 30,
                                  1.0 / 3};

}  // namespace whorl::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

template <class D, std::size_t kCount, class V = hn::Vec<D>>
HWY_INLINE V polynomial(D d, const double (&coefficients)[kCount], V x) {
  V sum = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < kCount; ++i) sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
  return sum;
}

// Sine and cosine of pi (x / pi + offset).
template <class D, class V = hn::Vec<D>>
HWY_INLINE void sine_cosine_of(D d, V x, double offset, V& sine, V& cosine) {
  const V half_turns[1] = {hn::MulAdd(x, hn::Set(d, std::numbers::inv_pi), hn::Set(d, offset))};
  V f[1], flips[1], sines[1], cosines[1];
  nearest_half_turn<1>(d, half_turns, f, flips);
  sine_cosine<1>(d, f, flips, sines, cosines);
  sine = sines[0];
  cosine = cosines[0];
}

// 2 pi J1(x) / x, from x^2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V disk_transform(D d, V square) {
  const V one = hn::Set(d, 1);
  const V small = polynomial(d, bessel_small, hn::MulAdd(square, hn::Set(d, 1.0 / 32), hn::Neg(one)));
  const V x = hn::Sqrt(square);
  const V inverse = hn::Div(one, x);
  const V t = hn::MulAdd(hn::Mul(inverse, inverse), hn::Set(d, 128), hn::Neg(one));
  V sine, cosine;
  sine_cosine_of(d, x, -0.75, sine, cosine);
  const V waves = hn::NegMulAdd(hn::Mul(polynomial(d, bessel_sine, t), inverse), sine,
                                hn::Mul(polynomial(d, bessel_cosine, t), cosine));
  const V large = hn::Mul(hn::Mul(inverse, hn::Sqrt(hn::Mul(inverse, hn::Set(d, 2 * std::numbers::inv_pi)))), waves);
  return hn::Mul(hn::IfThenElse(hn::Lt(square, hn::Set(d, 64)), small, large), hn::Set(d, 2 * std::numbers::pi));
}

// 4 pi (sin x - x cos x) / x^3, from x^2. Below 1 the difference cancels and the Taylor series is used: the sum of
// (-1)^k (2 k + 2) / (2 k + 3)! x^(2 k), whose next term is below 4e-19.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ball_transform(D d, V square) {
  const V series = polynomial(d, ball_series, square);
  const V x = hn::Sqrt(square);
  V sine, cosine;
  sine_cosine_of(d, x, 0, sine, cosine);
  const V large = hn::Div(hn::NegMulAdd(x, cosine, sine), hn::Mul(x, square));
  return hn::Mul(hn::IfThenElse(hn::Lt(square, hn::Set(d, 1)), series, large), hn::Set(d, 4 * std::numbers::pi));
}

// sin(x) / x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sinc(D d, V x) {
  V sine, cosine;
  sine_cosine_of(d, x, 0, sine, cosine);
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, 1), hn::Div(sine, x));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V transform(D d, kernels::UnitSolid solid, V x, V y, V z) {
  const V in_plane = hn::MulAdd(x, x, hn::Mul(y, y));
  if (solid == kernels::UnitSolid::ball) return ball_transform(d, hn::MulAdd(z, z, in_plane));
  const V disk = disk_transform(d, in_plane);
  return solid == kernels::UnitSolid::disk ? disk : hn::Mul(disk, hn::Mul(hn::Set(d, 2), sinc(d, z)));
}

void add_values(const kernels::SolidValues& what, const double* points, const double* shifts, const double* turns,
                const double* phases, double* sums) {
  const hn::CappedTag<double, 8> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index sample = 0; sample < what.samples; ++sample) {
    const double* point = points + 3 * sample;
    const double* own_phases = turns == nullptr ? phases + 2 * what.stride * sample : phases;
    double* row = sums + 2 * what.terms * sample;
    for (Index term = 0; term < what.terms; term += lanes) {
      const auto part = [&](Index axis) HWY_ATTR {
        return hn::Sub(hn::Set(d, point[axis]), hn::LoadU(d, shifts + axis * what.stride + term));
      };
      const auto value = transform(d, what.solid, part(0), part(1), part(2));
      hn::Vec<decltype(d)> real, imag, sum_real, sum_imag;
      hn::LoadInterleaved2(d, own_phases + 2 * term, real, imag);
      real = hn::Mul(real, value);
      imag = hn::Mul(imag, value);
      if (turns != nullptr) {
        const auto cosine = hn::Set(d, turns[2 * sample]);
        const auto sine = hn::Set(d, turns[2 * sample + 1]);
        const auto turned = hn::NegMulAdd(imag, sine, hn::Mul(real, cosine));
        imag = hn::MulAdd(imag, cosine, hn::Mul(real, sine));
        real = turned;
      }
      if (term + lanes <= what.terms) {
        hn::LoadInterleaved2(d, row + 2 * term, sum_real, sum_imag);
        hn::StoreInterleaved2(hn::Add(sum_real, real), hn::Add(sum_imag, imag), d, row + 2 * term);
      } else {
        HWY_ALIGN double last[16];
        hn::StoreInterleaved2(real, imag, d, last);
        for (Index i = 0; i < 2 * (what.terms - term); ++i) row[2 * term + i] += last[i];
      }
    }
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(add_values);

namespace {

const double* parts_of(const std::complex<double>* values) { return reinterpret_cast<const double*>(values); }

void add_solid_values(DeviceKind, const kernels::SolidValues& what, const double* points, const double* shifts,
                      const std::complex<double>* turns, const std::complex<double>* phases,
                      std::complex<double>* sums) {
  HWY_DYNAMIC_DISPATCH(add_values)
  (what, points, shifts, parts_of(turns), parts_of(phases), reinterpret_cast<double*>(sums));
}

}  // namespace

void register_solid_values() { kernels::add_solid_values.set(DeviceKind::cpu, add_solid_values); }

}  // namespace whorl::backend::cpu
#endif
