#include "whorl/trajectory/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/sha256.hpp"

namespace whorl {

std::string trajectory_fingerprint(ArrayRef<const double> points) {
  Sha256 hash;
  const std::array<std::int64_t, 2> extents{points.extent(0), points.extent(1)};
  hash.add(extents.data(), sizeof(extents));
  std::vector<float> part;
  const auto all = points.span();
  constexpr std::size_t most = 1U << 16U;
  for (std::size_t first = 0; first < all.size(); first += most) {
    part.clear();
    for (const double k : all.subspan(first, std::min(most, all.size() - first))) {
      part.push_back(static_cast<float>(k) + 0.0F);  // one zero, whatever its sign
    }
    hash.add(part.data(), part.size() * sizeof(float));
  }
  return hash.digits();
}

}  // namespace whorl
