// ISMRMRD's kinds of trajectory and their names.
#pragma once

#include <ismrmrd/xml.h>

#include <array>
#include <string>
#include <string_view>

namespace whorl::io {

struct TrajectoryKind {
  ISMRMRD::TrajectoryType type;
  std::string_view name;
};

inline constexpr std::array<TrajectoryKind, 6> trajectory_kinds{{{ISMRMRD::TrajectoryType::CARTESIAN, "cartesian"},
                                                                 {ISMRMRD::TrajectoryType::EPI, "epi"},
                                                                 {ISMRMRD::TrajectoryType::RADIAL, "radial"},
                                                                 {ISMRMRD::TrajectoryType::GOLDENANGLE, "goldenangle"},
                                                                 {ISMRMRD::TrajectoryType::SPIRAL, "spiral"},
                                                                 {ISMRMRD::TrajectoryType::OTHER, "other"}}};

inline std::string kind_name(ISMRMRD::TrajectoryType type) {
  for (const TrajectoryKind& kind : trajectory_kinds) {
    if (kind.type == type) return std::string(kind.name);
  }
  return "other";
}

/// The type of that name; "other" for a name unknown to ISMRMRD.
inline ISMRMRD::TrajectoryType kind_type(std::string_view name) {
  for (const TrajectoryKind& kind : trajectory_kinds) {
    if (kind.name == name) return kind.type;
  }
  return ISMRMRD::TrajectoryType::OTHER;
}

}  // namespace whorl::io
