// whorl view: arrays as pictures.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "cli/command.hpp"
#include "cli/options/number_list.hpp"
#include "cli/options/option_of.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/show_picture.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/record.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/plot/montage.hpp"
#include "whorl/plot/overview.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string file;
  std::optional<DisplayPart> part;
  std::vector<std::string> window;
  std::optional<Colormap> colormap;
  bool colorbar = false;
  bool map = false;
  std::string label;
  std::vector<Index> at;
  SliceAxis axis = SliceAxis::axial;
  std::vector<Index> slices;
  std::vector<Index> frames;
  Index tiles = 0;
  Index zoom = 0;
  ShowOptions show;
};

const OptionTable<Options>& size_table() {
  static const OptionTable<Options> table =
      OptionTable<Options>("view")
          .integer("tiles", &Options::tiles, OptionRange::at_least(0), "",
                   "How many images to show side by side, evenly spaced (0: three planes through volumes of more than "
                   "16 slices; else at most 16, in the terminal 4, unless slices or frames are chosen)")
          .list("at", &Options::at, 3, 3, OptionRange::at_least(0), "",
                "Voxel x, y, z, from 0, through which the three planes go (default: the middle of the object)")
          .integer("zoom", &Options::zoom, {0, 65535}, "",
                   "How many times a pixel is enlarged (0: until the longer side has 512 or more)");
  return table;
}

// What a terminal shows where nothing else is asked for: more tiles would be too small.
constexpr Index terminal_tiles = 4;
// The volumes [..., z, y, x] that are wanted, [volume, z, y, x].
Array<float> choose_frames(const Context& ctx, Array<float> images, const std::vector<Index>& frames) {
  if (images.rank() < 2) {
    throw ShapeError(fmt::format("an array of shape {} is no image; expected [y, x] or more axes in front",
                                 to_string(images.shape())));
  }
  const Index rows = images.extent(-2);
  const Index columns = images.extent(-1);
  const Index depth = images.rank() > 2 ? images.extent(-3) : 1;
  const Index count = images.size() == 0 ? 0 : images.size() / (rows * columns * depth);
  images.reshape({count, depth, rows, columns});
  if (frames.empty()) return images;
  Array<float> chosen(ctx, {static_cast<Index>(frames.size()), depth, rows, columns});
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] >= count) {
      throw ValueError(fmt::format("there is no frame {}; expected 0 to {}", frames[i], count - 1));
    }
    copy<float>(images.slice(frames[i]), chosen.slice(static_cast<Index>(i)));
  }
  return chosen;
}

// "0.2" or "5%".
struct Bound {
  double value = 0;
  bool percentile = false;
};

Bound bound_of(const std::string& text) {
  Bound bound;
  std::string number = text;
  if (number.ends_with('%')) {
    bound.percentile = true;
    number.pop_back();
  }
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bound.value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(bound.value)) {
    throw ValueError(fmt::format("--window: '{}' is neither a number nor a percentile such as 99%", text));
  }
  return bound;
}

bool is_bound(const std::string& word) {
  try {
    bound_of(word);
    return true;
  } catch (const ValueError&) {
    return false;
  }
}

// "1%,99%".
std::vector<std::string> bounds_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || text.find(',', comma + 1) != std::string::npos) {
    refuse(fmt::format("--window is '{}', expected two numbers or two percentiles", text));
  }
  std::vector<std::string> bounds{text.substr(0, comma), text.substr(comma + 1)};
  for (const std::string& bound : bounds) {
    if (!is_bound(bound)) refuse(fmt::format("--window: '{}' is neither a number nor a percentile such as 99%", bound));
  }
  const Bound low = bound_of(bounds[0]);
  const Bound high = bound_of(bounds[1]);
  if (low.percentile != high.percentile) {
    refuse(fmt::format("--window is '{}', expected two numbers or two percentiles", text));
  }
  if (!(low.value < high.value)) refuse(fmt::format("--window is '{}', expected the lower value first", text));
  return bounds;
}

