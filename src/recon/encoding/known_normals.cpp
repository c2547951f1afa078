#include "recon/encoding/known_normals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/op/normal_spectrum.hpp"
#include "whorl/trajectory/fingerprint.hpp"

namespace whorl::recon {

namespace {

std::string name_of(const SavedNormals& normals) {
  return normals.source.empty() ? "normal operator" : fmt::format("normal operator of '{}'", normals.source);
}

// Fault of a frame's trajectory, for messages; empty where its normal operator is known.
std::string difference(const SavedNormals& normals, const Trajectory& trajectory, std::size_t frame) {
  const std::string fingerprint = trajectory_fingerprint(trajectory.points);
  if (find_normal(normals, fingerprint) != nullptr) return {};
  const bool same_count = std::any_of(normals.normals.begin(), normals.normals.end(), [&](const SavedNormal& normal) {
    return normal.samples == trajectory.samples();
  });
  const std::string scan = fmt::format("frame {} of the scan has {} samples", frame + 1, trajectory.samples());
  if (same_count) return fmt::format("its trajectory differs: {}, as it has, at other positions", scan);
  if (normals.normals.size() > 1) {
    return fmt::format("its {} trajectories differ: {}, none of them has", normals.normals.size(), scan);
  }
  return fmt::format("its trajectory differs: {}, it has {}", scan, normals.normals.front().samples);
}

}  // namespace

const SavedNormal* find_normal(const SavedNormals& normals, const std::string& trajectory) {
  const auto found = std::find_if(normals.normals.begin(), normals.normals.end(),
                                  [&](const SavedNormal& normal) { return normal.trajectory == trajectory; });
  return found == normals.normals.end() ? nullptr : &*found;
}

void check_normals(const Scan& scan, const SavedNormals& normals) {
  const Shape image = scan.image_shape();
  const Shape grid = normal_grid(image);
  std::string wrong;
  if (normals.image != image) {
    wrong = fmt::format("its matrix differs: {}, the scan's is {}", to_string(normals.image), to_string(image));
  }
  if (normals.normals.empty()) throw ValueError(name_of(normals) + ": of no trajectory; make it anew from this scan");
  std::shared_ptr<const Trajectory> checked;
  for (std::size_t f = 0; f < scan.frames.size(); ++f) {
    const auto& trajectory = scan.frames[f].trajectory;
    if (trajectory == checked) continue;
    checked = trajectory;
    const std::string what = difference(normals, *trajectory, f);
    if (what.empty()) continue;
    wrong += wrong.empty() ? what : "; " + what;
    break;
  }
  for (const SavedNormal& normal : normals.normals) {
    if (wrong.empty() && normal.spectrum.shape() != grid) {
      wrong = fmt::format("a spectrum of {}, expected {}", to_string(normal.spectrum.shape()), to_string(grid));
    }
  }
  if (!wrong.empty()) throw ValueError(fmt::format("{}: {}; make it anew from this scan", name_of(normals), wrong));
}

}  // namespace whorl::recon
