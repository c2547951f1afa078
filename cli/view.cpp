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
#include "whorl/io/png.hpp"
#include "whorl/job/request.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string file;
  std::optional<DisplayPart> part;
  std::vector<std::string> window;
  std::optional<Colormap> colormap;
  bool colorbar = false;
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
                   "How many images to show, evenly spaced (0: at most 16, in the terminal 4, unless slices or frames "
                   "are chosen)")
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

DisplayWindow window_of(const Context& ctx, const Options& options, DisplayPart part, ArrayRef<const float> images,
                        std::optional<Index> tiles) {
  if (options.window.empty()) {
    if (part == DisplayPart::phase) return {-std::numbers::pi, std::numbers::pi};
    return default_window(ctx, images, tiles);
  }
  const Bound low = bound_of(options.window[0]);
  const Bound high = bound_of(options.window[1]);
  if (low.percentile) return percentile_window(images, low.value, high.value, tiles);
  return {low.value, high.value};
}

// The least and the largest number; not of NaN. Of none that is finite: 0 and 0.
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

void run(const Options& options, const Session& session) {
  const Context& ctx = session.ctx;
  const AnyArray values = read_array(ctx, options.file).values;
  const DisplayPart part = options.part.value_or(is_complex(values) ? DisplayPart::magnitude : DisplayPart::real);
  const Array<float> volumes = choose_frames(ctx, display_part(ctx, values, part), options.frames);
  const Array<float> images = cut_slices(ctx, volumes, options.axis, options.slices);

  const bool terminal = options.show.output.empty();
  const Index count = images.extent(0) * images.extent(1);
  MontageOptions montage;
  if (options.tiles > 0) montage.tiles = options.tiles;
  if (options.tiles == 0 && options.slices.empty() && options.frames.empty()) {
    montage.tiles = terminal ? terminal_tiles : picture_tiles;
  }
  montage.window = window_of(ctx, options, part, images, montage.tiles);
  montage.colormap = options.colormap.value_or(part == DisplayPart::phase ? Colormap::cyclic : Colormap::gray);
  montage.zoom = std::max<Index>(1, options.zoom);
  Picture picture = montage_picture(ctx, images, montage);
  if (options.zoom == 0 && !terminal) {
    montage.zoom = comfortable_zoom(picture.width, picture.height);
    if (montage.zoom > 1) picture = montage_picture(ctx, images, montage);
  }
  if (options.colorbar) {
    const bool plain = part == DisplayPart::real && !is_complex(values);
    picture = with_colorbar(picture, montage.colormap, *montage.window, plain ? "" : label_of(part));
  }
  const auto [least, largest] = range_of(images);
  const std::string what = part == DisplayPart::real && !is_complex(values) ? "values" : label_of(part);
  show_picture(session, picture,
               fmt::format("{}: {} of {} images of {} x {}, {} from {:.6g} to {:.6g}, shown from {:.6g} to {:.6g}",
                           options.file, std::min(count, montage.tiles.value_or(count)), count, images.extent(3),
                           images.extent(2), what, least, largest, montage.window->low, montage.window->high),
               options.show);
}

constexpr const char* examples =
    R"(The array is [..., z, y, x]: every z of every leading axis is one image of the montage.
Examples:
  whorl view image.nii.gz               in the terminal
  whorl view image.nii.gz -o image.png --colorbar
                                        all slices side by side, gray from 0 to the 99.5th percentile
  whorl view image.npy -o phase.png --phase
  whorl view volume.nii.gz -o side.png --axis sagittal --slices 60:120:10
  whorl view maps.npz:b0 -o b0.png --colormap blue-red --window -100 100 --colorbar
  whorl view image.npy -o image.png --window 1% 99%
                                        from the 1st to the 99th percentile)";

}  // namespace

Command view_command() {
  return {"view", "Show an array as a picture: montage of slices and frames, as PNG or in the terminal", examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("file", options->file,
                          "Array: FILE or FILE:NAME (NumPy, NIfTI, BART, MATLAB, ISMRMRD, HDF5, PNG)")
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
