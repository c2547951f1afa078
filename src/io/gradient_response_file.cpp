#include "whorl/io/gradient_response_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {

namespace {

const AnyArray* find(const std::vector<NamedArray>& arrays, const std::string& name) {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) { return array.name == name; });
  if (found == arrays.end()) return nullptr;
  check_readable(*found);
  return &found->values;
}

const AnyArray& required(const std::vector<NamedArray>& arrays, const std::string& name, const std::string& path) {
  if (const AnyArray* array = find(arrays, name)) return *array;
  std::string names;
  for (const NamedArray& array : arrays) names += (names.empty() ? "" : ", ") + array.name;
  throw ValueError(fmt::format("gradient response '{}': no array {}, expected frequency_hz and response; it has {}",
                               path, name, names));
}

}  // namespace

GradientResponse read_gradient_response(const Context& ctx, const std::filesystem::path& path) {
  const std::string name = path.string();
  const std::vector<NamedArray> arrays = read_arrays(ctx, path);
  const auto complex_values = [&](const AnyArray& array) {
    check_finite(array, name);
    return converted<std::complex<double>>(ctx.host(), array, name);
  };
  const AnyArray& frequencies = required(arrays, "frequency_hz", name);
  check_finite(frequencies, name);
  const auto hertz = converted<double>(ctx.host(), frequencies, name);
  GradientResponse response;
  response.frequencies_hz.assign(hertz.span().begin(), hertz.span().end());
  const auto count = static_cast<Index>(response.frequencies_hz.size());
  Array<std::complex<double>> gradient = complex_values(required(arrays, "response", name));
  if (gradient.shape() == Shape{count, 3}) {
    response.gradient = zeros<std::complex<double>>(ctx.host(), {count, 3, 3});
    for (Index i = 0; i < 3 * count; ++i) response.gradient.data()[i / 3 * 9 + i % 3 * 4] = gradient.data()[i];
  } else if (gradient.shape() == Shape{count, 3, 3}) {
    response.gradient = std::move(gradient);
  } else {
    throw ShapeError(fmt::format(
        "gradient response '{}': frequency_hz {} and response {}; expected [frequency], and [frequency, 3] or "
        "[frequency, 3, 3]",
        name, to_string(hertz.shape()), to_string(gradient.shape())));
  }
  if (const AnyArray* field = find(arrays, "field")) response.field = complex_values(*field);
  try {
    check_gradient_response(response);
  } catch (const ShapeError& error) {
    throw ShapeError(fmt::format("'{}': {}", name, error.what()));
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("'{}': {}", name, error.what()));
  }
  return response;
}

}  // namespace whorl
