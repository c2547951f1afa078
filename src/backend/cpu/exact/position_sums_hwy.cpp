#include "backend/cpu/exact/position_sums.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/exact/position_sums_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/exact/half_turns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// 2 k.r0 for every sample of a block, minus an even integer: within [-1, 1]. The errors are the final rounding to Real,
// and 1e-16 times the part with `rest`. The product of two numbers of 24 bits is exact in double, and so is the
// subtraction of the nearest integer.
template <class Real>
HWY_INLINE void half_turns_of_origin(const SampleBlock<Real>& block, const std::array<float, 3>& origin, Real* result) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> narrow;
  for (std::size_t j = 0; j < block_samples; j += hn::Lanes(d)) {
    auto turns = hn::Zero(d);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t at = axis * block_samples + j;
      const auto r = hn::Set(d, static_cast<double>(origin[axis]));
      const auto product = hn::Mul(hn::PromoteTo(d, hn::LoadU(narrow, block.leading + at)), r);
      turns = hn::Add(turns, hn::Sub(product, hn::Round(product)));
      turns = hn::MulAdd(hn::LoadU(d, block.rest + at), r, turns);
    }
    turns = hn::Sub(turns, hn::Round(turns));
    turns = hn::Add(turns, turns);
    if constexpr (sizeof(Real) == 4) {
      hn::StoreU(hn::DemoteTo(narrow, turns), narrow, result + j);
    } else {
      hn::StoreU(turns, d, result + j);
    }
  }
}

// Positions of one side, [x, y, z] with a stride, and an addend to the phase (null on the other side).
template <class Real>
struct Side {
  const Real* position;
  std::size_t stride;
  const Real* phase;
};

// For kVectors vectors of lanes: sums over all terms of weight exp(i pi (lane . term + phase)). Each call sums few
// terms, in Real; the results of the calls are added in double.
template <int kVectors, int kCoils, class Real>
HWY_INLINE void add_terms(const Side<Real>& lanes, const Side<Real>& terms, std::size_t count,
                          const CoilParts<const Real>& weights, const CoilParts<double>& sums, std::size_t first) {
  const hn::CappedTag<Real, 64 / sizeof(Real)> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t width = hn::Lanes(d);
  V x[kVectors], y[kVectors], z[kVectors], phase[kVectors];
  V real[kVectors][kCoils], imag[kVectors][kCoils];
  for (int v = 0; v < kVectors; ++v) {
    const Real* position = lanes.position + first + static_cast<std::size_t>(v) * width;
    x[v] = hn::LoadU(d, position);
    y[v] = hn::LoadU(d, position + lanes.stride);
    z[v] = hn::LoadU(d, position + 2 * lanes.stride);
    phase[v] = hn::Zero(d);
    if (lanes.phase != nullptr) phase[v] = hn::LoadU(d, lanes.phase + first + static_cast<std::size_t>(v) * width);
    for (int c = 0; c < kCoils; ++c) real[v][c] = imag[v][c] = hn::Zero(d);
  }
  const auto reduced_phase = [&](std::size_t l, V(&f)[kVectors], V(&flips)[kVectors]) HWY_ATTR {
    const V tx = hn::Set(d, terms.position[l]);
    const V ty = hn::Set(d, terms.position[l + terms.stride]);
    const V tz = hn::Set(d, terms.position[l + 2 * terms.stride]);
    V h[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      h[v] = hn::MulAdd(z[v], tz, terms.phase != nullptr ? hn::Set(d, terms.phase[l]) : phase[v]);
    }
    for (int v = 0; v < kVectors; ++v) h[v] = hn::MulAdd(y[v], ty, h[v]);
    for (int v = 0; v < kVectors; ++v) h[v] = hn::MulAdd(x[v], tx, h[v]);
    nearest_half_turn<kVectors>(d, h, f, flips);
  };
  // The phase of the next term is computed together with the sine and cosine of this one, so that neither has to wait.
  V f[kVectors], flips[kVectors];
  reduced_phase(0, f, flips);
  for (std::size_t l = 0; l < count; ++l) {
    V next_f[kVectors], next_flips[kVectors], sine[kVectors], cosine[kVectors];
    reduced_phase(l + 1 < count ? l + 1 : l, next_f, next_flips);
    sine_cosine<kVectors>(d, f, flips, sine, cosine);
    for (int v = 0; v < kVectors; ++v) {
      f[v] = next_f[v];
      flips[v] = next_flips[v];
    }
    for (int c = 0; c < kCoils; ++c) {
      const V a = hn::Set(d, weights.real[static_cast<std::size_t>(c) * weights.stride + l]);
      const V b = hn::Set(d, weights.imag[static_cast<std::size_t>(c) * weights.stride + l]);
      for (int v = 0; v < kVectors; ++v) real[v][c] = hn::MulAdd(a, cosine[v], real[v][c]);
      for (int v = 0; v < kVectors; ++v) imag[v][c] = hn::MulAdd(a, sine[v], imag[v][c]);
      for (int v = 0; v < kVectors; ++v) real[v][c] = hn::NegMulAdd(b, sine[v], real[v][c]);
      for (int v = 0; v < kVectors; ++v) imag[v][c] = hn::MulAdd(b, cosine[v], imag[v][c]);
    }
  }
  HWY_ALIGN Real buffer[64 / sizeof(Real)];
  for (int c = 0; c < kCoils; ++c) {
    for (int v = 0; v < kVectors; ++v) {
      const std::size_t at = static_cast<std::size_t>(c) * sums.stride + first + static_cast<std::size_t>(v) * width;
      hn::Store(real[v][c], d, buffer);
      for (std::size_t i = 0; i < width; ++i) sums.real[at + i] += static_cast<double>(buffer[i]);
      hn::Store(imag[v][c], d, buffer);
      for (std::size_t i = 0; i < width; ++i) sums.imag[at + i] += static_cast<double>(buffer[i]);
    }
  }
}

