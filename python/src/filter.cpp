// Filters, made from their descriptors, and pictures.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <type_traits>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/registry.hpp"
#include "whorl/io/picture.hpp"

namespace whorl::python {

namespace {

constexpr const char* channels_text =
    "Shapes  [y, x], [z, y, x] or [volume, z, y, x]; with channels other than gray the last axis holds them\n"
    "Types   uint8, uint16, float32, complex64; the result has the type of the image unless the filter says otherwise\n"
    "Raises  ShapeError, ValueError (an unknown filter, a parameter out of its range), TypeError (another type), "
    "Unsupported (a "
    "type that a filter does not take)";

const char* name_of(Channels channels) {
  switch (channels) {
    case Channels::gray_alpha:
      return "gray-alpha";
    case Channels::rgb:
      return "rgb";
    case Channels::rgba:
      return "rgba";
    default:
      return "gray";
  }
}

Channels channels_from(const std::string& name) {
  for (const Channels channels : {Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba}) {
    if (name_of(channels) == name) return channels;
  }
  throw ValueError("channels is '" + name + "', expected gray, gray-alpha, rgb or rgba");
}

PixelType pixel_type_of(nb::dlpack::dtype type) {
  if (type == nb::dtype<std::uint8_t>()) return PixelType::uint8;
  if (type == nb::dtype<std::uint16_t>()) return PixelType::uint16;
  if (type == nb::dtype<float>() || type == nb::dtype<std::complex<float>>()) return PixelType::float32;
  if (type == nb::dtype<double>() || type == nb::dtype<std::complex<double>>()) return PixelType::float32;  // rounded
  throw nb::type_error(("image has elements of type " + dtype_name(type) +
                        ", filters take uint8, uint16, float32 and complex64; convert it")
                           .c_str());
}

// Extents as an image has them, and how many axes the caller's array has beside the channels.
ImageFormat format_of(const Input& input, Channels channels) {
  const Shape shape = input.shape();
  ImageFormat format{.type = pixel_type_of(input.dtype()),
                     .channels = input.is_complex() ? Channels::complex : channels};
  const int last = format.channels == Channels::gray || input.is_complex() ? 0 : 1;
  const int axes = shape.rank() - last;
  if (axes < 2 || axes > 4) {
    throw ShapeError("image has shape " + to_string(shape) + ", expected [y, x], [z, y, x] or [volume, z, y, x]" +
                     (last == 1 ? " and the channels" : ""));
  }
  if (last == 1 && shape[-1] != count_of(format.channels)) {
    throw ShapeError("image has " + std::to_string(shape[-1]) + " values in its last axis, " + name_of(channels) +
                     " has " + std::to_string(count_of(format.channels)));
  }
  format.width = shape[axes - 1];
  format.height = shape[axes - 2];
  format.depth = axes > 2 ? shape[axes - 3] : 1;
  format.volumes = axes > 3 ? shape[0] : 1;
  return format;
}

// The shape of a result for a caller whose array has so many axes.
Shape shape_of(const ImageFormat& format, int axes) {
  std::vector<Index> extents;
  if (axes > 3 || format.volumes > 1) extents.push_back(format.volumes);
  if (axes > 2 || format.depth > 1 || !extents.empty()) extents.push_back(format.depth);
  extents.push_back(format.height);
  extents.push_back(format.width);
  if (format.channels != Channels::gray && format.channels != Channels::complex) {
    extents.push_back(count_of(format.channels));
  }
  return Shape(std::move(extents));
}

template <class T>
Image image_of(const Context& ctx, Input& input, const ImageFormat& format) {
  Image image(ctx, format);
  if constexpr (std::is_same_v<T, float>) {
    if (format.channels == Channels::complex) {
      const ArrayRef<const std::complex<float>> from = input.as<std::complex<float>>();
      const ArrayRef<const float> parts(reinterpret_cast<const float*>(from.data()), format.shape(), from.device());
      run(ctx, [&](const Context& c) { copy<float>(c, parts, image.pixels<float>()); });
      return image;
    }
  }
  const ArrayRef<const T> pixels = input.as<T>().reshape(format.shape());
  run(ctx, [&](const Context& c) { copy<T>(c, pixels, image.pixels<T>()); });
  return image;
}

// The pixels of an image that lives as long as the array. On a GPU a copy in memory of the framework, as in result_of.
nb::object array_of(const Context& ctx, Image image, int axes, Framework framework) {
  auto owner = std::make_unique<Image>(std::move(image));
  const ImageFormat format = owner->format();
  const Shape shape = shape_of(format, axes);
  const Device device = owner->device();
  return with_pixel_type(format.type, [&](auto pixel) {
    using Pixel = decltype(pixel);
    const ArrayRef<Pixel> pixels = owner->pixels<Pixel>();
    void* data = pixels.data();
    const nb::dlpack::dtype type =
        format.channels == Channels::complex ? nb::dtype<std::complex<float>>() : nb::dtype<Pixel>();
    if (device.kind != DeviceKind::cpu && framework != Framework::jax) {
      Output output(ctx, framework, shape, type, nb::none(), "the result");
      const ArrayRef<Pixel> to(output.as<Pixel>().data(), pixels.shape(), device);
      run(ctx, [&](const Context& c) { copy<Pixel>(c, pixels, to); });
      return output.take();
    }
    const nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<Image*>(p); });
    return detail::exported(data, shape, device, type, capsule, framework, false);
  });
}

