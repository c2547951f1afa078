#include "backend/cpu/exact/position_tiles.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace whorl::backend::cpu {

namespace {

// The smallest box around positions.
struct Box {
  std::array<double, 3> low{};
  std::array<double, 3> high{};

  double turns(const std::array<double, 3>& reach, std::size_t axis) const {
    return reach[axis] * (high[axis] - low[axis]) / 2;
  }
};

class Sorter {
 public:
  Sorter(ArrayRef<const double> positions, const std::array<double, 3>& reach)
      : positions_(positions.view<2>()), dim_(static_cast<std::size_t>(positions.extent(1))), reach_(reach) {}

  double at(Index position, std::size_t axis) const { return axis < dim_ ? positions_(position, axis) : 0.0; }

  Box box_of(std::span<const Index> members) const {
    Box box;
    for (std::size_t axis = 0; axis < dim_; ++axis) {
      box.low[axis] = box.high[axis] = at(members.front(), axis);
      for (const Index member : members) {
        box.low[axis] = std::min(box.low[axis], at(member, axis));
        box.high[axis] = std::max(box.high[axis], at(member, axis));
      }
    }
    return box;
  }

  /// Calls use(members, box) for each tile.
  template <class Use>
  void split(std::span<Index> members, const Use& use) const {
    const Box box = box_of(members);
    std::size_t widest = 0;
    double turns = 0;
    for (std::size_t axis = 0; axis < dim_; ++axis) {
      turns += box.turns(reach_, axis);
      if (box.turns(reach_, axis) > box.turns(reach_, widest)) widest = axis;
    }
    if (members.size() == 1 || (members.size() <= tile_places && turns <= tile_turns)) {
      use(std::span<const Index>(members), box);
      return;
    }
    // Splits off full tiles, or full vectors, or a half.
    std::size_t unit = members.size() > tile_places ? tile_places : place_multiple;
    if (members.size() <= unit) unit = 1;
    const std::size_t left = std::max(unit, members.size() / 2 / unit * unit);
    std::nth_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(left), members.end(),
                     [&](Index a, Index b) { return at(a, widest) < at(b, widest); });
    split(members.first(left), use);
    split(members.subspan(left), use);
  }

 private:
  View<const double, 2> positions_;
  std::size_t dim_;
  const std::array<double, 3>& reach_;
};

}  // namespace

template <class Real>
PositionTiles<Real> sort_into_tiles(ArrayRef<const double> positions, const std::array<double, 3>& reach) {
  const Sorter sorter(positions, reach);
  std::vector<Index> members(static_cast<std::size_t>(positions.extent(0)));
  std::iota(members.begin(), members.end(), Index{0});
  PositionTiles<Real> result;
  if (members.empty()) return result;
  sorter.split(members, [&](std::span<const Index> tile, const Box& box) {
    const std::size_t places = round_up(tile.size(), place_multiple);
    const std::size_t first = result.order.size();
    result.tiles.push_back({{}, first, places});
    result.order.insert(result.order.end(), tile.begin(), tile.end());
    result.order.resize(first + places, -1);
    result.offsets.resize(3 * (first + places));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto origin = static_cast<float>((box.low[axis] + box.high[axis]) / 2);
      result.tiles.back().origin[axis] = origin;
      for (std::size_t i = 0; i < tile.size(); ++i) {
        const double offset = sorter.at(tile[i], axis) - static_cast<double>(origin);
        result.offsets[3 * first + axis * places + i] = static_cast<Real>(offset);
      }
    }
  });
  return result;
}

template PositionTiles<float> sort_into_tiles(ArrayRef<const double>, const std::array<double, 3>&);
template PositionTiles<double> sort_into_tiles(ArrayRef<const double>, const std::array<double, 3>&);

}  // namespace whorl::backend::cpu
