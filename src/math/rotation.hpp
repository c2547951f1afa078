// Private: rotations of three dimensions.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace whorl::detail {

using Rotation = std::array<std::array<double, 3>, 3>;  // [row][column]

inline Rotation product(const Rotation& a, const Rotation& b) {
  Rotation c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t l = 0; l < 3; ++l) c[i][j] += a[i][l] * b[l][j];
    }
  }
  return c;
}

/// About one of the axes x, y, z, by radians: the next axis turns toward the one after it.
inline Rotation rotation_about(std::size_t axis, double angle) {
  const std::size_t from = (axis + 1) % 3;
  const std::size_t to = (axis + 2) % 3;
  Rotation turn{};
  turn[axis][axis] = 1;
  turn[from][from] = turn[to][to] = std::cos(angle);
  turn[to][from] = std::sin(angle);
  turn[from][to] = -std::sin(angle);
  return turn;
}

/// About x first, then y, then z, by radians.
inline Rotation rotation_about_axes(double x, double y, double z) {
  return product(rotation_about(2, z), product(rotation_about(1, y), rotation_about(0, x)));
}

}  // namespace whorl::detail
