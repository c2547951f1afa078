#include "io/convert/complex_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "io/convert/names.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

struct Words {
  std::string_view real;
  std::string_view imaginary;
};

constexpr std::array words{Words{"real", "imaginary"}, Words{"real", "imag"}, Words{"re", "im"}, Words{"r", "i"}};
constexpr std::string_view separators = "_-. /";

/// A real part's name, and that of the complex numbers; both in small letters.
struct Pairing {
  std::string real;
  std::string whole;
};

/// The names that real parts of these imaginary ones may have, the likely ones first.
std::vector<Pairing> pairings_of(const std::string& imaginary) {
  std::vector<Pairing> found;
  for (const auto& [real, word] : words) {
    if (!imaginary.ends_with(word) && !imaginary.starts_with(word)) continue;
    if (imaginary == word) {
      if (word.size() > 1) found.push_back({std::string(real), {}});
      continue;
    }
    const bool behind = imaginary.ends_with(word);
    const std::string rest =
        behind ? imaginary.substr(0, imaginary.size() - word.size()) : imaginary.substr(word.size());
    const char beside = behind ? rest.back() : rest.front();
    const bool apart = separators.find(beside) != std::string_view::npos;
    if (!apart && word.size() == 1) continue;  // an i at the end of any word
    std::string whole = rest;
    if (apart) whole.erase(behind ? whole.size() - 1 : 0, 1);
    found.push_back({behind ? rest + std::string(real) : std::string(real) + rest, whole});
    if (apart) found.push_back({whole, whole});
  }
  return found;
}

template <class Part>
AnyArray complex_of(const Context& ctx, const NamedArray& real, const NamedArray& imaginary) {
  const auto re = converted<Part>(ctx, real.values, real.name);
  const auto im = converted<Part>(ctx, imaginary.values, imaginary.name);
  Array<std::complex<Part>> joined(ctx, re.shape());
  for (Index i = 0; i < re.size(); ++i) joined.data()[i] = {re.data()[i], im.data()[i]};
  return joined;
}

bool is_single(const NamedArray& array) { return std::holds_alternative<Array<float>>(array.values); }

/// Puts complex numbers in the place of the real parts, and takes the imaginary ones away.
void join_pair(const Context& ctx, std::size_t real, std::size_t imaginary, const std::string& name,
               ArrayInputs& inputs) {
  ArrayInfo& info = inputs.infos[real];
  NamedArray& array = inputs.arrays[real];
  const NamedArray& other = inputs.arrays[imaginary];
  info.made += fmt::format("{} and {} were joined as real and imaginary parts. ", array.name, other.name);
  array.values = is_single(array) && is_single(other) ? complex_of<float>(ctx, array, other)
                                                      : complex_of<double>(ctx, array, other);
  array.name = info.name = name;
  info.is_complex = true;
  inputs.infos.erase(inputs.infos.begin() + static_cast<std::ptrdiff_t>(imaginary));
  inputs.arrays.erase(inputs.arrays.begin() + static_cast<std::ptrdiff_t>(imaginary));
}

/// The name of what was joined: without the word for its part, in the letters of the file; "data" where nothing is left.
std::string name_of_pair(const ArrayInputs& inputs, const std::string& real, const std::string& whole) {
  const auto is_taken = [&](const std::string& name) {
    return name != real && std::ranges::any_of(inputs.infos, [&](const ArrayInfo& info) { return info.name == name; });
  };
  const std::string name = whole.empty() ? "data" : real.substr(lower(real).find(whole), whole.size());
  return is_taken(name) ? real : name;
}

/// The place of the real array with such a name in small letters and these extents; none: there is no such one.
std::optional<std::size_t> find_real(const ArrayInputs& inputs, const std::string& name, const ArrayInfo& beside) {
  for (std::size_t i = 0; i < inputs.infos.size(); ++i) {
    const ArrayInfo& info = inputs.infos[i];
    if (&info != &beside && !info.is_complex && lower(info.name) == name && info.extents == beside.extents) return i;
  }
  return std::nullopt;
}

