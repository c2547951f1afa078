// The echo times that files of images say.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// Echo times in ms of images, file by file: EchoTime of the BIDS sidecar beside a NIfTI image, the record of whorl's reconstruction, or an
/// array beside the images (te, echo_times, te_ms; docs/reference/files.md). Empty where one of the files says none.
///
/// files   FILE or FILE:NAME
/// Throws  IoError (files that cannot be read)
std::vector<double> image_echo_times_ms(const Context& ctx, const std::vector<std::string>& files);

}  // namespace whorl
