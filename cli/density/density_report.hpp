// The numbers of whorl density, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/density/density_quality.hpp"

namespace whorl::cli {

/// What is known of the weights by one method, or why it does not apply.
struct DensityReport {
  std::string method;
  std::string reason{};  ///< not empty: the method does not apply, and the rest is of no meaning
  std::string origin{};
  DensityQuality quality{};
  double least_weight = 0;
  double most_weight = 0;
  double seconds = 0;
};

/// One fact a line.
std::string to_text(const DensityReport& report);
/// One method a line; below, why others do not apply.
std::string to_table(const std::vector<DensityReport>& reports);
/// Writes the reports as JSON, "-" to standard output. Throws IoError.
void write_json(const Context& ctx, const std::string& path, const std::string& scan, Index samples,
                const std::vector<DensityReport>& reports);

}  // namespace whorl::cli
