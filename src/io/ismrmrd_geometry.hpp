// Geometry in the headers of ISMRMRD's acquisitions and images, which name these members alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "whorl/io/scan.hpp"

namespace whorl::io {

template <class Header>
void set_geometry(Header& header, const Geometry& geometry) {
  const auto to_float = [](double value) { return static_cast<float>(value); };
  const auto set = [&](const std::array<double, 3>& from, float* to) {
    std::transform(from.begin(), from.end(), to, to_float);
  };
  // The library packs its headers to 2 bytes: a reference to a member may be misaligned, so a copy is filled.
  std::array<float, 3> values{};
  const auto assign = [&](const std::array<double, 3>& from, auto& member) {
    set(from, values.data());
    std::memcpy(&member, values.data(), sizeof(values));
  };
  assign(geometry.position_mm, header.position);
  assign(geometry.read_direction, header.read_dir);
  assign(geometry.phase_direction, header.phase_dir);
  assign(geometry.slice_direction, header.slice_dir);
}

}  // namespace whorl::io