bool is_index_list(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789:") == std::string::npos;
}

void add_index_list(App& app, const std::string& name, std::vector<Index>& values, const std::string& help) {
  const auto take = [name, &values](const std::string& text) {
    try {
      values = number_list(text);
    } catch (const ValueError& error) {
      refuse_option(name, error.what());
    }
  };
  app.add_list_function(name, {"I,J,...", 0, &is_index_list}, take, help);
}

// None: that of the overview.
std::optional<DisplayWindow> window_of(const Context& ctx, const Options& options, DisplayPart part,
                                       ArrayRef<const float> images) {
  if (options.window.empty()) {
    if (part == DisplayPart::phase) return DisplayWindow{-std::numbers::pi, std::numbers::pi};
    if (options.map) return map_window(ctx, images);
    return {};
  }
  const Bound low = bound_of(options.window[0]);
  const Bound high = bound_of(options.window[1]);
  if (low.percentile) return percentile_window(images, low.value, high.value);
  return DisplayWindow{low.value, high.value};
}

Colormap colormap_of(const Options& options, DisplayPart part, const std::optional<DisplayWindow>& window) {
  if (options.colormap) return *options.colormap;
  if (part == DisplayPart::phase) return Colormap::cyclic;
  if (!options.map) return Colormap::gray;
  return window && window->low < 0 ? Colormap::blue_red : Colormap::blue_yellow;
}

// A map says by its record what it shows, in which unit.
void settle_map(Options& options) {
  const std::string quantity = quantity_of_result(options.file);
  if (quantity.empty()) return;
  options.map = true;
  if (options.label.empty()) options.label = quantity;
}

Overview draw(const Context& ctx, const Options& options, ArrayRef<const float> volumes, OverviewOptions& how) {
  if (!options.at.empty()) {
    return planes_picture(ctx, volumes, how, Voxel{options.at[0], options.at[1], options.at[2]});
  }
  if (options.tiles == 0 && options.slices.empty() && options.frames.empty() && options.axis == SliceAxis::axial &&
      is_shown_as_planes(volumes.shape())) {
    return planes_picture(ctx, volumes, how);
  }
  return tiles_picture(ctx, volumes, how);
}

