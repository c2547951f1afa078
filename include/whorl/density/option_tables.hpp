// Tables of the options of density compensation.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/density/density_weights.hpp"

namespace WHORL_PUBLIC whorl {

/// The methods by name: auto, radial, spiral, cells, voronoi, pipe-menon, file, none.
const std::vector<std::pair<std::string, DensityMethod>>& density_method_words();

template <>
WHORL_PUBLIC const OptionTable<PipeMenonOptions>& option_table<PipeMenonOptions>();
template <>
WHORL_PUBLIC const OptionTable<VoronoiOptions>& option_table<VoronoiOptions>();
template <>
WHORL_PUBLIC const OptionTable<CellCountOptions>& option_table<CellCountOptions>();
template <>
WHORL_PUBLIC const OptionTable<DensityOptions>& option_table<DensityOptions>();

}  // namespace whorl
