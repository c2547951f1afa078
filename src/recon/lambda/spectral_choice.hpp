// Lambda from shells of the data's power.
#pragma once

#include <vector>

#include "recon/lambda/power_shells.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/recon/choose_lambda.hpp"

namespace whorl::recon {

/// spectral_lambda, by the shells of the data, of which the noise was taken off. The data times `unit` have noise of 1.
LambdaChoice spectral_choice(const std::vector<PowerShell>& shells, const Shape& image, double eigenvalue, double unit);

}  // namespace whorl::recon
