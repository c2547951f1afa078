#include "fit/field_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/core/progress.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

constexpr double turn = 2 * std::numbers::pi;
constexpr std::array<double, 7> rates{0, 25, 50, 100, 200, 400, 800};  // R2* in 1/s
constexpr double fields_per_turn = 16;                                 // of the longest spacing
constexpr Index voxels_per_part = 256;

// One term exp(2 pi i f spacing), and the pairs of echoes that have it.
struct Spacing {
  double time = 0;
  std::vector<std::pair<std::size_t, std::size_t>> pairs{};
};

std::vector<Spacing> spacings_of(std::span<const double> times, double longest) {
  std::vector<Spacing> spacings;
  for (std::size_t m = 0; m < times.size(); ++m) {
    for (std::size_t n = m + 1; n < times.size(); ++n) {
      const double time = times[n] - times[m];
      const auto found = std::find_if(spacings.begin(), spacings.end(),
                                      [&](const Spacing& one) { return std::abs(one.time - time) < 1e-6 * longest; });
      Spacing& spacing = found == spacings.end() ? spacings.emplace_back(Spacing{time}) : *found;
      spacing.pairs.emplace_back(m, n);
    }
  }
  return spacings;
}

// [m, n]: the projection on the span of exp(-R t) and exp(-R t) fat(t).
std::vector<Complex> projection(std::span<const double> times, const std::vector<Complex>& fat, double rate) {
  const std::size_t count = times.size();
  std::vector<Complex> first(count);
  std::vector<Complex> second(count);
  double square = 0;
  for (std::size_t n = 0; n < count; ++n) {
    first[n] = std::exp(-rate * (times[n] - times[0]));
    second[n] = first[n] * fat[n];
    square += std::norm(first[n]);
  }
  Complex product = 0;
  for (std::size_t n = 0; n < count; ++n) {
    first[n] /= std::sqrt(square);
    product += std::conj(first[n]) * second[n];
  }
  double rest = 0;
  for (std::size_t n = 0; n < count; ++n) {
    second[n] -= product * first[n];
    rest += std::norm(second[n]);
  }
  std::vector<Complex> matrix(count * count);
  for (std::size_t m = 0; m < count; ++m) {
    for (std::size_t n = 0; n < count; ++n) {
      matrix[m * count + n] = first[m] * std::conj(first[n]);
      if (rest > 1e-9 * square) matrix[m * count + n] += second[m] * std::conj(second[n]) / rest;
    }
  }
  return matrix;
}

// The explained energy of one voxel over the fields of the grid.
class Search {
 public:
  Search(std::span<const double> times, const std::vector<Complex>& fat, double range)
      : count_(times.size()), spacings_(spacings_of(times, times.back() - times.front())) {
    step_ = 1 / (fields_per_turn * (times.back() - times.front()));
    fields_ = 2 * static_cast<std::size_t>(std::ceil(range / step_)) + 1;
    for (const double rate : rates) projections_.push_back(projection(times, fat, rate));
    for (const Spacing& spacing : spacings_) {
      for (std::size_t k = 0; k < fields_; ++k)
        cosines_.push_back(std::cos(turn * field(static_cast<double>(k)) * spacing.time));
      for (std::size_t k = 0; k < fields_; ++k)
        sines_.push_back(std::sin(turn * field(static_cast<double>(k)) * spacing.time));
    }
  }

  std::size_t fields() const { return fields_; }

  void find(const std::vector<Complex>& values, std::vector<double>& best, std::vector<int>& best_rate,
            std::vector<double>& explained, VoxelCandidates& found) const {
    std::fill(best.begin(), best.end(), -std::numeric_limits<double>::infinity());
    double energy = 0;
    for (const Complex& value : values) energy += std::norm(value);
    for (std::size_t r = 0; r < rates.size(); ++r) {
      explain(values, projections_[r], explained);
      for (std::size_t k = 0; k < fields_; ++k) {
        if (!(explained[k] > best[k])) continue;
        best[k] = explained[k];
        best_rate[k] = static_cast<int>(r);
      }
    }
    found.energy = static_cast<float>(energy);
    found.count = 0;
    for (std::size_t k = 1; k + 1 < fields_; ++k) {
      if (best[k] >= best[k - 1] && best[k] > best[k + 1]) insert(best, best_rate, k, energy, found);
    }
    if (found.count == 0) {
      const auto most = static_cast<std::size_t>(std::max_element(best.begin(), best.end()) - best.begin());
      insert(best, best_rate, std::clamp<std::size_t>(most, 1, fields_ - 2), energy, found);
    }
  }

