#include <fmt/format.h>

#include "studies/mri_q/climb.hpp"

namespace whorl::studies::mri_q {

Table size_table(const Ladder& ladder, std::span<const TimesOfSize> sizes) {
  Table table{"sizes", "Milliseconds by the size of the grid", {"step"}, {}};
  for (const TimesOfSize& one : sizes) table.columns.push_back(fmt::format("{}^3 ms", one.size));
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(ladder.steps[i].name);
    for (const TimesOfSize& one : sizes) row.emplace_back(one.times[i].ms);
  }
  return table;
}

Table acceptance_table(const Acceptance& acceptance) {
  const double of_largest = acceptance.largest_difference / acceptance.largest_reference;
  return {"acceptance",
          "The library's Q by Parboil's tolerance",
          {"numbers", "outside", "largest difference", "of the largest number", "accepted"},
          {{static_cast<double>(acceptance.numbers), static_cast<double>(acceptance.outside),
            acceptance.largest_difference, of_largest, acceptance.accepted() ? "yes" : "no"}}};
}

}  // namespace whorl::studies::mri_q
