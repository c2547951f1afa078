// whorl coils show: coil maps as a picture.
#include <fmt/format.h>

#include <memory>
#include <numbers>

#include "cli/coils/coils.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/show_picture.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/png.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string maps;
  Index slice = -1;
  ShowOptions show;
};

const OptionTable<Options>& slice_table() {
  static const OptionTable<Options> table = OptionTable<Options>("coils show")
                                                .integer("slice", &Options::slice, OptionRange::at_least(0), "",
                                                         "Slice to show, from 0 (default: the middle one)");
  return table;
}

// One slice of maps [coil, y, x], [coil, z, y, x] or [slice, coil, z, y, x].
Array<float> slice_of(const Context& ctx, Array<float> maps, const Options& options) {
  if (maps.rank() < 3 || maps.rank() > 5 || maps.size() == 0) {
    throw ShapeError(fmt::format("coil maps: expected [coil, y, x], [coil, z, y, x] or [slice, coil, z, y, x], got {}",
                                 to_string(maps.shape())));
  }
  const Index z = maps.rank() > 3 ? maps.extent(-3) : 1;
  const Index coils = maps.rank() > 3 ? maps.extent(-4) : maps.extent(0);
  const Index slices = maps.rank() > 4 ? maps.extent(0) : 1;
  const Index y = maps.extent(-2);
  const Index x = maps.extent(-1);
  const Index count = slices * z;
  const Index slice = options.slice < 0 ? count / 2 : options.slice;
  if (slice >= count) {
    throw ValueError(fmt::format("coil maps: there is no slice {}; expected 0 to {}", slice, count - 1));
  }
  maps.reshape({slices, coils, z, y, x});
  Array<float> chosen(ctx, {coils, y, x});
  for (Index coil = 0; coil < coils; ++coil) {
    copy<float>(maps.slice(slice / z).slice(coil).slice(slice % z), chosen.slice(coil));
  }
  return chosen;
}

void run(const Options& options, const Session& session) {
  const Context& ctx = session.ctx;
  const AnyArray maps = read_array(ctx, options.maps).values;
  const Array<float> magnitude = slice_of(ctx, display_part(ctx, maps, DisplayPart::magnitude), options);
  const Array<float> phase = slice_of(ctx, display_part(ctx, maps, DisplayPart::phase), options);

  MontageOptions montage;
  const DisplayWindow window = default_window(ctx, magnitude);
  const DisplayWindow turn{-std::numbers::pi, std::numbers::pi};
  montage.window = window;
  Picture above = montage_picture(ctx, magnitude, montage);
  const bool terminal = options.show.output.empty();
  if (!terminal) {
    montage.zoom = comfortable_zoom(above.width, above.height);
    if (montage.zoom > 1) above = montage_picture(ctx, magnitude, montage);
  }
  montage.window = turn;
  montage.colormap = Colormap::cyclic;
  Picture below = montage_picture(ctx, phase, montage);
  // A phase where there is no sensitivity says nothing.
  for (std::size_t i = 0; i < below.pixels.size(); ++i) {
    if (above.pixels[i] == Color{0, 0, 0}) below.pixels[i] = {0, 0, 0};
  }
  if (!terminal) {
    above = with_colorbar(above, Colormap::gray, window, "magnitude");
    below = with_colorbar(below, Colormap::cyclic, turn, "phase (rad)");
  }
  show_picture(session, stacked(above, below, 8 * montage.zoom > 16 ? 16 : 4),
               fmt::format("{}: {} coils of {} x {}, magnitude from 0 to {:.4g} above, phase from -pi to pi below",
                           options.maps, magnitude.extent(0), magnitude.extent(2), magnitude.extent(1), window.high),
               options.show);
}

constexpr const char* examples = R"(Examples:
  whorl coils show maps.npy -o maps.png
                                        magnitudes above, phases below, coil by coil
  whorl coils show maps.nii.gz --slice 20
                                        slice 20 of maps of a volume, in the terminal)";

}  // namespace

Command coils_show_command() {
  return {"show", "Show coil maps: magnitude and phase of every coil", examples, [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("maps", options->maps,
                          "Maps [coil, y, x], [coil, z, y, x] or [slice, coil, z, y, x]: FILE or FILE:NAME")
                ->required();
            add_options(app, *options, slice_table());
            add_show_options(app, options->show);
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
