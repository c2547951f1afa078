// The report of a run: one page of HTML with its images, curves and facts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// An array that a run wrote beside its image.
struct ReportFile {
  std::string title;
  std::filesystem::path path;
  bool is_map = false;          ///< windowed inside the object, in colors
  std::string along = "frame";  ///< what the leading axis counts
};

/// Sources of a report beside the record.
struct ReportSources {
  std::vector<ReportFile> files{};      ///< shown where they are there and can be read
  std::vector<std::string> not_kept{};  ///< sentences on what the run could have kept
  /// Reads the scan: for trajectory, density weights, point spread and the findings of examine(). Empty: no scan.
  std::function<Scan(const Context& ctx)> read_scan{};
};

/// One page that needs no other file and no network, below 5 MB. It has the image with window and level (series as a
/// movie), further arrays, the sampling and its point spread, and what is wrong with the scan. It has residuals, the
/// choice of lambda, times, memory, notes and the facts of the record. What is missing is named with its reason. Large images are
/// reduced, and the page says so. Every text from files is escaped.
///
/// Throws  IoError (no record, or a damaged one), Cancelled
std::string report_page(const Context& ctx, const std::filesystem::path& path, const ReportSources& sources);

}  // namespace whorl
