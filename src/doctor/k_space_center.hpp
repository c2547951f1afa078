// Private: where the center of k-space lies.
#pragma once

#include <array>
#include <optional>

#include "doctor/examination.hpp"

namespace whorl::doctor {

struct Center {
  std::array<double, 3> k{};  ///< cycles per field of view
  double residual = 0;        ///< of the fit around it
};

/// Beyond this residual the fit is no image of the object whose center could be told.
inline constexpr double most_doubt = 0.2;

/// None where no object within the field of view is the source of the samples.
std::optional<Center> find_center(const Context& ctx, Examination& examination);

}  // namespace whorl::doctor