nb::object filtered(nb::handle object, const Pipeline& pipeline, const std::string& channels, nb::handle context) {
  Input input(object, "image");
  const ImageFormat format = format_of(input, channels_from(channels));
  const Context ctx = context_of(context, input.device());
  Image image = with_pixel_type(format.type, [&](auto pixel) { return image_of<decltype(pixel)>(ctx, input, format); });
  Image result = run(ctx, [&](const Context& c) { return pipeline.apply(c, image); });
  const int last = format.channels == Channels::gray || input.is_complex() ? 0 : 1;
  return array_of(ctx, std::move(result), input.rank() - last, input.framework());
}

// The value of a parameter as the descriptor reads it.
std::string argument_text(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "yes" : "no";
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (!nb::isinstance<nb::str>(value) && nb::hasattr(value, "__iter__")) {
    std::string text;
    for (const nb::handle one : value) text += (text.empty() ? "" : ",") + argument_text(one);
    return text;
  }
  if (nb::hasattr(value, "__fspath__")) return nb::cast<std::string>(value.attr("__fspath__")());
  return nb::cast<std::string>(nb::str(value));
}

std::shared_ptr<const Filter> filter_of(const FilterDescriptor& descriptor, const nb::args& by_place,
                                        const nb::kwargs& keywords) {
  std::vector<FilterArgument> arguments;
  for (const nb::handle value : by_place) arguments.push_back({"", argument_text(value)});
  for (const auto [name, value] : keywords) {
    if (value.is_none()) continue;
    const auto keyword = nb::cast<std::string>(name);
    FilterArgument argument{keyword, argument_text(value)};
    for (const OptionDescriptor& parameter : descriptor.parameters) {
      if (keyword_of(parameter.name) == keyword) argument.name = parameter.name;
    }
    arguments.push_back(std::move(argument));
  }
  return descriptor.make(arguments);
}

// "sigma: float = 1.0", from the text that stands for the default.
std::string parameter_text(const OptionDescriptor& option) {
  std::string type = option.type == OptionType::flag      ? "bool"
                     : option.type == OptionType::integer ? "int"
                     : option.type == OptionType::number  ? "float"
                                                          : "str";
  if (option.is_list())
    type = "collections.abc.Sequence[" + std::string(option.type == OptionType::texts ? "str" : "float") + "]";
  if (!option.choices.empty() && option.type != OptionType::flag) type = "str" + (type == "str" ? "" : " | " + type);
  if (!option.fallback) return keyword_of(option.name) + ": " + type;
  const std::string& usual = *option.fallback;
  const bool is_number = !usual.empty() && usual.find_first_not_of("+-.0123456789e") == std::string::npos;
  std::string value = "None";
  if (option.type == OptionType::flag && (usual == "yes" || usual == "no")) value = usual == "yes" ? "True" : "False";
  const bool one_number = option.type == OptionType::integer || option.type == OptionType::number;
  if (one_number && is_number) value = usual;
  if (option.type == OptionType::text &&
      std::find(option.choices.begin(), option.choices.end(), usual) != option.choices.end()) {
    value = "'" + usual + "'";
  }
  if (value == "None") type += " | None";
  return keyword_of(option.name) + ": " + type + " = " + value;
}

