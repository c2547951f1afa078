#include "fit/choose_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "whorl/core/progress.hpp"

namespace whorl {

namespace {

constexpr int most_iterations = 60;
constexpr int patience = 8;            // iterations without a better choice
constexpr float nearest_to_0 = 1e-3F;  // of the energy, for a turn: decides among fields that explain alike

using Message = std::array<float, most_candidates>;

class Passing {
 public:
  Passing(const std::array<Index, 3>& extent, const std::vector<VoxelCandidates>& candidates, double smoothness,
          double spacing)
      : extent_(extent),
        step_{extent[1] * extent[2], extent[2], 1},
        candidates_(candidates),
        smoothness_(static_cast<float>(smoothness)),
        spacing_(static_cast<float>(spacing)),
        weights_(candidates.size()),
        messages_(6 * candidates.size()) {
    std::vector<float> energies;
    for (const VoxelCandidates& voxel : candidates) {
      if (voxel.count > 0) energies.push_back(voxel.energy);
    }
    if (energies.empty()) return;
    const auto middle = energies.begin() + static_cast<std::ptrdiff_t>(energies.size() / 2);
    std::nth_element(energies.begin(), middle, energies.end());
    // Bright voxels do not outvote the others.
    for (std::size_t v = 0; v < weights_.size(); ++v) weights_[v] = std::min(1.0F, candidates[v].energy / *middle);
  }

  void pass(bool forward) {
    const auto voxels = static_cast<Index>(candidates_.size());
    for (Index n = 0; n < voxels; ++n) {
      const Index v = forward ? n : voxels - 1 - n;
      const VoxelCandidates& here = of(v);
      if (here.count == 0) continue;
      Message sum = own_cost(v);
      int before = 0;
      int after = 0;
      for (int side = 0; side < 6; ++side) {
        if (neighbor(v, side) < 0) continue;
        ++(is_after(side) ? after : before);
        const Message& in = message(v, side);
        for (int i = 0; i < here.count; ++i) sum[at(i)] += in[at(i)];
      }
      const float share = 1 / static_cast<float>(std::max({before, after, 1}));
      for (int side = 0; side < 6; ++side) {
        const Index other = neighbor(v, side);
        if (other < 0 || is_after(side) != forward) continue;
        const Message& in = message(v, side);
        Message& out = message(other, side ^ 1);
        float least = std::numeric_limits<float>::infinity();
        for (int j = 0; j < of(other).count; ++j) {
          float best = std::numeric_limits<float>::infinity();
          for (int i = 0; i < here.count; ++i) {
            best = std::min(best, share * sum[at(i)] - in[at(i)] + pair_cost(v, i, other, j));
          }
          out[at(j)] = best;
          least = std::min(least, best);
        }
        for (int j = 0; j < of(other).count; ++j) out[at(j)] -= least;
      }
    }
  }

  // In the order of the voxels: those before are chosen, those after speak by their messages.
  std::vector<int> choose() const {
    std::vector<int> chosen(candidates_.size(), -1);
    for (Index v = 0; v < static_cast<Index>(candidates_.size()); ++v) {
      if (of(v).count == 0) continue;
      Message sum = own_cost(v);
      for (int side = 0; side < 6; ++side) {
        const Index other = neighbor(v, side);
        if (other < 0) continue;
        for (int i = 0; i < of(v).count; ++i) {
          sum[at(i)] += is_after(side) ? message(v, side)[at(i)] : pair_cost(v, i, other, chosen[at(other)]);
        }
      }
      chosen[at(v)] = static_cast<int>(std::min_element(sum.begin(), sum.begin() + of(v).count) - sum.begin());
    }
    return chosen;
  }

  double cost(const std::vector<int>& chosen) const {
    double sum = 0;
    for (Index v = 0; v < static_cast<Index>(candidates_.size()); ++v) {
      if (of(v).count == 0) continue;
      sum += static_cast<double>(own_cost(v)[at(chosen[at(v)])]);
      for (int side = 1; side < 6; side += 2) {
        const Index other = neighbor(v, side);
        if (other >= 0) sum += static_cast<double>(pair_cost(v, chosen[at(v)], other, chosen[at(other)]));
      }
    }
    return sum;
  }

 private:
  template <class Integer>
  static std::size_t at(Integer i) {
    return static_cast<std::size_t>(i);
  }
  // Sides: 2 axis is the neighbor before along an axis, 2 axis + 1 the one after.
  static bool is_after(int side) { return side % 2 == 1; }
  const VoxelCandidates& of(Index v) const { return candidates_[at(v)]; }
  // -1: none
  Index neighbor(Index v, int side) const {
    const std::size_t axis = at(side / 2);
    const Index place = v / step_[axis] % extent_[axis];
    if (is_after(side) ? place == extent_[axis] - 1 : place == 0) return -1;
    const Index other = is_after(side) ? v + step_[axis] : v - step_[axis];
    return of(other).count > 0 ? other : -1;
  }
  // What comes to v from its neighbor on a side.
  Message& message(Index v, int side) { return messages_[at(6 * v + side)]; }
  const Message& message(Index v, int side) const { return messages_[at(6 * v + side)]; }

  Message own_cost(Index v) const {
    Message cost{};
    for (int i = 0; i < of(v).count; ++i) {
      const FieldCandidate& one = of(v).list[at(i)];
      cost[at(i)] = weights_[at(v)] * (one.left + nearest_to_0 * std::abs(one.field) * spacing_);
    }
    return cost;
  }
  float pair_cost(Index v, int i, Index other, int j) const {
    const float turns = std::abs(of(v).list[at(i)].field - of(other).list[at(j)].field) * spacing_;
    return smoothness_ * std::min(weights_[at(v)], weights_[at(other)]) * std::min(turns, 1.0F);
  }

  std::array<Index, 3> extent_;
  std::array<Index, 3> step_;
  const std::vector<VoxelCandidates>& candidates_;
  float smoothness_;
  float spacing_;
  std::vector<float> weights_;
  std::vector<Message> messages_;  // [voxel, side]
};

}  // namespace

std::vector<int> choose_fields(const Context& ctx, const std::array<Index, 3>& extent,
                               const std::vector<VoxelCandidates>& candidates, double smoothness, double spacing) {
  Passing passing(extent, candidates, smoothness, spacing);
  ProgressStage stage(ctx, "field", most_iterations);
  std::vector<int> best = passing.choose();
  double least = passing.cost(best);
  int since = 0;
  for (int n = 0; n < most_iterations && since < patience; ++n) {
    passing.pass(true);
    passing.pass(false);
    ctx.check_cancel("field");
    std::vector<int> chosen = passing.choose();
    const double cost = passing.cost(chosen);
    ++since;
    if (cost < least) {
      since = 0;
      least = cost;
      best = std::move(chosen);
    }
    stage.advance(1);
  }
  return best;
}

}  // namespace whorl
