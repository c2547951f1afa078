// Objects as Python's pickle and copy take them: the values of their members.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "whorl/core/note.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::python {

namespace nb = nanobind;

/// What a pickle has of a class; nothing: the class is one of Python, or a number or text, and is kept as that.
template <class T>
inline constexpr auto members_of = std::tuple<>();

/// How a member is kept.
template <class T>
struct Kept {
  static constexpr bool has_members = std::tuple_size_v<std::remove_cv_t<decltype(members_of<T>)>> != 0;

  static nb::object save(const T& value) {
    if constexpr (has_members) {
      return std::apply([&]<class... Members>(
                            Members T::*... members) { return nb::make_tuple(Kept<Members>::save(value.*members)...); },
                        members_of<T>);
    } else if constexpr (std::is_enum_v<T>) {
      return nb::cast(static_cast<int>(value));
    } else {
      return nb::cast(value);
    }
  }
  static T load(nb::handle state) {
    if constexpr (has_members) {
      T made{};
      std::size_t at = 0;
      std::apply(
          [&]<class... Members>(Members T::*... members) { ((made.*members = Kept<Members>::load(state[at++])), ...); },
          members_of<T>);
      return made;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(nb::cast<int>(state));
    } else {
      return nb::cast<T>(state);
    }
  }
};

template <class T>
struct Kept<Array<T>> {
  static nb::object save(const Array<T>& array) {
    return array.size() > 0 ? to_python(clone(Context(), array.ref())) : nb::none();
  }
  static Array<T> load(nb::handle state) {
    if (state.is_none()) return {};
    Input input(state, "state");
    return host_copy<T>(input);
  }
};

template <>
struct Kept<Shape> {
  static nb::object save(const Shape& shape) { return to_tuple(shape); }
  static Shape load(nb::handle state) { return shape_from(state, "state"); }
};

template <>
struct Kept<Note> {
  static nb::object save(const Note& note) {
    return nb::make_tuple(static_cast<const std::string&>(note), static_cast<int>(note.kind));
  }
  static Note load(nb::handle state) {
    return {nb::cast<std::string>(state[0]), static_cast<NoteKind>(nb::cast<int>(state[1]))};
  }
};

template <class T>
struct Kept<std::vector<T>> {
  static nb::object save(const std::vector<T>& values) {
    nb::list list;
    for (const T& value : values) list.append(Kept<T>::save(value));
    return list;
  }
  static std::vector<T> load(nb::handle state) {
    std::vector<T> values;
    for (const nb::handle value : state) values.push_back(Kept<T>::load(value));
    return values;
  }
};

template <class T>
struct Kept<std::optional<T>> {
  static nb::object save(const std::optional<T>& value) { return value ? Kept<T>::save(*value) : nb::none(); }
  static std::optional<T> load(nb::handle state) {
    if (state.is_none()) return std::nullopt;
    return Kept<T>::load(state);
  }
};

template <class... Types>
struct Kept<std::variant<Types...>> {
  using Variant = std::variant<Types...>;

  static nb::object save(const Variant& value) {
    return std::visit([&]<class T>(const T& held) { return nb::make_tuple(value.index(), Kept<T>::save(held)); },
                      value);
  }
  static Variant load(nb::handle state) {
    const auto index = nb::cast<std::size_t>(state[0]);
    Variant made;
    std::size_t at = 0;
    ((at++ == index ? void(made = Kept<Types>::load(state[1])) : void()), ...);
    return made;
  }
};

template <class T>
struct Kept<std::shared_ptr<const T>> {
  static nb::object save(const std::shared_ptr<const T>& member) {
    if (member == nullptr) return nb::none();
    if constexpr (std::is_same_v<T, Trajectory>) {
      return nb::cast(std::const_pointer_cast<T>(member));
    } else {
      return Kept<T>::save(*member);
    }
  }
  static std::shared_ptr<const T> load(nb::handle state) {
    if (state.is_none()) return nullptr;
    if constexpr (std::is_same_v<T, Trajectory>) {
      return nb::cast<std::shared_ptr<T>>(state);
    } else {
      return std::make_shared<const T>(Kept<T>::load(state));
    }
  }
};

/// Gives a class of Python what pickle and copy ask for.
template <class T>
void def_pickle(nb::class_<T> type) {
  static_assert(Kept<T>::has_members);
  type.def("__getstate__", [](const T& self) { return Kept<T>::save(self); });
  type.def("__setstate__", [](T& self, const nb::tuple& state) { new (&self) T(Kept<T>::load(state)); });
}

}  // namespace whorl::python
