// A center of k-space that is not at k = 0.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "doctor/check.hpp"
#include "doctor/k_space_center.hpp"
#include "whorl/correct/shift_k_space.hpp"

namespace whorl::doctor {

namespace {

constexpr double least_note = 1;   // cycles per field of view
constexpr double least_fault = 2;  // objects have phases of their own, up to about a cycle

}  // namespace

// A shift of all of k-space is a phase that grows over the image: data do not contradict it. Objects have phases of
// less than a cycle or so over the field of view, so what is more is a shift.
Findings find_k_shift(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  const std::optional<Center> found = find_center(ctx, examination);
  if (!found) return {};
  const std::array<double, 3>& center = found->k;
  const double distance = std::hypot(center[0], center[1], center[2]);
  if (distance < least_note) return {};
  if (found->residual > most_doubt) {
    examination.undecided.push_back(fmt::format(
        "k-space shift: samples near the center of k-space contradict each other by {:.0f} % of the signal; "
        "where the center lies was not judged.",
        100 * found->residual));
    return {};
  }
  std::string numbers;
  for (int axis = 0; axis < scan.dim(); ++axis) {
    numbers += fmt::format("{}{:.2f}", axis > 0 ? "," : "", center[static_cast<std::size_t>(axis)]);
  }
  Finding finding{
      .check = "k-space shift",
      .is_fault = distance >= least_fault,
      .what = fmt::format("the center of k-space lies at {} cycles per field of view: the phase of the image grows "
                          "by that much across it",
                          numbers),
      .value = distance,
      .unit = "cycles per field of view",
      .confidence = distance / (distance + least_note),
      .remedy = "whorl recon --k-shift " + numbers};
  if (finding.is_fault) {
    finding.mend_text = fmt::format("positions moved by -({}) cycles per field of view", numbers);
    finding.mend = [center = center](const Context& c, Scan& of) { shift_k_space(c, of, center); };
  } else {
    finding.remedy = "none needed: objects may have such a phase";
  }
  return {finding};
}

}  // namespace whorl::doctor
