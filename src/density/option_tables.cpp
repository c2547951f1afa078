#include "whorl/density/option_tables.hpp"

namespace whorl {

const std::vector<std::pair<std::string, DensityMethod>>& density_method_words() {
  static const std::vector<std::pair<std::string, DensityMethod>> words{
      {"auto", DensityMethod::automatic},  {"radial", DensityMethod::radial},
      {"spiral", DensityMethod::spiral},   {"cells", DensityMethod::cell_count},
      {"voronoi", DensityMethod::voronoi}, {"pipe-menon", DensityMethod::pipe_menon},
      {"file", DensityMethod::file},       {"none", DensityMethod::none}};
  return words;
}

template <>
const OptionTable<PipeMenonOptions>& option_table<PipeMenonOptions>() {
  static const OptionTable<PipeMenonOptions> table =
      OptionTable<PipeMenonOptions>("pipe-menon")
          .integer("iterations", &PipeMenonOptions::iterations, OptionRange::at_least(1), "",
                   "Iterations of pipe-menon at most")
          .real("tolerance", &PipeMenonOptions::tolerance, OptionRange::at_least(0).less_than(1), "",
                "Stop when the gridded weights deviate from even ones by this part at most (root mean square)");
  return table;
}

template <>
const OptionTable<VoronoiOptions>& option_table<VoronoiOptions>() {
  static const OptionTable<VoronoiOptions> table = OptionTable<VoronoiOptions>("voronoi").choice(
      "boundary", &VoronoiOptions::boundary,
      {{"extrapolated", VoronoiBoundary::extrapolated}, {"hull", VoronoiBoundary::hull}},
      "voronoi: the outermost cells reach as far outwards as inwards (extrapolated), or end at the convex "
      "hull of the samples (hull)");
  return table;
}

template <>
const OptionTable<CellCountOptions>& option_table<CellCountOptions>() {
  static const OptionTable<CellCountOptions> table =
      OptionTable<CellCountOptions>("cell counting")
          .real("cell", &CellCountOptions::cell, OptionRange::more_than(0), "cycles per field of view",
                "cells: edge of a cell");
  return table;
}

template <>
const OptionTable<DensityOptions>& option_table<DensityOptions>() {
  static const OptionTable<DensityOptions> table =
      OptionTable<DensityOptions>("density")
          .group("Methods")
          .part(&DensityOptions::pipe_menon,
                {{"iterations", "pipe-menon-iterations"}, {"tolerance", "pipe-menon-tolerance"}})
          .part(&DensityOptions::cell_count)
          .part(&DensityOptions::voronoi);
  return table;
}

}  // namespace whorl
