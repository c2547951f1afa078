// Private: off-resonance that varies over the object.
#pragma once

#include "doctor/check.hpp"
#include "doctor/field_images.hpp"

namespace whorl::doctor {

/// A note where parts of a plane are sharpest at other frequencies than that of the whole, in turns during a readout.
Findings find_varying_field(const Context& ctx, Examination& examination, const FieldImages& field, double whole);

}  // namespace whorl::doctor
