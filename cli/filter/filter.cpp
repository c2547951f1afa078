// whorl filter: pictures and images through filters.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/filter/arguments.hpp"
#include "cli/filter/files.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/reference.hpp"
#include "whorl/filter/stream.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/picture.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string input;
  std::string output;
  std::string named;  // by --output
  FilterArguments filters;
  Pipeline pipeline;  // of them
  std::string about;
  bool list = false;
  bool reference = false;
  bool flat = false;
};

// What the command says when it is done.
std::string done(const ImageFormat& from, const Options& options, const ImageFormat& to) {
  return fmt::format("{}: {}\nwrote {}: {}\n", options.input, to_string(from), options.output, to_string(to));
}

// Brings the reader to a row. Filters that turn a picture upside down ask for its last rows first.
void go_to_row(const Context& ctx, PictureReader& reader, Index row) {
  if (reader.next_row() > row) reader.rewind();
  ImageFormat one = reader.format();
  one.height = 1;
  Image passed(ctx, one);
  while (reader.next_row() < row) reader.read_rows(ctx, passed, 0, 1);
}

// Rows pass from file to file: a picture may be larger than memory.
ImageFormat stream_picture(const Session& session, const Options& options, const Pipeline& pipeline,
                           PictureReader& reader) {
  const Context& ctx = session.ctx;
  const ImageFormat result = pipeline.output(reader.format());
  PictureWriter writer(options.output, result);
  ImageStream stream;
  stream.format = reader.format();
  stream.read = [&](RowRange rows, Image& band) {
    go_to_row(ctx, reader, rows.first);
    reader.read_rows(ctx, band, 0, rows.count());
  };
  stream.write = [&](RowRange rows, const Image& band) { writer.write_rows(ctx, band, 0, rows.count()); };
  apply_in_bands(session.device(), pipeline, stream);
  writer.commit();
  return result;
}

Image filter_image(const Session& session, const Pipeline& pipeline, const Image& image) {
  const Context& ctx = session.device();
  if (ctx.device() == image.device()) return pipeline.apply(ctx, image);
  return to_host(ctx, pipeline.apply(ctx, clone(ctx, image)));
}

void write_result(const Session& session, const Options& options, const Image& image, const ArrayImage& source) {
  if (names_picture(options.output)) {
    write_picture(session.ctx, options.output, image);
  } else {
    write_array(session.ctx, options.output, array_of_image(session.ctx, image, source));
  }
}

// What writing would refuse, before the work.
void check_output(const Options& options, const ImageFormat& result) {
  if (names_picture(options.output)) {
    check_picture_path(options.output, result);
  } else {
    check_array_extension(options.output);
  }
}

std::string run_on_picture(const Session& session, const Options& options, const Pipeline& pipeline) {
  PictureReader reader(options.input);
  const ImageFormat format = reader.format();
  if (names_picture(options.output)) {
    return done(format, options, stream_picture(session, options, pipeline, reader));
  }
  const ImageFormat result = pipeline.output(format);
  check_output(options, result);
  Image image(session.ctx, format);
  reader.read_rows(session.ctx, image, 0, format.height);
  write_result(session, options, filter_image(session, pipeline, image), {});
  return done(format, options, result);
}

std::string run_on_array(const Session& session, const Options& options, const Pipeline& pipeline) {
  const ArrayImage source =
      read_array_image(session.ctx, options.input, options.flat ? LeadingAxes::flat : LeadingAxes::stack);
  const ImageFormat format = source.image.format();
  const ImageFormat result = pipeline.output(format);
  check_output(options, result);
  write_result(session, options, filter_image(session, pipeline, source.image), source);
  return done(format, options, result);
}

void run(const Options& options, const Session& session) {
  if (options.list || options.reference || !options.about.empty()) {
    std::string text =
        options.list ? filter_table() + "Parameters and definition of one: whorl filter --about NAME\n" : "";
    if (options.reference) text = filter_reference();
    if (!options.about.empty()) text = filter_help(FilterRegistry::global().find(options.about));
    print(text);
    return;
  }
  const Pipeline& pipeline = options.pipeline;
  const std::string text = is_picture_file(file_of(options.input)) ? run_on_picture(session, options, pipeline)
                                                                   : run_on_array(session, options, pipeline);
  if (!session.quiet) print(text);
}

