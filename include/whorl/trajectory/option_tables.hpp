// Tables of the options of trajectories and their design.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/trajectory/cartesian.hpp"
#include "whorl/trajectory/cones.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/propeller.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"
#include "whorl/trajectory/stack.hpp"
#include "whorl/trajectory/twisted_projection.hpp"

namespace WHORL_PUBLIC whorl {

/// The orders of spokes and blades by name: uniform, golden, fibonacci.
const std::vector<std::pair<std::string, SpokeOrder>>& spoke_order_words();

template <>
WHORL_PUBLIC const OptionTable<SpokeOptions>& option_table<SpokeOptions>();
template <>
WHORL_PUBLIC const OptionTable<KooshballOptions>& option_table<KooshballOptions>();
template <>
WHORL_PUBLIC const OptionTable<StackOptions>& option_table<StackOptions>();
template <>
WHORL_PUBLIC const OptionTable<ConesOptions>& option_table<ConesOptions>();
template <>
WHORL_PUBLIC const OptionTable<TwistedProjectionOptions>& option_table<TwistedProjectionOptions>();
template <>
WHORL_PUBLIC const OptionTable<PropellerOptions>& option_table<PropellerOptions>();
template <>
WHORL_PUBLIC const OptionTable<CartesianOptions>& option_table<CartesianOptions>();
template <>
WHORL_PUBLIC const OptionTable<GradientLimits>& option_table<GradientLimits>();
template <>
WHORL_PUBLIC const OptionTable<DesignOptions>& option_table<DesignOptions>();

}  // namespace whorl
