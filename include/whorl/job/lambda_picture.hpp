// The picture of the curve that lambda was chosen on.
#pragma once

#include <string>

#include "whorl/core/context.hpp"
#include "whorl/recon/choose_lambda.hpp"

namespace WHORL_PUBLIC whorl {

/// Draws the curve that lambda was chosen on and marks the choice: the L-curve, and what the method compares over
/// lambda. Throws as write_figure.
void write_lambda_picture(const Context& ctx, const std::string& path, const LambdaChoice& choice);

}  // namespace whorl
