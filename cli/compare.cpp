// whorl compare: how far an image is from the truth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/error_map.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/measure/ssim.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string image;
  std::string truth;
  std::string mask;
  std::string json;
  std::string map;
  bool magnitude = false;
  bool scale = false;
  bool volumes = false;
  std::optional<double> peak;
};

const OptionTable<Options>& peak_table() {
  static const OptionTable<Options> table =
      OptionTable<Options>("compare").real("peak", &Options::peak, OptionRange::more_than(0), "",
                                           "Peak of the PSNR and range L of the SSIM (default: largest |truth|)");
  return table;
}

struct Measures {
  Shape shape;
  Index pixels = 0;  // that count
  double peak = 0;
  ErrorMeasures errors;
  ScaledError scaled;
  std::optional<double> ssim;
  bool magnitudes_in_ssim = false;
  std::string why_no_ssim;
  std::string note;
  std::optional<Picture> map;
};

template <class T>
Array<T> read_as(const Context& ctx, const AnyArray& values, const std::string& source, const Shape& shape) {
  Array<T> array = converted<T>(ctx, values, source);
  array.reshape(shape);
  return array;
}

Array<bool> read_mask(const Context& ctx, const std::string& source) {
  const AnyArray values = read_array(ctx, source).values;
  const Array<double> numbers = read_as<double>(ctx, values, source, without_leading_ones(shape_of(values)));
  Array<bool> mask(ctx, numbers.shape());
  std::transform(numbers.span().begin(), numbers.span().end(), mask.span().begin(),
                 [](double value) { return value != 0; });
  return mask;
}

template <class T>
void measure(const Context& ctx, const Options& options, Array<T> image, const Array<T>& truth, MeasuredSet set,
             Measures& measures) {
  measures.peak = options.peak ? *options.peak : peak_of<T>(ctx, truth, set);
  measures.scaled = scaled_error<T>(ctx, image, truth, set);
  if (options.scale) {
    for (T& pixel : image.span()) {
      if constexpr (std::is_floating_point_v<T>) {
        pixel *= measures.scaled.scale.real();
      } else {
        pixel *= measures.scaled.scale;
      }
    }
  }
  measures.errors = error_measures<T>(ctx, image, truth, set, measures.peak);
  if (!options.map.empty()) measures.map = error_map<T>(ctx, image, truth, set);
  measures.magnitudes_in_ssim = !std::is_floating_point_v<T>;
  try {
    measures.ssim = ssim<T>(ctx, image, truth, set, {.dim = options.volumes ? 3 : 2, .range = measures.peak});
  } catch (const ShapeError& error) {  // too small; the other measures hold all the same
    measures.why_no_ssim = error.what();
  } catch (const ValueError& error) {  // the mask lies at the edge alone
    measures.why_no_ssim = error.what();
  }
}

Measures compare(const Context& ctx, const Options& options) {
  const AnyArray image = read_array(ctx, options.image).values;
  const AnyArray truth = read_array(ctx, options.truth).values;
  Measures measures;
  measures.shape = without_leading_ones(shape_of(truth));
  if (without_leading_ones(shape_of(image)) != measures.shape) {
    throw ShapeError(
        fmt::format("'{}' has shape {} and '{}' has shape {}; expected equal shapes, but for leading axes of "
                    "length 1",
                    options.image, to_string(shape_of(image)), options.truth, to_string(shape_of(truth))));
  }
  const std::optional<Array<bool>> mask =
      options.mask.empty() ? std::nullopt : std::optional<Array<bool>>(read_mask(ctx, options.mask));
  const MeasuredSet set = mask ? mask->ref() : all_pixels();
  measures.pixels = measures.shape.size();
  if (mask && mask->size() > 0) {
    measures.pixels = measures.pixels / mask->size() * std::count(mask->span().begin(), mask->span().end(), true);
  }

  using Complex = std::complex<double>;
  if (!is_complex(image) && !is_complex(truth) && !options.magnitude) {
    measure<double>(ctx, options, read_as<double>(ctx, image, options.image, measures.shape),
                    read_as<double>(ctx, truth, options.truth, measures.shape), set, measures);
    return measures;
  }
  auto a = read_as<Complex>(ctx, image, options.image, measures.shape);
  const auto b = read_as<Complex>(ctx, truth, options.truth, measures.shape);
  if (options.magnitude) {
    measure<double>(ctx, options, magnitude<double>(ctx, a), magnitude<double>(ctx, b), set, measures);
    return measures;
  }
  measure<Complex>(ctx, options, std::move(a), b, set, measures);
  if (is_complex(image) != is_complex(truth)) {
    measures.note = fmt::format(
        "The {} is real and the {} complex: taken for an imaginary part of 0; --magnitude "
        "compares magnitudes.",
        is_complex(image) ? "truth" : "image", is_complex(image) ? "image" : "truth");
  }
  return measures;
}

