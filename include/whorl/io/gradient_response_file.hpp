// Reading the impulse response of gradients (correct/gradient_response.hpp) from a file.
#pragma once

#include <filesystem>

#include "whorl/correct/gradient_response.hpp"

namespace WHORL_PUBLIC whorl {

/// Reads a file of named arrays (.npz, .h5, .mat):
///
///   frequency_hz  [frequency]                 rising; from 0 on, or of both signs
///   response      [frequency, 3]              of the gradients along x, y and z; or
///                 [frequency, 3, 3]           (played, asked for), with what one axis plays along another
///   field         [frequency, 3], optional    T per T/m: a field that is the same everywhere
///
/// Throws  IoError, ShapeError, ValueError (an array that is missing, values that are not finite, and as
///         check_gradient_response); the message names the file
GradientResponse read_gradient_response(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