std::string filter_help(const OptionDescriptor& option) {
  std::string text = keyword_of(option.name) + ": " + option.summary;
  std::string range = option.range.text();
  if (!option.unit.empty()) range += (range.empty() ? "" : " ") + option.unit;
  if (!range.empty()) text += "; " + range;
  for (std::size_t i = 0; i < option.choices.size() && option.type != OptionType::flag; ++i) {
    text += (i == 0 ? "; " : ", ") + option.choices[i];
  }
  if (!option.applies.empty()) text += "; with " + option.applies;
  if (option.fallback && !option.fallback->empty()) text += " (default " + *option.fallback + ")";
  return text;
}

void bind_filter_function(Module& filters, const FilterDescriptor& descriptor) {
  const std::string name = keyword_of(descriptor.name);
  std::string first;
  std::string required;
  std::string list;
  for (const OptionDescriptor& parameter : descriptor.parameters) {
    (parameter.fallback ? first : required) += ", " + parameter_text(parameter);
    list += "\n    " + filter_help(parameter);
  }
  std::string doc = descriptor.summary + "\n\n" + descriptor.text;
  if (!list.empty()) doc += "\n\nParameters:" + list;
  doc += std::string("\n\n") + channels_text;
  const std::string sig = "def " + name + "(image: object" + required + first +
                          ", *, channels: " + with_long_types("Channels") +
                          " = 'gray', context: whorl._core.Context | str | None = None) -> typing.Any";
  const FilterDescriptor* held = &descriptor;  // of the registry, which lives as long as the program
  filters.def(
      name.c_str(),
      [held](nb::handle image, const nb::args& by_place, const std::string& channels, nb::handle context,
             const nb::kwargs& keywords) {
        Pipeline pipeline;
        pipeline.add(filter_of(*held, by_place, keywords));
        return filtered(image, pipeline, channels, context);
      },
      nb::arg("image"), nb::arg("parameters"), nb::arg("channels") = "gray", nb::arg("context").none() = nb::none(),
      nb::arg("named"), nb::sig((new std::string(sig))->c_str()), (new std::string(doc))->c_str());
}

void bind_pictures(Module& m) {
  def<"read_picture(path: Path) -> tuple[Array, str]">(
      m,
      [](const std::filesystem::path& path) {
        Image image = run(context_of(nb::none()), [&](const Context& ctx) { return read_picture(ctx, path); });
        const char* channels = name_of(image.format().channels);
        return nb::make_tuple(array_of(context_of(nb::none()), std::move(image), 2, Framework::numpy), channels);
      },
      R"(A picture (BMP, JPEG, PNG, PNM, TIFF) as uint8 or uint16 [y, x] or [y, x, channel], and what its channels are: gray,
gray-alpha, rgb or rgba.

Raises  IoError, Unsupported)");
  def<"write_picture(path: Path, image: object, channels: Channels = 'gray') -> None">(
      m,
      [](const std::filesystem::path& path, nb::handle object, const std::string& channels) {
        Input input(object, "image");
        const ImageFormat format = format_of(input, channels_from(channels));
        const Context ctx = context_of(nb::none(), input.device());
        const Image image =
            with_pixel_type(format.type, [&](auto pixel) { return image_of<decltype(pixel)>(ctx, input, format); });
        run(ctx, [&](const Context& c) { write_picture(c, path, image); });
      },
      R"(Writes a picture of uint8 or uint16 in the format of the extension: .bmp, .png, .pgm, .ppm, .pam, .tif.

Shapes  [y, x]; with channels other than gray [y, x, channel]
Raises  ShapeError, ValueError (an extension of no format, another type), IoError)");
}

}  // namespace

void bind_filter(Module& m) {
  Module filters(m.def_submodule("filters", "The filters of whorl, one function each."));
  for (const FilterDescriptor& descriptor : FilterRegistry::global().filters()) {
    bind_filter_function(filters, descriptor);
  }
  def<"filter(image: object, pipeline: str, *, channels: Channels = 'gray', context) -> Any">(
      m,
      [](nb::handle image, const std::string& pipeline, const std::string& channels, nb::handle context) {
        return filtered(image, Pipeline::parse(pipeline), channels, context);
      },
      std::string("The image through a pipeline of filters, as on the command line: 'gaussian 1.4 | unsharp'. "
                  "Images\nbetween two filters stay on the device.\n\n") +
          channels_text);
  bind_pictures(m);
}

}  // namespace whorl::python
