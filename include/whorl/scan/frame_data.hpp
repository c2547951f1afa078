// FrameData: reads the data of frames once it is known which are needed.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// Gives the data [coil, sample] of some frames of a scan, on the host. Frames have their numbers in the scan, each once.
/// Throws  what the scan's reader throws
using FrameData =
    std::function<std::vector<Array<std::complex<float>>>(const Context& host, std::span<const Index> frames)>;

}  // namespace whorl
