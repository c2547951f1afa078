#include "io/convert/joined_elements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/counted.hpp"
#include "io/convert/names.hpp"

namespace whorl::io {

namespace {

/// The elements of one array: which of the inputs they are.
struct Group {
  std::string whole;
  std::vector<std::size_t> members;
  std::vector<std::vector<Index>> places;
};

std::vector<Group> groups_of(const ArrayInputs& inputs) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < inputs.infos.size(); ++i) {
    const std::optional<Element> element = element_of(inputs.infos[i].name);
    if (!element) continue;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& known) { return known.whole == element->whole; });
    if (group == groups.end()) group = groups.insert(groups.end(), {element->whole, {}, {}});
    group->members.push_back(i);
    group->places.push_back(element->place);
  }
  return groups;
}

/// The extents of the array of elements; none if some are missing.
std::vector<Index> extents_of(const Group& group) {
  std::vector<Index> extents(group.places.front().size(), 1);
  Index count = 1;
  for (const std::vector<Index>& place : group.places) {
    if (place.size() != extents.size()) return {};
    for (std::size_t i = 0; i < place.size(); ++i) extents[i] = std::max(extents[i], place[i]);
  }
  for (const Index extent : extents) count *= extent;
  return count == std::ssize(group.members) ? extents : std::vector<Index>{};
}

Index number_of(const std::vector<Index>& place, const std::vector<Index>& extents) {
  return place[0] - 1 + (place.size() > 1 ? extents[0] * (place[1] - 1) : 0);
}

template <class T>
AnyArray stacked(const Context& ctx, const std::vector<const NamedArray*>& elements) {
  const Shape& shape = shape_of(elements.front()->values);
  Array<T> all(ctx, shape.with_front(std::ssize(elements)));
  for (Index i = 0; i < std::ssize(elements); ++i) {
    const NamedArray& element = *elements[static_cast<std::size_t>(i)];
    copy<T>(converted<T>(ctx, element.values, element.name), all.slice(i));
  }
  return all;
}

/// The type is the widest of the elements: MATLAB makes complex numbers without an imaginary part real.
AnyArray stacked(const Context& ctx, const std::vector<const NamedArray*>& elements) {
  const bool complex = std::ranges::any_of(elements, [](const auto* one) { return is_complex(one->values); });
  const bool wide = std::ranges::any_of(elements, [](const auto* one) {
    return std::holds_alternative<Array<double>>(one->values) ||
           std::holds_alternative<Array<std::complex<double>>>(one->values);
  });
  if (complex) {
    return wide ? stacked<std::complex<double>>(ctx, elements) : stacked<std::complex<float>>(ctx, elements);
  }
  return wide ? stacked<double>(ctx, elements) : stacked<float>(ctx, elements);
}

/// Whether the elements are one small fact that was said for each, such as the field of view.
bool are_one_fact(const Context& ctx, const std::vector<const NamedArray*>& elements) {
  constexpr Index most = 3;
  const NamedArray& first = *elements.front();
  if (elements.size() > 1 && shape_of(first.values).size() > most) return false;
  return std::ranges::all_of(elements, [&](const NamedArray* one) {
    const auto a = converted<std::complex<double>>(ctx, first.values, first.name);
    const auto b = converted<std::complex<double>>(ctx, one->values, one->name);
    return std::ranges::equal(a.span(), b.span());
  });
}

/// Why the elements can not be joined; empty: they can.
std::string why_apart(const ArrayInputs& inputs, const Group& group) {
  const ArrayInfo& first = inputs.infos[group.members.front()];
  for (const std::size_t member : group.members) {
    const ArrayInfo& other = inputs.infos[member];
    if (other.extents == first.extents) continue;
    return fmt::format(
        "the elements of {} differ in shape: {} and {}; give them equal shapes, or name one by the "
        "option data or trajectory",
        group.whole, describe(first), describe(other));
  }
  if (!extents_of(group).empty()) return {};
  return fmt::format(
      "the elements of {} are not all there: {} with numbers, the last {}; fill the empty ones, or name "
      "one by the option data or trajectory",
      group.whole, group.members.size(), inputs.infos[group.members.back()].name);
}

void join_group(const Context& ctx, const Group& group, ArrayInputs& inputs) {
  const std::vector<Index> extents = extents_of(group);
  std::vector<const NamedArray*> elements(group.members.size());
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    elements[static_cast<std::size_t>(number_of(group.places[i], extents))] = &inputs.arrays[group.members[i]];
  }
  ArrayInfo info = inputs.infos[group.members.front()];
  info.name = group.whole;
  NamedArray joined{.name = group.whole, .values = {}};
  if (are_one_fact(ctx, elements)) {
    joined.values = std::move(inputs.arrays[group.members.front()].values);
  } else {
    joined.values = stacked(ctx, elements);
    info.is_complex = info.order == AxisOrder::bart ? info.is_complex : is_complex(joined.values);
    info.extents.insert(info.extents.end(), extents.begin(), extents.end());
    info.element_axes += extents.size();
    info.made += fmt::format("The {} of {} were joined. ", counted(std::ssize(elements), "element"), group.whole);
  }
  inputs.infos.push_back(std::move(info));
  inputs.arrays.push_back(std::move(joined));
}

void remove(const std::vector<std::size_t>& members, ArrayInputs& inputs) {
  ArrayInputs rest;
  for (std::size_t i = 0; i < inputs.infos.size(); ++i) {
    if (std::ranges::binary_search(members, i)) continue;
    rest.infos.push_back(std::move(inputs.infos[i]));
    rest.arrays.push_back(std::move(inputs.arrays[i]));
  }
  inputs.infos = std::move(rest.infos);
  inputs.arrays = std::move(rest.arrays);
}

}  // namespace

std::optional<Element> element_of(const std::string& name) {
  const std::size_t end = name.find_last_of("})");
  if (end == std::string::npos) return std::nullopt;
  const bool cell = name[end] == '}';
  if (!cell && (end + 1 == name.size() || name[end + 1] != '.')) return std::nullopt;
  const std::size_t begin = name.rfind(cell ? '{' : '(', end);
  if (begin == std::string::npos || begin == 0) return std::nullopt;
  Element element{name.substr(0, begin) + name.substr(end + 1), {}};
  for (const char* at = name.data() + begin + 1; at < name.data() + end; ++at) {
    Index number = 0;
    const auto [next, error] = std::from_chars(at, name.data() + end, number);
    if (error != std::errc() || number < 1 || (next != name.data() + end && *next != ',')) return std::nullopt;
    element.place.push_back(number);
    at = next;
  }
  constexpr std::size_t most_axes = 2;
  if (element.place.empty() || element.place.size() > most_axes) return std::nullopt;
  return element;
}

void join_elements(const Context& ctx, const std::vector<std::string>& stated, ArrayInputs& inputs) {
  const auto is_stated = [&](std::size_t member) {
    return std::ranges::find(stated, inputs.infos[member].name) != stated.end();
  };
  // Cells in an array of structures are joined first, then the structures.
  for (bool again = true; again;) {
    again = false;
    for (const Group& group : groups_of(inputs)) {
      if (std::ranges::any_of(group.members, is_stated)) continue;
      const std::string apart = why_apart(inputs, group);
      if (apart.empty()) {
        join_group(ctx, group, inputs);
      } else {
        inputs.unjoined.push_back(apart);
      }
      remove(group.members, inputs);
      again = true;
      break;  // the places of the others have changed
    }
  }
}

}  // namespace whorl::io
