// Private: images that the page's script draws, with window and level.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/plot/overview.hpp"

namespace whorl::report {

/// What an array is shown as.
struct ViewOptions {
  std::string title;
  std::string unit{};  ///< of the values, for the line below the image
  Colormap colormap = Colormap::gray;
  std::array<double, 2> window{0, 0};  ///< equal: map_window for maps, else default_window
  bool is_map = false;
  std::string along = "frame";           ///< what the leading axis counts
  std::array<double, 3> edges{1, 1, 1};  ///< of a voxel along x, y and z
  std::optional<Voxel> through{};        ///< of planes; none: the middle of the object
  Index most_pixels = 100000;            ///< over all frames; larger images are reduced
};

/// The views of a page: its data for the script, and the markup of each.
class Views {
 public:
  /// <figure> for volumes [frame, z, y, x]: planes of volumes with more than 16 slices, else at most 16 slices side by
  /// side; frames one after another, evenly chosen where there are too many.
  std::string add(const Context& ctx, ArrayRef<const float> volumes, const ViewOptions& options);

  /// <script> elements with the data; nothing where there is no view.
  std::string data() const;

 private:
  nlohmann::ordered_json views_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json colormaps_ = nlohmann::ordered_json::object();
};

}  // namespace whorl::report
