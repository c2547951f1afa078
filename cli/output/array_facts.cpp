#include "cli/output/array_facts.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::cli {

namespace {

double magnitude(float value) { return value; }
double magnitude(double value) { return value; }
template <class T>
double magnitude(std::complex<T> value) {
  return std::abs(value);
}

template <class T>
void add_range(const Array<T>& values, ArrayFacts& facts) {
  double sum = 0;
  for (const T value : values.span()) {
    const double size = magnitude(value);
    if (!std::isfinite(size)) {
      ++facts.not_finite;
      continue;
    }
    facts.least = facts.count == 0 ? size : std::min(facts.least, size);
    facts.most = facts.count == 0 ? size : std::max(facts.most, size);
    sum += size;
    ++facts.count;
  }
  if (facts.count > 0) facts.mean = sum / static_cast<double>(facts.count);
}

std::array<double, 3> voxel_edges(const Affine& affine) {
  std::array<double, 3> edges{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    edges[axis] = std::hypot(affine.matrix[0][axis], affine.matrix[1][axis], affine.matrix[2][axis]);
  }
  return edges;
}

}  // namespace

std::vector<ArrayFacts> describe_arrays(const std::vector<NamedArray>& arrays) {
  std::vector<ArrayFacts> all;
  for (const NamedArray& array : arrays) {
    ArrayFacts& facts = all.emplace_back();
    facts.name = array.name;
    facts.fault = array.fault;
    if (!facts.fault.empty()) continue;
    facts.type = type_name(array.values);
    facts.shape = shape_of(array.values);
    facts.is_complex = is_complex(array.values);
    std::visit([&](const auto& values) { add_range(values, facts); }, array.values);
    if (array.affine) facts.voxel_mm = voxel_edges(*array.affine);
  }
  return all;
}

}  // namespace whorl::cli
