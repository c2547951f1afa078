// Normal operators that come from an earlier run.
#pragma once

#include "whorl/op/saved_normals.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Normal operator of a trajectory, by its fingerprint; null where there is none.
const SavedNormal* find_normal(const SavedNormals& normals, const std::string& trajectory);

/// Throws ValueError unless the normal operators are for the scan's matrix and there is one for each of its
/// trajectories, saying which of both differs.
void check_normals(const Scan& scan, const SavedNormals& normals);

}  // namespace whorl::recon
