// The options of density compensation, described.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/density/density_weights.hpp"

namespace whorl {

/// The methods by name: auto, radial, spiral, cells, voronoi, pipe-menon, file, none.
const std::vector<std::pair<std::string, DensityMethod>>& density_method_words();

template <>
const OptionTable<PipeMenonOptions>& option_table<PipeMenonOptions>();
template <>
const OptionTable<VoronoiOptions>& option_table<VoronoiOptions>();
template <>
const OptionTable<CellCountOptions>& option_table<CellCountOptions>();
template <>
const OptionTable<DensityOptions>& option_table<DensityOptions>();

}  // namespace whorl
