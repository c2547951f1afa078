// Private: one panel of a figure.
#pragma once

#include <array>

#include "plot/canvas.hpp"
#include "whorl/plot/figure.hpp"

namespace whorl::detail {

/// Draws a panel into a rectangle, its labels included.
void draw_panel(const Context& ctx, Canvas& canvas, const Panel& panel,
                const std::array<double, 4>& left_top_width_height);

}  // namespace whorl::detail
