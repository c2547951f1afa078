// What HDF5 does when the process ends.
#pragma once

#include "core/internal.hpp"

namespace whorl::io {

/// Leaves HDF5 as it is when the process ends. Its own cleanup at exit reads what an error has left behind: after memory that
/// ran out it crashes. A program whose files are closed by then needs no cleanup. To be called before the first file is opened;
/// a library must not, since others in the process may leave files open.
WHORL_INTERNAL void skip_hdf5_cleanup_at_exit() noexcept;

}  // namespace whorl::io
