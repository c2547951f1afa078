// Faults of a scan, found from its data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Something that is wrong with a scan, or worth knowing.
struct Finding {
  std::string check;                                  ///< the check that found it: "spikes"
  bool is_fault = true;                               ///< false: a note, with which images are still right
  std::string what;                                   ///< a sentence with the number
  double value = 0;                                   ///< how large it is, in `unit`
  std::string unit;                                   ///< "samples", "pixels", "Hz", ...
  double confidence = 0;                              ///< 0 to 1 (docs/howto/doctor.md says how each check finds it)
  std::string remedy;                                 ///< the option that mends it, or why there is none
  std::string mend_text{};                            ///< what mend() does, as a sentence; empty: nothing is safe
  std::function<void(const Context&, Scan&)> mend{};  ///< none: nothing is safe
};

struct Diagnosis {
  std::vector<Finding> findings;
  std::vector<std::string> undecided;  ///< sentences: what the data could not tell
  Scan mended;                         ///< the scan after the mends of all findings, in their order
  bool is_changed = false;             ///< whether there was a mend

  bool has_fault() const;
};

/// Examines a scan with data. Each check looks at the scan as the mends of earlier findings left it, so that one
/// fault does not hide another. Checks of values look at all frames; those of the trajectory at the first frame,
/// whose mends are applied to all frames.
///
/// The model behind the checks of the trajectory: the samples near the center of k-space are the transform of an object
/// within the field of view, in each coil. Samples that a fit did not see must agree with it. Changes of the
/// trajectory that turn, mirror or shift the whole image satisfy this too: they are found with the coil maps of the
/// scan alone.
///
/// Memory    a copy of the scan, and at most 100 MB
/// Progress  one step per check; Cancelled is thrown between checks and fits
/// Throws    ValueError (a scan without frames or data)
Diagnosis examine(const Context& ctx, const Scan& scan);

}  // namespace whorl
