// Private: windows of tiles that are laid out already.
#pragma once

#include "io/pictures/montage.hpp"
#include "whorl/core/context.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::detail {

/// default_window of these tiles.
DisplayWindow window_of_tiles(const Context& ctx, const io::Montage& montage);

}  // namespace whorl::detail
