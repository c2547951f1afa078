// An overview of images: three planes through each volume, or numbered tiles.
#pragma once

#include <array>
#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "whorl/io/array_files.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/plot/montage.hpp"

namespace WHORL_PUBLIC whorl {

/// Tiles that an overview has at most where no number is asked for: more would be too small.
inline constexpr Index overview_tiles = 16;

/// A voxel: its indices along x, y and z.
using Voxel = std::array<Index, 3>;

struct OverviewOptions {
  Colormap colormap = Colormap::gray;
  std::optional<DisplayWindow> window{};       ///< none: default_window of what is shown
  std::array<double, 3> edges{1, 1, 1};        ///< of a voxel along x, y and z, in any unit
  SliceAxis axis = SliceAxis::axial;           ///< of tiles
  std::vector<Index> slices{};                 ///< to show, along the axis; empty: all
  std::optional<Index> tiles{overview_tiles};  ///< at most; evenly spaced; none: all
  Index zoom = 0;                              ///< 0: comfortable_zoom
  bool has_text = true;                        ///< a line above each tile, where it is wide enough
  std::vector<Index> frame_numbers{};          ///< what the frames are called; empty: 0, 1, 2, ...
};

struct Overview {
  Picture picture;
  DisplayWindow window{};
  std::string shown;  ///< "planes through x 31, y 40, z 12" or "16 of 40 images"
};

/// Edges of a voxel along x, y and z in millimeters; 1 where the file does not say where its voxels lie.
std::array<double, 3> voxel_edges(const NamedArray& array);

/// Whether a volume is shown as planes where nothing is asked for: it has more slices than an overview has tiles.
bool is_shown_as_planes(const Shape& volumes);

/// The middle of the object: the center of the squared values along each axis, over all frames.
/// Shapes  volumes [frame, z, y, x]
Voxel middle_of_object(ArrayRef<const float> volumes);

/// The axial, coronal and sagittal plane of up to five frames through one voxel (default: middle_of_object), a frame
/// per row. Pixels are stretched so that all planes have the scale of the smallest edge.
///
/// Shapes  volumes [frame, z, y, x]
/// Throws  as montage_picture, and ValueError (a voxel outside the volume)
Overview planes_picture(const Context& ctx, ArrayRef<const float> volumes, const OverviewOptions& options,
                        std::optional<Voxel> through = {});

/// Slices of all frames side by side, each with its number.
/// Shapes  volumes [frame, z, y, x]
/// Throws  as montage_picture and cut_slices
Overview tiles_picture(const Context& ctx, ArrayRef<const float> volumes, const OverviewOptions& options);

/// Either of both: planes if is_shown_as_planes and no slices, axis or number of tiles is asked for.
Overview overview_picture(const Context& ctx, ArrayRef<const float> volumes, const OverviewOptions& options);

/// overview_picture of a map in colors, with a colorbar that has the label. Its window is map_window unless one is given.
Picture map_picture(const Context& ctx, ArrayRef<const float> volumes, OverviewOptions options,
                    const std::string& label);

/// Writes overview_picture of the magnitudes as PNG; with a label their map_picture. Throws as these and write_picture.
void write_overview(const Context& ctx, const std::filesystem::path& path, ArrayRef<const std::complex<float>> volumes,
                    const OverviewOptions& options, const std::string& label = {});

}  // namespace whorl