struct Pair {
  std::size_t real = 0;
  std::size_t imaginary = 0;
  std::string name;
};

std::optional<Pair> find_pair(const ArrayInputs& inputs, const std::vector<std::string>& stated) {
  const auto is_stated = [&](std::size_t at) {
    return std::ranges::find(stated, inputs.infos[at].name) != stated.end();
  };
  for (std::size_t i = 0; i < inputs.infos.size(); ++i) {
    const ArrayInfo& info = inputs.infos[i];
    if (info.is_complex || info.order == AxisOrder::bart || is_stated(i)) continue;
    for (const Pairing& pairing : pairings_of(lower(info.name))) {
      const std::optional<std::size_t> real = find_real(inputs, pairing.real, info);
      if (real && !is_stated(*real)) {
        return Pair{*real, i, name_of_pair(inputs, inputs.infos[*real].name, pairing.whole)};
      }
    }
  }
  return std::nullopt;
}

/// Whether the parts are rather a magnitude and a phase: never negative, and angles.
template <class T>
bool are_polar(const Array<T>& values, Index inner) {
  constexpr double turn = std::numbers::pi * (1 + 1e-5);  // rounded
  double largest = 0;
  for (Index i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values.data()[i]);
    const bool is_first = i / inner % 2 == 0;
    if (is_first ? value < 0 : std::abs(value) > turn) return false;
    if (is_first) largest = std::max(largest, value);
  }
  return largest > 0;
}

/// Joins the two halves along an axis, which goes; `axis` counts from the fastest.
template <class T>
AnyArray joined_along(const Context& ctx, const Array<T>& values, Index inner, const std::vector<Index>& extents) {
  Array<std::complex<T>> joined(ctx, Shape({extents.rbegin(), extents.rend()}));
  for (Index i = 0; i < joined.size(); ++i) {
    const Index at = i / inner * 2 * inner + i % inner;
    joined.data()[i] = {values.data()[at], values.data()[at + inner]};
  }
  return joined;
}

