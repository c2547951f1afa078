// How far an image is from the truth.
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "run.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/measure/ssim.hpp"

namespace whorl::python {

namespace {

// The signature of ssim has it, too.
static_assert(SsimOptions{}.dim == 2);

// measure(ctx, image, truth, mask) with both images in the wider of their types. Measures run on the host.
template <class Measure>
auto measured(nb::handle image_object, nb::handle truth_object, nb::handle mask_object, const Measure& measure) {
  Input image(image_object, "image");
  Input truth(truth_object, "truth");
  std::optional<Input> mask;
  if (!mask_object.is_none()) mask.emplace(mask_object, "mask");
  const auto set = mask ? mask->as<bool>() : all_pixels();
  const auto in = [&](auto number) {
    using T = decltype(number);
    const Array<T> a = host_array<T>(image);
    const Array<T> b = host_array<T>(truth);
    return run(context_of(nb::none()), [&](const Context& ctx) { return measure(ctx, a.ref(), b.ref(), set); });
  };
  const bool is_double = image.is_double() || truth.is_double();
  if (image.is_complex() || truth.is_complex()) {
    return is_double ? in(std::complex<double>{}) : in(std::complex<float>{});
  }
  return is_double ? in(double{}) : in(float{});
}

}  // namespace

void bind_measure(Module& m) {
  Class<ErrorMeasures>(m, "ErrorMeasures",
                       "Errors of an image a against the truth b, without scaling: what error_measures finds.\n\n"
                       "Sums are over the n pixels that count.")
      .def_ro("mse", &ErrorMeasures::mse, "sum |a - b|^2 / n")
      .def_ro("psnr_db", &ErrorMeasures::psnr_db, "10 log10(peak^2 / mse)")
      .def_ro("snr_db", &ErrorMeasures::snr_db, "10 log10(sum |b|^2 / sum |a - b|^2)")
      .def_ro("percent_error", &ErrorMeasures::percent_error, "100 sqrt(sum |a - b|^2 / sum |b|^2)");
  Class<ScaledError>(
      m, "ScaledError",
      "The error of an image a against the truth b after the best scaling, min over s of |s a - b| / |b|: what\n"
      "scaled_error finds.")
      .def_ro("scale", &ScaledError::scale, "The best s; of real images a real one.")
      .def_ro("nrmse", &ScaledError::nrmse, "0 to 1");
  def<"error_measures(image: object, truth: object, mask: object = None, peak: float | None = None) -> "
      "ErrorMeasures">(
      m,
      [](nb::handle image, nb::handle truth, nb::handle mask, std::optional<double> peak) {
        return measured(image, truth, mask, [&](const Context& ctx, auto a, auto b, MeasuredSet set) {
          return error_measures(ctx, a, b, set, peak);
        });
      },
      R"(Errors of an image against the truth, of equal shape and unit. mask: bool, of the images' shape or of their last
axes; peak: of psnr_db, default the largest |truth|. Sums in double.

Shapes  image and truth the same
Raises  ShapeError, ValueError (a pixel that is not finite, no pixel that counts, a truth of zeros))");
  def<"scaled_error(image: object, truth: object, mask: object = None) -> ScaledError">(
      m,
      [](nb::handle image, nb::handle truth, nb::handle mask) {
        return measured(image, truth, mask, [](const Context& ctx, auto a, auto b, MeasuredSet set) {
          return scaled_error(ctx, a, b, set);
        });
      },
      R"(The error after the best scaling, by a complex factor for complex images and a real one for real images.

Shapes  image and truth the same; mask: bool, that of the images or of their last axes
Raises  ShapeError, ValueError (a pixel that is not finite, no pixel that counts, a truth of zeros))");
  def<"ssim(image: object, truth: object, mask: object = None, *, dim: int = 2, range: float | None = "
      "None) -> float">(
      m,
      [](nb::handle image, nb::handle truth, nb::handle mask, int dim, std::optional<double> range) {
        const SsimOptions options{.dim = dim, .range = range};
        return measured(image, truth, mask, [&](const Context& ctx, auto a, auto b, MeasuredSet set) {
          return ssim(ctx, a, b, set, options);
        });
      },
      R"(Mean structural similarity. dim 2: windows in each [y, x], 3: in each [z, y, x]; range: L, default the largest
|truth|.

Shapes  image and truth the same, [..., y, x]; mask: bool, that of the images or of their last axes
Raises  ShapeError, ValueError (a pixel that is not finite, no pixel that counts, L not above 0, dim not 2 or 3)
Source  Wang et al., IEEE Trans Image Process 13:600 (2004))");
}

}  // namespace whorl::python
