// What the maps of `whorl map` have in common: the series, its errors, the maps as files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "whorl/core/array.hpp"
#include "whorl/fit/fit_options.hpp"
#include "whorl/io/record.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::cli {

/// Files of a series of real images, and how its voxels are fitted.
struct SeriesInput {
  std::vector<std::string> files;  ///< one with all images, or one for each
  std::string errors;
  FitOptions fit;
};

struct MapSeries {
  Array<float> values;  ///< real with their signs; of complex ones the magnitude
  std::optional<Array<float>> errors;
  std::optional<Affine> affine;

  SeriesErrors errors_ref() const { return errors ? SeriesErrors(errors->ref()) : SeriesErrors(); }
};

/// Adds the argument `series` and the options --series-error, --noise, --threshold, --iterations.
void add_series(App& app, SeriesInput& input);
/// Throws  ShapeError (images of several files that differ in shape), ValueError (images that lie elsewhere), and as read_array
MapSeries read_series(const Context& ctx, const SeriesInput& input);

/// A map as a file that the user may ask for.
struct MapOutput {
  std::string option;  ///< "--error"
  std::string name;    ///< of the array in the file
  std::string help;
  std::string path{};  ///< as the user gave it; empty: not asked for
};

/// The option that asks for a map.
Option* add_map(App& app, MapOutput& output);

void write_map(const Context& ctx, const MapOutput& output, Array<float>& values, const std::optional<Affine>& affine);

/// "fitted in 30 voxels; 2 above the threshold do not determine it, and are 0."
std::string counts_text(Index fitted, Index failed);

}  // namespace whorl::cli