std::string to_text(const Options& options, const Measures& measures) {
  const auto line = [](const char* name, const std::string& value) { return fmt::format("{:<14}{}\n", name, value); };
  std::string text = line("image", options.image);
  text += line("truth", options.truth);
  text += line("pixels", fmt::format("{} of {}", measures.pixels, to_string(measures.shape)));
  text += line("mse", fmt::format("{:.6g} (square of the images' unit)", measures.errors.mse));
  text += line("psnr", fmt::format("{:.4f} dB (peak {:.6g})", measures.errors.psnr_db, measures.peak));
  text += line("snr", fmt::format("{:.4f} dB", measures.errors.snr_db));
  text +=
      line("percent error", fmt::format("{:.6g} % (RMS error over RMS of the truth)", measures.errors.percent_error));
  const std::complex<double> scale = measures.scaled.scale;
  text += line("nrmse", fmt::format("{:.6g} (after scaling the image by {:.6g}{}{})", measures.scaled.nrmse,
                                    scale.real(), scale.imag() == 0 ? "" : fmt::format("{:+.6g}i", scale.imag()),
                                    options.scale ? ", as for the measures above and below" : ""));
  text += line("ssim", measures.ssim ? fmt::format("{:.6f} ({} windows of 11 pixels, range {:.6g}{})", *measures.ssim,
                                                   options.volumes ? "3D" : "2D", measures.peak,
                                                   measures.magnitudes_in_ssim ? "; of the magnitudes" : "")
                                     : "none: " + measures.why_no_ssim);
  if (!measures.note.empty()) text += line("note", measures.note);
  // Most of the error is one of the unit.
  if (!options.scale && 200 * measures.scaled.nrmse < measures.errors.percent_error) {
    text += line("note",
                 fmt::format("a factor of {:.4g} takes the error from {:.0f} to {:.3g} %; --scale applies it to all "
                             "measures",
                             std::abs(scale), measures.errors.percent_error, 100 * measures.scaled.nrmse));
  }
  return text;
}

std::string to_json(const Options& options, const Measures& measures) {
  // Infinite decibels (equal images) are null: JSON has no infinity.
  Json json;
  json["mse"] = measures.errors.mse;
  json["psnr_db"] = measures.errors.psnr_db;
  json["snr_db"] = measures.errors.snr_db;
  json["percent_error"] = measures.errors.percent_error;
  json["nrmse"] = measures.scaled.nrmse;
  json["ssim"] = measures.ssim ? Json(*measures.ssim) : Json();
  json["scaled"] = options.scale;
  json["scale"] = {measures.scaled.scale.real(), measures.scaled.scale.imag()};
  json["peak"] = measures.peak;
  json["pixels"] = measures.pixels;
  json["shape"] = std::vector<Index>(measures.shape.begin(), measures.shape.end());
  json["image"] = options.image;
  json["truth"] = options.truth;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void run(const Options& options, const Session& session) {
  const Measures measures = compare(session.ctx, options);
  if (measures.map) write_picture(session.ctx, options.map, *measures.map);
  if (options.json == "-") {
    print(to_json(options, measures));
    return;
  }
  if (!options.json.empty()) write_file(options.json, to_json(options, measures));
  if (!session.quiet) print(to_text(options, measures));
}

constexpr const char* examples = R"(With a the image, b the truth, and sums over the pixels that count:
  mse            sum |a - b|^2 / pixels
  psnr           10 log10(peak^2 / mse), peak = largest |b|
  snr            10 log10(sum |b|^2 / sum |a - b|^2)
  percent error  100 sqrt(sum |a - b|^2 / sum |b|^2)
  nrmse          least sqrt(sum |s a - b|^2 / sum |b|^2) over all factors s, complex ones for complex images
  ssim           structural similarity (Wang et al. 2004), Gaussian windows of 11 pixels with sigma 1.5, range L = peak;
                 real images with their signs, complex ones by their magnitudes
Files: NumPy, NIfTI, BART, MATLAB, ISMRMRD images, HDF5, PNG. FILE:NAME is one array of a file that holds several.
Examples:
  whorl compare image.nii.gz truth.nii.gz
                                        every measure on a line
  whorl compare image.npy truth.npy --magnitude --scale --mask brain.nii.gz
                                        magnitudes, freed of their unit, where the mask is not 0
  whorl compare image.npy truth.npy --magnitude --map error.png
                                        where the errors are: a picture of |a - b| and of a - b
  whorl compare results.npz:cg truth.npy --json -
                                        for programs)";

}  // namespace

Command compare_command() {
  return {
      "compare", "Measure an image against the truth: MSE, PSNR, SNR, percent error, NRMSE, SSIM", examples,
      [](App& app) -> Run {
        const auto options = std::make_shared<Options>();
        app.add_input("image", options->image, "Image: FILE or FILE:NAME")->required();
        app.add_input("truth", options->truth, "What it should be, of the same shape: FILE or FILE:NAME")->required();
        app.add_input("--mask", options->mask,
                      "Array that is not 0 at the pixels that count; of the images' shape or that of their last axes");
        app.add_flag("--magnitude", options->magnitude, "Compare magnitudes, not complex numbers");
        app.add_flag("--scale", options->scale, "Scale the image by the factor of nrmse for the other measures too");
        add_options(app, *options, peak_table());
        app.add_flag("--ssim-3d", options->volumes, "SSIM with windows in three dimensions, not slice by slice");
        app.add_output("--json", options->json, json_output(),
                       "Write mse, psnr_db, snr_db, percent_error, nrmse, ssim as JSON; -: to standard output");
        app.add_output(
            "--map", options->map, png_output(),
            "Picture of |image - truth|, scaled as for the measures, all slices side by side (.png); of real "
            "images also with its sign");
        return [options](const Session& session) { run(*options, session); };
      }};
}

}  // namespace whorl::cli
