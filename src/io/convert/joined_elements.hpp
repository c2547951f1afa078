// Arrays that are the elements of one: cells, arrays of structures, arrays of the same name in several files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/convert/array_inputs.hpp"

namespace whorl::io {

/// What an element belongs to: "scan(2).kdata" is element 2 of scan.kdata.
struct Element {
  std::string whole;
  std::vector<Index> place;  ///< from 1 on, one or two numbers
};

/// None for a name that is that of no element.
std::optional<Element> element_of(const std::string& name);

/// Joins elements of equal shapes to one array, whose slowest axis counts them (two axes for a matrix of cells), and says so in its info.
/// Small elements that are all equal become one of them. Elements that differ in shape, or of which some are missing,
/// are left out, with the reason in `unjoined`. Elements that `stated` names stay as they are.
void join_elements(const Context& ctx, const std::vector<std::string>& stated, ArrayInputs& inputs);

}  // namespace whorl::io
