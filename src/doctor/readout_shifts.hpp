// Private: shifts of k-space that differ from readout to readout.
#pragma once

#include <optional>

#include "doctor/examination.hpp"
#include "whorl/correct/estimate_readout_shifts.hpp"

namespace whorl::doctor {

/// The shifts of the readouts of the first frame, where these explain why its samples contradict each other. None where they
/// do not contradict each other, or the data do not tell.
std::optional<ReadoutShifts> explaining_shifts(const Context& ctx, Examination& examination);

}  // namespace whorl::doctor
