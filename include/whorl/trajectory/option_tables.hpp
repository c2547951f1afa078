// The options of trajectories and their design, described.
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

namespace whorl {

/// The orders of spokes and blades by name: uniform, golden, fibonacci.
const std::vector<std::pair<std::string, SpokeOrder>>& spoke_order_words();

template <>
const OptionTable<SpokeOptions>& option_table<SpokeOptions>();
template <>
const OptionTable<KooshballOptions>& option_table<KooshballOptions>();
template <>
const OptionTable<StackOptions>& option_table<StackOptions>();
template <>
const OptionTable<ConesOptions>& option_table<ConesOptions>();
template <>
const OptionTable<TwistedProjectionOptions>& option_table<TwistedProjectionOptions>();
template <>
const OptionTable<PropellerOptions>& option_table<PropellerOptions>();
template <>
const OptionTable<CartesianOptions>& option_table<CartesianOptions>();
template <>
const OptionTable<GradientLimits>& option_table<GradientLimits>();
template <>
const OptionTable<DesignOptions>& option_table<DesignOptions>();

}  // namespace whorl