template <int kCoils, class Real>
HWY_INLINE void add_to_lanes(const Side<Real>& lanes, std::size_t lane_count, const Side<Real>& terms,
                             std::size_t count, const CoilParts<const Real>& weights, const CoilParts<double>& sums) {
  const std::size_t width = hn::Lanes(hn::CappedTag<Real, 64 / sizeof(Real)>());
  std::size_t first = 0;
  for (; first + 2 * width <= lane_count; first += 2 * width) {
    add_terms<2, kCoils>(lanes, terms, count, weights, sums, first);
  }
  for (; first < lane_count; first += width) add_terms<1, kCoils>(lanes, terms, count, weights, sums, first);
}

template <class Real>
HWY_INLINE void add_coils(const Side<Real>& lanes, std::size_t lane_count, const Side<Real>& terms, std::size_t count,
                          const CoilParts<const Real>& weights, const CoilParts<double>& sums) {
  switch (weights.coils) {
    case 1:
      return add_to_lanes<1>(lanes, lane_count, terms, count, weights, sums);
    case 2:
      return add_to_lanes<2>(lanes, lane_count, terms, count, weights, sums);
    case 3:
      return add_to_lanes<3>(lanes, lane_count, terms, count, weights, sums);
    default:
      return add_to_lanes<4>(lanes, lane_count, terms, count, weights, sums);
  }
}

template <class Real>
HWY_INLINE void to_places(const SampleBlock<Real>& block, const PositionTile<Real>& tile,
                          const CoilParts<const Real>& weights, const CoilParts<double>& sums) {
  alignas(64) Real phase[block_samples];
  half_turns_of_origin(block, tile.origin, phase);
  add_coils<Real>({tile.offsets, tile.places, nullptr}, tile.places, {block.half_turns, block_samples, phase},
                  block_samples, weights, sums);
}

template <class Real>
HWY_INLINE void to_samples(const SampleBlock<Real>& block, const PositionTile<Real>& tile,
                           const CoilParts<const Real>& weights, const CoilParts<double>& sums) {
  alignas(64) Real phase[block_samples];
  half_turns_of_origin(block, tile.origin, phase);
  add_coils<Real>({block.half_turns, block_samples, phase}, block_samples, {tile.offsets, tile.places, nullptr},
                  tile.places, weights, sums);
}

// Highway exports no templates.
void to_places_single(const SampleBlock<float>& block, const PositionTile<float>& tile,
                      const CoilParts<const float>& weights, const CoilParts<double>& sums) {
  to_places(block, tile, weights, sums);
}
void to_places_double(const SampleBlock<double>& block, const PositionTile<double>& tile,
                      const CoilParts<const double>& weights, const CoilParts<double>& sums) {
  to_places(block, tile, weights, sums);
}
void to_samples_single(const SampleBlock<float>& block, const PositionTile<float>& tile,
                       const CoilParts<const float>& weights, const CoilParts<double>& sums) {
  to_samples(block, tile, weights, sums);
}
void to_samples_double(const SampleBlock<double>& block, const PositionTile<double>& tile,
                       const CoilParts<const double>& weights, const CoilParts<double>& sums) {
  to_samples(block, tile, weights, sums);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(to_places_single);
HWY_EXPORT(to_places_double);
HWY_EXPORT(to_samples_single);
HWY_EXPORT(to_samples_double);

void add_to_places(const SampleBlock<float>& block, const PositionTile<float>& tile,
                   const CoilParts<const float>& weights, const CoilParts<double>& sums) {
  HWY_DYNAMIC_DISPATCH(to_places_single)(block, tile, weights, sums);
}
void add_to_places(const SampleBlock<double>& block, const PositionTile<double>& tile,
                   const CoilParts<const double>& weights, const CoilParts<double>& sums) {
  HWY_DYNAMIC_DISPATCH(to_places_double)(block, tile, weights, sums);
}
void add_to_samples(const SampleBlock<float>& block, const PositionTile<float>& tile,
                    const CoilParts<const float>& weights, const CoilParts<double>& sums) {
  HWY_DYNAMIC_DISPATCH(to_samples_single)(block, tile, weights, sums);
}
void add_to_samples(const SampleBlock<double>& block, const PositionTile<double>& tile,
                    const CoilParts<const double>& weights, const CoilParts<double>& sums) {
  HWY_DYNAMIC_DISPATCH(to_samples_double)(block, tile, weights, sums);
}

}  // namespace whorl::backend::cpu
#endif