 private:
  double field(double k) const { return (k - 0.5 * static_cast<double>(fields_ - 1)) * step_; }

  void explain(const std::vector<Complex>& values, const std::vector<Complex>& matrix,
               std::vector<double>& explained) const {
    double constant = 0;
    for (std::size_t m = 0; m < count_; ++m) constant += matrix[m * count_ + m].real() * std::norm(values[m]);
    std::fill(explained.begin(), explained.end(), constant);
    for (std::size_t s = 0; s < spacings_.size(); ++s) {
      Complex sum = 0;
      for (const auto& [m, n] : spacings_[s].pairs) sum += std::conj(values[m]) * matrix[m * count_ + n] * values[n];
      const double real = 2 * sum.real();
      const double imag = 2 * sum.imag();
      const double* const cosine = cosines_.data() + s * fields_;
      const double* const sine = sines_.data() + s * fields_;
      for (std::size_t k = 0; k < fields_; ++k) explained[k] += real * cosine[k] - imag * sine[k];
    }
  }

  // The vertex of the parabola through three values.
  void insert(const std::vector<double>& best, const std::vector<int>& best_rate, std::size_t k, double energy,
              VoxelCandidates& found) const {
    const double bend = best[k - 1] - 2 * best[k] + best[k + 1];
    const double shift = bend < 0 ? std::clamp(0.5 * (best[k - 1] - best[k + 1]) / bend, -0.5, 0.5) : 0;
    const double top = best[k] - 0.25 * (best[k - 1] - best[k + 1]) * shift;
    const FieldCandidate one{static_cast<float>(field(static_cast<double>(k) + shift)),
                             static_cast<float>(rates[static_cast<std::size_t>(best_rate[k])]),
                             static_cast<float>(std::max(energy - top, 0.0) / energy)};
    const auto end = found.list.begin() + found.count;
    const auto place =
        std::find_if(found.list.begin(), end, [&](const FieldCandidate& other) { return one.left < other.left; });
    if (place == found.list.end()) return;
    found.count = std::min(found.count + 1, static_cast<int>(most_candidates));
    std::move_backward(place, found.list.begin() + found.count - 1, found.list.begin() + found.count);
    *place = one;
  }

  std::size_t count_;
  std::vector<Spacing> spacings_;
  double step_ = 0;
  std::size_t fields_ = 0;
  std::vector<std::vector<Complex>> projections_;  // of each rate
  std::vector<double> cosines_;                    // [spacing, field]
  std::vector<double> sines_;
};

}  // namespace

std::vector<VoxelCandidates> field_candidates(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                                              std::span<const double> times, const std::vector<Complex>& fat,
                                              const std::vector<char>& mask, double range) {
  const auto voxels = static_cast<Index>(mask.size());
  const Search search(times, fat, range);
  std::vector<VoxelCandidates> found(mask.size());
  ProgressStage stage(ctx, "field candidates", voxels);
  const Index parts_together = Index{4} * ctx.threads();
  const Index parts = divide_up(voxels, voxels_per_part);
  for (Index first = 0; first < parts; first += parts_together) {
    const Index last = std::min(first + parts_together, parts);
    detail::parallel_for(ctx, "field candidates", first, last, [&](Index part) {
      std::vector<Complex> values(times.size());
      std::vector<double> best(search.fields());
      std::vector<int> best_rate(search.fields());
      std::vector<double> explained(search.fields());
      const Index end = std::min((part + 1) * voxels_per_part, voxels);
      for (Index v = part * voxels_per_part; v < end; ++v) {
        if (mask[static_cast<std::size_t>(v)] == 0) continue;
        for (std::size_t n = 0; n < values.size(); ++n) {
          values[n] = Complex(echoes.data()[static_cast<Index>(n) * voxels + v]);
        }
        search.find(values, best, best_rate, explained, found[static_cast<std::size_t>(v)]);
      }
    });
    stage.advance(std::min(last * voxels_per_part, voxels) - first * voxels_per_part);
  }
  return found;
}

}  // namespace whorl
