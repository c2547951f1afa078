// Figures of an outlook as JSON, for the program and for Python.
#pragma once

#include <string>

#include "whorl/recon/outlook.hpp"

namespace WHORL_PUBLIC whorl {

/// An object: figures of both methods, g-factor, and times and work of the scan; null: not known.
std::string outlook_json(const ScanOutlook& outlook);

}  // namespace whorl
