// LabeledArray: an array with named axes.
#pragma once

#include <complex>
#include <map>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::io {

class LabeledArray {
 public:
  /// The first axis is fastest. An axis of extent 1 at the end may be missing in either list.
  /// Throws ValueError for axes that do not fit the extents, naming `source`.
  LabeledArray(std::string source, const std::vector<Index>& extents, const std::vector<std::string>& axes,
               Array<std::complex<double>> values);

  const std::string& source() const { return source_; }
  bool has(const std::string& axis) const { return axes_.contains(axis); }
  /// 1 for a missing axis.
  Index extent(const std::string& axis) const;
  /// Stride of an axis; 0 for a missing axis or one of extent 1, along which the array is constant.
  Index stride(const std::string& axis) const;
  std::span<const std::complex<double>> values() const { return values_.span(); }

 private:
  struct Axis {
    Index extent = 1;
    Index stride = 0;
  };

  std::string source_;
  std::map<std::string, Axis> axes_;
  Array<std::complex<double>> values_;
};

}  // namespace whorl::io
