// Exact sums between samples and arbitrary positions, on a CPU: tiles of positions times blocks of samples.
#include "kernels/position_dft.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cpu/exact/position_tiles.hpp"
#include "core/parallel.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr auto block_length = static_cast<Index>(block_samples);
// Pairs of a sample and a position between two checks for cancellation: about a second.
constexpr Index pairs_of_round = Index{1} << 30;

// The values of all coils in the order of the tiles, with real and imaginary parts separate, padded with zeros.
template <class Real>
struct Planes {
  Planes(const Context& ctx, Index batch, Index places) : parts(zeros<Real>(ctx, {2, batch, places})) {}

  /// Coils [first, first + coils), from `place` on.
  CoilParts<const Real> of(Index first, Index coils, Index place) const {
    const Index batch = parts.extent(1);
    const Index places = parts.extent(2);
    return {parts.data() + first * places + place, parts.data() + (batch + first) * places + place,
            static_cast<std::size_t>(places), static_cast<std::size_t>(coils)};
  }

  void set(Index coil, Index place, std::complex<Real> value) {
    const Index batch = parts.extent(1);
    const Index places = parts.extent(2);
    parts.data()[coil * places + place] = value.real();
    parts.data()[(batch + coil) * places + place] = value.imag();
  }

  Array<Real> parts;
};

// Sums of one group of coils over one tile or block.
struct Sums {
  explicit Sums(Index count) : coils(static_cast<std::size_t>(count)) {}
  CoilParts<double> parts() { return {real.data(), imag.data(), block_samples, coils}; }
  std::complex<double> at(Index coil, Index i) const {
    const auto where = static_cast<std::size_t>(coil * block_length + i);
    return {real[where], imag[where]};
  }

  std::size_t coils;
  std::array<double, coil_group * block_samples> real{};
  std::array<double, coil_group * block_samples> imag{};
};

template <class Real>
class Plan final : public kernels::PositionDftPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  Plan(ArrayRef<const double> points, ArrayRef<const double> positions)
      : samples_(points.extent(0)), positions_(positions.extent(0)), blocks_(divide_up(samples_, block_length)) {
    const auto size = static_cast<std::size_t>(3 * blocks_ * block_length);
    half_turns_.resize(size);
    leading_.resize(size);
    rest_.resize(size);
    std::array<double, 3> reach{};
    const auto k = points.view<2>();
    for (Index j = 0; j < samples_; ++j) {
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        const auto at = static_cast<std::size_t>((j / block_length * 3 + axis) * block_length + j % block_length);
        half_turns_[at] = static_cast<Real>(2 * k(j, axis));
        leading_[at] = static_cast<float>(k(j, axis));
        rest_[at] = k(j, axis) - static_cast<double>(leading_[at]);
        double& most = reach[static_cast<std::size_t>(axis)];
        most = std::max(most, std::abs(k(j, axis)));
      }
    }
    tiles_ = sort_into_tiles<Real>(positions, reach);
  }

  void forward(const Context& ctx, const Complex* values, Complex* samples, Index batch) const override {
    // sum x exp(-i a) is the conjugate of sum conj(x) exp(i a).
    const auto places = static_cast<Index>(tiles_.order.size());
    Planes<Real> weights(ctx, batch, places);
    for (Index coil = 0; coil < batch; ++coil) {
      for (Index place = 0; place < places; ++place) {
        const Index position = tiles_.order[static_cast<std::size_t>(place)];
        if (position >= 0) weights.set(coil, place, std::conj(values[coil * positions_ + position]));
      }
    }
    const Index round = round_of(ctx, places * block_length);
    for (Index from = 0; from < blocks_; from += round) {
      ctx.check_cancel("position dft");
      const Index to = std::min(blocks_, from + round);
      detail::parallel_for(ctx, "exact sum", from, to, [&](Index b) {
        for (Index first = 0; first < batch; first += Index{coil_group}) {
          const Index coils = std::min(batch - first, Index{coil_group});
          Sums sums(coils);
          for (std::size_t t = 0; t < tiles_.tiles.size(); ++t) {
            const auto place = static_cast<Index>(tiles_.tiles[t].first);
            add_to_samples(block(b), tile(t), weights.of(first, coils, place), sums.parts());
          }
          for (Index coil = 0; coil < coils; ++coil) {
            for (Index j = 0; j < std::min(block_length, samples_ - b * block_length); ++j) {
              samples[(first + coil) * samples_ + b * block_length + j] = Complex(std::conj(sums.at(coil, j)));
            }
          }
        }
      });
    }
  }

  void adjoint(const Context& ctx, const Complex* samples, Complex* values, Index batch) const override {
    Planes<Real> weights(ctx, batch, blocks_ * block_length);
    for (Index coil = 0; coil < batch; ++coil) {
      for (Index j = 0; j < samples_; ++j) weights.set(coil, j, samples[coil * samples_ + j]);
    }
    const auto tiles = static_cast<Index>(tiles_.tiles.size());
    const Index round = round_of(ctx, blocks_ * block_length * Index{tile_places});
    for (Index from = 0; from < tiles; from += round) {
      ctx.check_cancel("position dft");
      const Index to = std::min(tiles, from + round);
      detail::parallel_for(ctx, "exact sum", from, to, [&](Index t) {
        const auto& [origin, first_place, places] = tiles_.tiles[static_cast<std::size_t>(t)];
        for (Index first = 0; first < batch; first += Index{coil_group}) {
          const Index coils = std::min(batch - first, Index{coil_group});
          Sums sums(coils);
          for (Index b = 0; b < blocks_; ++b) {
            add_to_places(block(b), tile(static_cast<std::size_t>(t)), weights.of(first, coils, b * block_length),
                          sums.parts());
          }
          for (std::size_t i = 0; i < places; ++i) {
            const Index position = tiles_.order[first_place + i];
            for (Index coil = 0; coil < coils && position >= 0; ++coil) {
              values[(first + coil) * positions_ + position] = Complex(sums.at(coil, static_cast<Index>(i)));
            }
          }
        }
      });
    }
  }

 private:
  // How many parts of the work, each of `pairs` pairs, are done before cancellation is checked again.
  static Index round_of(const Context& ctx, Index pairs) {
    return ctx.threads() * std::max<Index>(1, pairs_of_round / std::max<Index>(1, pairs));
  }

  SampleBlock<Real> block(Index b) const {
    const Index at = 3 * b * block_length;
    return {half_turns_.data() + at, leading_.data() + at, rest_.data() + at};
  }

  PositionTile<Real> tile(std::size_t t) const {
    const auto& found = tiles_.tiles[t];
    return {found.origin, tiles_.offsets.data() + 3 * found.first, found.places};
  }

  Index samples_;
  Index positions_;
  Index blocks_;
  std::vector<Real> half_turns_;
  std::vector<float> leading_;
  std::vector<double> rest_;
  PositionTiles<Real> tiles_;
};

template <class Real>
std::shared_ptr<const kernels::PositionDftPlan<Real>> make_position_dft_plan(const Context&,
                                                                             ArrayRef<const double> points,
                                                                             ArrayRef<const double> positions) {
  return std::make_shared<const Plan<Real>>(points, positions);
}

}  // namespace

void register_position_dft() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_position_dft_plan<Real>.set(DeviceKind::cpu, make_position_dft_plan<Real>);
  });
}

}  // namespace whorl::backend::cpu
