// The table, the maps and the picture of a study.
#pragma once

#include <filesystem>
#include <string>

#include "study.hpp"

namespace sodium {

/// For each tissue and method: truth, mean, bias, standard deviation of a voxel and the part of it that error bars
/// cover.
std::string table_of(const Study& study);

/// Writes sodium.csv (the table), sodium.png, and as NIfTI truth, concentration and standard deviation of the prior's
/// reconstruction.
void write_report(const whorl::Context& ctx, const Study& study, const std::filesystem::path& folder);

}  // namespace sodium
