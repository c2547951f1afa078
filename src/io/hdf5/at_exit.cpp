#include "io/hdf5/at_exit.hpp"

#include <hdf5.h>

namespace whorl::io {

void skip_hdf5_cleanup_at_exit() noexcept { static_cast<void>(H5dont_atexit()); }

}  // namespace whorl::io
