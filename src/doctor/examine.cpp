#include "whorl/doctor/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "doctor/check.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

struct Check {
  std::string_view name;
  doctor::Findings (*find)(const Context&, doctor::Examination&);
};

// In this order: values before the trajectory, which they would mislead; the place of the object before the unit,
// which would explain a wrong place too; off-resonance before delays, which it looks like in spirals;
// delays before shifts of readouts, of which they are a special case along spokes.
constexpr std::array checks{
    Check{"header", &doctor::list_header_notes},
    Check{"empty frames", &doctor::find_empty_frames},
    Check{"clipping", &doctor::find_clipping},
    Check{"spikes", &doctor::find_spikes},
    Check{"dead coils", &doctor::find_dead_coils},
    Check{"copied coils", &doctor::find_copied_coils},
    Check{"noise scan", &doctor::judge_noise_scan},
    Check{"readout order", &doctor::find_reversed_readouts},
    Check{"off-center object", &doctor::find_cut_object},
    Check{"trajectory unit", &doctor::find_wrong_unit},
    Check{"coil maps", &doctor::compare_with_maps},
    Check{"off-resonance", &doctor::find_off_resonance},
    Check{"gradient delays", &doctor::find_delays},
    Check{"readout shifts", &doctor::find_readout_shifts},
    Check{"k-space shift", &doctor::find_k_shift},
    Check{"contradiction", &doctor::find_contradiction},
};

}  // namespace

bool Diagnosis::has_fault() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.is_fault; });
}

Diagnosis examine(const Context& ctx, const Scan& scan) {
  if (scan.frames.empty() || scan.coils == 0 || scan.frames.front().data.size() == 0) {
    throw ValueError("doctor: the scan has no data; a trajectory alone cannot be examined");
  }
  Diagnosis diagnosis;
  if (std::optional<Finding> none = doctor::find_no_signal(scan)) {
    diagnosis.findings.push_back(std::move(*none));
    diagnosis.mended = clone(ctx, scan);
    return diagnosis;
  }
  doctor::Examination examination(clone(ctx, scan));
  ProgressStage stage(ctx, "checks", static_cast<Index>(checks.size()));
  for (const Check& check : checks) {
    for (Finding& finding : check.find(ctx, examination)) {
      if (finding.mend) {
        examination.apply(ctx, finding);
        diagnosis.is_changed = true;
      }
      diagnosis.findings.push_back(std::move(finding));
    }
    stage.advance(1, check.name);
  }
  diagnosis.undecided = examination.undecided;
  diagnosis.mended = examination.take();
  for (const Finding& finding : diagnosis.findings) {
    if (finding.mend)
      diagnosis.mended.notes.emplace_back(fmt::format("Doctor, {}: {}.", finding.check, finding.mend_text));
  }
  return diagnosis;
}

}  // namespace whorl