// The least and the largest finite number; 0 and 0 if there is none.
std::pair<float, float> range_of(ArrayRef<const float> values) {
  float least = std::numeric_limits<float>::infinity();
  float largest = -least;
  for (Index i = 0; i < values.size(); ++i) {
    const float value = values.data()[i];
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  return largest < least ? std::pair{0.0F, 0.0F} : std::pair{least, largest};
}

const char* label_of(DisplayPart part) {
  switch (part) {
    case DisplayPart::phase:
      return "phase (rad)";
    case DisplayPart::real:
      return "real part";
    case DisplayPart::imaginary:
      return "imaginary part";
    default:
      return "magnitude";
  }
}

void run(Options options, const Session& session) {
  const Context& ctx = session.ctx;
  const NamedArray array = read_array(ctx, options.file);
  const AnyArray& values = array.values;
  const DisplayPart part = options.part.value_or(is_complex(values) ? DisplayPart::magnitude : DisplayPart::real);
  const bool plain = part == DisplayPart::real && !is_complex(values);
  if (plain) settle_map(options);
  const Array<float> volumes = choose_frames(ctx, display_part(ctx, values, part), options.frames);

  const bool terminal = options.show.output.empty();
  OverviewOptions how{.edges = voxel_edges(array), .axis = options.axis, .slices = options.slices};
  how.window = window_of(ctx, options, part, volumes);
  how.colormap = colormap_of(options, part, how.window);
  how.frame_numbers = options.frames;
  how.has_text = !terminal;
  how.zoom = terminal ? std::max<Index>(1, options.zoom) : options.zoom;
  how.tiles = terminal ? terminal_tiles : overview_tiles;
  if (!options.slices.empty() || !options.frames.empty()) how.tiles.reset();
  if (options.tiles > 0) how.tiles = options.tiles;
  const Overview overview = draw(ctx, options, volumes, how);

  const std::string what = plain ? "values" : label_of(part);
  const std::string label = !options.label.empty() ? options.label : plain ? "" : what;
  const bool has_scale = options.colorbar || (options.map && !terminal);
  const auto [least, largest] = range_of(volumes);
  show_picture(session,
               has_scale ? with_colorbar(overview.picture, how.colormap, overview.window, label) : overview.picture,
               fmt::format("{}: {} of {} x {}, {} from {:.6g} to {:.6g}, shown from {:.6g} to {:.6g}", options.file,
                           overview.shown, volumes.extent(3), volumes.extent(2), label.empty() ? what : label, least,
                           largest, overview.window.low, overview.window.high),
               options.show);
}

constexpr const char* examples =
    R"(The array is [..., z, y, x]. Volumes of more than 16 slices are shown by three planes through the middle of the
object, others by their slices and frames side by side, each with its number.
Examples:
  whorl view image.nii.gz               in the terminal
  whorl view image.nii.gz -o image.png --colorbar
                                        gray from 0 to the 99.5th percentile
  whorl view volume.nii.gz -o planes.png --at 60,80,45
                                        three planes through one voxel
  whorl view image.npy -o phase.png --phase
  whorl view volume.nii.gz -o side.png --axis sagittal --slices 60:120:10
  whorl view maps.npz:b0 -o b0.png --map --label 'off-resonance (Hz)'
                                        a map: its own colors, between percentiles inside the object
  whorl view image.npy -o image.png --window 1% 99%
                                        from the 1st to the 99th percentile)";

}  // namespace

Command view_command() {
  return {"view", "Show an array as a picture: planes, slices or frames, as PNG or in the terminal", examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("file", options->file,
                          "Array: FILE or FILE:NAME (NumPy, NIfTI, BART, MATLAB, ISMRMRD, HDF5, DICOM, PNG)")
                ->required();
            add_show_options(app, options->show);
            Option* part = add_text_option(app, "--part", options->part, display_part_from_string,
                                           "magnitude, phase (radians), real or imag (default: magnitude of complex "
                                           "arrays, values of real ones)");
            app.add_flag_callback(
                   "--phase", [options] { options->part = DisplayPart::phase; }, "The same as --part phase")
                ->excludes(part);
            app.add_list_function(
                "--window", {"LOW,HIGH", 2, &is_bound},
                [options](const std::string& text) { options->window = bounds_of(text); },
                "Values, or percentiles such as 1%,99%, for the ends of the colormap (default: 0, or -high where there "
                "are negative values, and the 99.5th percentile; phases: -pi,pi)");
            add_text_option(app, "--colormap", options->colormap, colormap_from_string,
                            colormap_names() + " (default: gray; phases: cyclic)");
            app.add_flag("--colorbar", options->colorbar, "Show which color stands for which value");
            app.add_flag("--map", options->map,
                         "The values are a map that is 0 outside the object: colors from its 2nd to its 98th "
                         "percentile, with a colorbar (default where the file's record says so)");
            app.add_word("--label", options->label, "What the colorbar says, with the unit: 'T2* (ms)'");
            add_text_option(app, "--axis", options->axis, slice_axis_from_string,
                            "Way to cut volumes: axial or z (default), coronal or y, sagittal or x; z runs upward");
            add_index_list(app, "--slices", options->slices,
                           "Slices to show, from 0: such as 3 or 1,4,7 or 0:10 or 0:10:2 (default: all)");
            add_index_list(app, "--frames", options->frames,
                           "Volumes to show, from 0, counted over all axes in front of z (default: all)");
            add_options(app, *options, size_table());
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
