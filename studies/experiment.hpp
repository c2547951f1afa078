// The experiments with the kernels of a device.
#pragma once

#include <memory>
#include <string>

#include "kernels/registry.hpp"
#include "studies/study.hpp"

namespace whorl::kernels {

/// As register_core, for the library of the studies.
[[gnu::visibility("hidden")]] std::string_view register_studies(DeviceKind device);

/// The experiment of a study, by name.
inline KernelOf<std::unique_ptr<studies::Experiment>(DeviceKind, const std::string& study), register_studies>
    make_experiment{"studies"};

}  // namespace whorl::kernels