// The second word is the output, or the pipeline where the output has a name.
void take_output(Options& options) {
  const bool is_named = !options.named.empty();
  if (is_named && !options.output.empty()) options.filters.take_text(options.output);
  if (is_named) options.output = std::exchange(options.named, {});
  const std::string what_is_wrong =
      options.output.empty() ? std::string() : picture_or_array_output().check_name(options.output);
  if (!what_is_wrong.empty()) refuse_option(is_named ? "--output" : "output", what_is_wrong);
}

// Mistakes in what filters are called and take are mistakes in the command line.
void check_words(Options& options) {
  try {
    if (!options.about.empty()) FilterRegistry::global().find(options.about);
    if (options.list || options.reference || !options.about.empty()) {
      if (options.filters.given() || options.flat) {
        refuse("--list, --about and --reference do nothing else; leave the other options out");
      }
      return;
    }
    take_output(options);
    if (options.output.empty()) {
      refuse(
          "expected a file to read and a file to write, before filters given as options, which take the words "
          "behind them: whorl filter IN OUT 'gaussian 1.4', or whorl filter IN OUT --gaussian 1.4");
    }
    options.pipeline = options.filters.pipeline();
  } catch (const ValueError& error) {
    refuse(error.what());
  }
}

// Slices of a picture are none.
bool may_be_array(const std::string& file) {
  try {
    return !is_picture_file(file_of(file));
  } catch (const Error&) {
    return true;
  }
}

constexpr const char* examples =
    R"(Reads pictures (BMP, JPEG, PNG, PNM, TIFF) and images of any format of arrays (NIfTI, .npy, .h5, ...; FILE:NAME of several);
what is written follows from the name of the output. Pictures pass in bands of rows where they do not fit into
--max-memory. The last three axes of an array are z, y, x; those in front count volumes.
Examples:
  whorl filter in.png out.png 'gaussian 1.4 | unsharp'
                                        by place, as whorl filter --about gaussian lists them
  whorl filter in.bmp out.bmp --gaussian 1.4 3 --unsharp
                                        the same filters as options, in the order written
  whorl filter in.jpg edges.png 'gray | canny low=40 high=90'
  whorl filter plates.tif color.png 'align | autocontrast'
                                        three plates below one another become a picture in color
  whorl filter brain.nii.gz smooth.nii.gz 'gaussian 2 dims=3d'
  whorl filter large.tif small.tif 'resize 0.25 method=area' --max-memory 1GB
  whorl filter --list                   all filters
  whorl filter --about canny            one, with its parameters)";

}  // namespace

Command filter_command() {
  Command command{
      "filter", "Pass pictures and images through filters", examples, [](App& app) -> Run {
        const auto options = std::make_shared<Options>();
        Option* input = app.add_input("input", options->input, "Picture, or image of any format of arrays");
        app.add_word("output", options->output,
                     "File to write: " + std::string(picture_extensions()) + ", and for arrays " + array_extensions())
            ->type_name(file_type);
        app.add_word("-o,--output", options->named, "The file to write, in place of the second word")
            ->type_name(file_type);
        app.files().add_output("output", picture_or_array_output(), [options] { return std::vector{options->output}; });
        app.files().add_output("--output", picture_or_array_output(), [options] {
          return options->named.empty() ? std::vector<std::string>() : std::vector{options->named};
        });
        Option* list = app.add_flag("--list", options->list, "Name all filters, and do nothing else");
        Option* about = app.add_word("--about", options->about, "Explain one filter, and do nothing else");
        Option* reference =
            app.add_flag("--reference", options->reference, "Explain all filters in Markdown, and do nothing else");
        list->excludes(about)->excludes(reference)->excludes(input);
        about->excludes(reference)->excludes(input);
        reference->excludes(input);
        app.add_flag("--flat", options->flat, "Filter each slice alone: the last two axes of an array are y, x")
            ->when("arrays", [options] { return may_be_array(options->input); });
        options->filters.add_to(app);
        app.callback([options] { check_words(*options); });
        return [options](const Session& session) { run(*options, session); };
      }};
  command.common_options = {
      "output",       "list",  "about",  "flat",     "gray",   "equalize", "threshold", "window",
      "gamma",        "scale", "invert", "gaussian", "median", "unsharp",  "canny",     "non-local-means",
      "perona-malik", "gibbs", "resize", "rotate",   "crop",   "align",    "magnitude", "root-sum-of-squares",
      "device"};
  return command;
}

}  // namespace whorl::cli
