// The sums of the transform between samples and arbitrary positions, one tile of positions at a time, by SIMD.
//
// A tile holds positions near each other. With its origin r0 a phase is k.r0 + k.(r - r0). The first part is reduced to
// one turn in double precision, once per sample and tile. The second part is small, so Real holds it accurately.
#pragma once

#include <array>
#include <cstddef>

namespace whorl::backend::cpu {

inline constexpr std::size_t tile_places = 64;     ///< most places in a tile
inline constexpr std::size_t place_multiple = 16;  ///< tiles are padded to it: lanes of the widest vector of floats
inline constexpr std::size_t block_samples = 256;  ///< samples whose data stays in the first cache
inline constexpr std::size_t coil_group = 4;       ///< largest number of coils that share a phase's sine and cosine

/// block_samples positions in k-space, each array [x, y, z][block_samples], padded with zeros after the last sample.
template <class Real>
struct SampleBlock {
  const Real* half_turns;  ///< 2 k, so that its product with a position is in half turns
  const float* leading;    ///< k to the 24 bits of a float
  const double* rest;      ///< k - leading
};

/// Positions near each other: a multiple of place_multiple of them, at most tile_places.
template <class Real>
struct PositionTile {
  std::array<float, 3> origin;
  const Real* offsets;  ///< position - origin, [x, y, z][places]
  std::size_t places;
};

/// Complex numbers of up to coil_group coils, with real and imaginary parts separate; `stride` leads from coil to coil.
template <class T>
struct CoilParts {
  T* real;
  T* imag;
  std::size_t stride;
  std::size_t coils;
};

/// sums[coil, place] += sum over the block of weights[coil, sample] exp(+2 pi i k.r), for every place of the tile.
void add_to_places(const SampleBlock<float>& block, const PositionTile<float>& tile,
                   const CoilParts<const float>& weights, const CoilParts<double>& sums);
void add_to_places(const SampleBlock<double>& block, const PositionTile<double>& tile,
                   const CoilParts<const double>& weights, const CoilParts<double>& sums);

/// sums[coil, sample] += sum over the tile of weights[coil, place] exp(+2 pi i k.r), for every sample of the block.
void add_to_samples(const SampleBlock<float>& block, const PositionTile<float>& tile,
                    const CoilParts<const float>& weights, const CoilParts<double>& sums);
void add_to_samples(const SampleBlock<double>& block, const PositionTile<double>& tile,
                    const CoilParts<const double>& weights, const CoilParts<double>& sums);

}  // namespace whorl::backend::cpu
