// Good scans, and every way to break one.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "whorl/doctor/examine.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::test {

/// A phantom, 6 coils, an SNR of 20 and a noise scan: "radial", "spiral", or "kooshball" (3D).
Scan good_scan(const Context& ctx, const std::string& name);

/// With the true maps of its coils.
void add_maps(const Context& ctx, Scan& scan);

/// One way to break a scan, and what must be found.
struct Damage {
  std::string name;
  std::string check;
  std::function<double(Scan&)> apply;  ///< returns the value that is to be found
  double tolerance = 0;                ///< of the value
  bool is_fault = true;                ///< else a note
  bool is_mended = true;               ///< whether nothing is wrong with the mended scan
  bool has_same_image = true;          ///< whether its image is that of the good scan
};

std::vector<Damage> damages_of_values(const Context& ctx);
std::vector<Damage> damages_of_trajectory(const Context& ctx, const std::string& name);
/// Damages that only coil maps tell.
std::vector<Damage> damages_beside_maps(int dim);

/// The findings as lines, for messages.
std::string text_of(const Diagnosis& diagnosis);

}  // namespace whorl::test