/// Joins the parts of the data along an axis, which goes.
void join_axis(const Context& ctx, ArrayInputs& inputs, ArrayRoles& roles, std::size_t axis, const std::string& file) {
  ArrayInfo& data = roles.data;
  const auto at = static_cast<std::size_t>(find_name(inputs.infos, data.name));
  ArrayInfo& info = inputs.infos[at];
  Index inner = 1;
  for (std::size_t i = 0; i < axis; ++i) inner *= info.extents[i];
  info.extents.erase(info.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  if (axis >= info.extents.size() + 1 - info.element_axes) --info.element_axes;
  if (info.extents.empty()) info.extents.push_back(1);
  AnyArray& values = inputs.arrays[at].values;
  const auto* single = std::get_if<Array<float>>(&values);
  const auto* wide = std::get_if<Array<double>>(&values);
  if (single != nullptr ? are_polar(*single, inner) : are_polar(*wide, inner)) {
    throw ValueError(
        fmt::format("{}: the axis of 2 of the data {} looks like magnitude and phase, expected real and "
                    "imaginary parts; make complex numbers of them first",
                    file, describe(data)));
  }
  values = single != nullptr ? joined_along(ctx, *single, inner, info.extents)
                             : joined_along(ctx, *wide, inner, info.extents);
  info.is_complex = true;
  info.made += fmt::format("The axis of 2 of {} was taken as real and imaginary parts. ", describe(data));
  data = info;
}

/// First and last axis with an extent other than 1, where this is 2.
std::vector<std::size_t> axes_of_parts(const ArrayInfo& data) {
  std::vector<std::size_t> many;
  for (std::size_t i = 0; i < data.extents.size(); ++i) {
    if (data.extents[i] != 1) many.push_back(i);
  }
  std::vector<std::size_t> found;
  for (const std::size_t axis : many.empty() ? many : std::vector{many.front(), many.back()}) {
    if (data.extents[axis] == 2 && std::ranges::find(found, axis) == found.end()) found.push_back(axis);
  }
  return found;
}

ArrayInfo without_axis(ArrayInfo data, std::size_t axis) {
  data.extents.erase(data.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  data.is_complex = true;
  return data;
}

/// Takes away the stated axis of the parts.
bool join_stated_axis(const Context& ctx, ArrayInputs& inputs, ArrayRoles& roles, ConvertOptions& options,
                      const std::string& file) {
  const Index part = std::ranges::find(options.data_axes, "part") - options.data_axes.begin();
  if (part == std::ssize(options.data_axes)) return false;
  const ArrayInfo& data = roles.data;
  const bool reversed = data.order == AxisOrder::last_fastest;
  const auto axis = static_cast<std::size_t>(reversed ? std::ssize(options.data_axes) - 1 - part : part);
  if (data.is_complex || axis >= data.extents.size() || data.extents[axis] != 2) {
    throw ValueError(fmt::format("{}: data {} have no axis of 2 in the place of part, for real and imaginary parts",
                                 file, describe(data)));
  }
  options.data_axes.erase(options.data_axes.begin() + part);
  join_axis(ctx, inputs, roles, axis, file);
  return true;
}

}  // namespace

void join_parts(const Context& ctx, const std::vector<std::string>& stated, ArrayInputs& inputs) {
  while (const std::optional<Pair> pair = find_pair(inputs, stated)) {
    join_pair(ctx, pair->real, pair->imaginary, pair->name, inputs);
  }
}

void join_stated_parts(const Context& ctx, ArrayInputs& inputs, ConvertOptions& options, const std::string& file) {
  const std::vector<std::string> names = split_names(options.data_variable);
  if (names.size() < 2) return;
  const Index real = find_name(inputs.infos, names[0]);
  const Index imaginary = find_name(inputs.infos, names[1]);
  const auto is_real = [&](Index at) { return at >= 0 && !inputs.infos[static_cast<std::size_t>(at)].is_complex; };
  if (names.size() > 2 || !is_real(real) || !is_real(imaginary) || real == imaginary ||
      inputs.infos[static_cast<std::size_t>(real)].extents !=
          inputs.infos[static_cast<std::size_t>(imaginary)].extents) {
    throw ValueError(
        fmt::format("{}: the option data names {}; expected two real arrays of one shape in it, real and "
                    "imaginary parts",
                    file, options.data_variable));
  }
  const std::string name = inputs.infos[static_cast<std::size_t>(real)].name;
  join_pair(ctx, static_cast<std::size_t>(real), static_cast<std::size_t>(imaginary), name, inputs);
  options.data_variable = name;
}

void settle_parts(const Context& ctx, ArrayInputs& inputs, ArrayRoles& roles, ConvertOptions& options,
                  const std::string& file, Notes& notes) {
  const ArrayInfo& data = roles.data;
  if (data.name.empty() || join_stated_axis(ctx, inputs, roles, options, file)) return;
  if (data.is_complex || data.order == AxisOrder::bart) return;
  if (!options.data_axes.empty() && has_axes(data, options.data_axes)) {
    notes.emplace_back(fmt::format("The data {} are real, and k-space is complex: imaginary parts were taken to be 0.",
                                   describe(data)),
                       NoteKind::doubt);
    return;
  }
  std::vector<std::size_t> axes = axes_of_parts(data);
  if (axes.size() > 1 && !roles.trajectory.name.empty()) {
    std::erase_if(axes, [&](std::size_t axis) { return !find_axes(roles.trajectory, without_axis(data, axis)); });
  }
  if (axes.size() == 1) return join_axis(ctx, inputs, roles, axes.front(), file);
  throw ValueError(fmt::format(
      "{}: the data {} are real{}, and k-space is complex; save complex numbers, or two arrays whose names end in _re "
      "and _im, or one with an axis of 2 (real, imaginary), which the option data-axes names part",
      file, describe(data), axes.empty() ? "" : " with two axes of 2"));
}

}  // namespace whorl::io
