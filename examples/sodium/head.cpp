#include "head.hpp"

#include <algorithm>

#include "whorl/core/error.hpp"

namespace sodium {

namespace {

using Triple = std::array<double, 3>;
using whorl::SolidKind;

// Concentrations and T2* (fast part, ms of the fast, ms of the slow) are round numbers within the ranges that reviews
// report for the adult brain at 3 T: Madelin and Regatte, "Biomedical applications of sodium MRI in vivo", J Magn Reson
// Imaging 38:511 (2013); Thulborn, "Quantitative sodium MR imaging: a review of its evolving role in medicine",
// Neuroimage 168:250 (2018). Fluids, where the nuclei move freely, decay with one exponential, tissues and agar with
// two whose parts are 60 and 40 %. Proton intensities are those of a T1-weighted image, roughly.
std::vector<HeadTissue> make_tissues() {
  return {
      {"soft tissue", 28, {0.6, 2.5, 16}, 0.45, ""},
      {"bone", 15, {0.6, 2, 14}, 0.06, ""},
      {"cerebrospinal fluid", 143, {0, 0, 56}, 0.2, ""},
      {"gray matter", 40, {0.6, 3.2, 20}, 0.6, ""},
      {"white matter", 34, {0.6, 2.8, 17}, 1, ""},
      {"vitreous humor", 140, {0, 0, 52}, 0.25, ""},
      {"lesion", 62, {0.6, 3.6, 22}, 0.4, ""},
      {"hidden lesion", 62, {0.6, 3.6, 22}, 1, "white matter"},
      {"proton edge only", 34, {0.6, 2.8, 17}, 0.5, "lesion"},
      {"vial 40", 40, {0.6, 4, 24}, 0.7, ""},
      {"vial 80", 80, {0.6, 4, 24}, 0.7, ""},
      {"vial 120", 120, {0.6, 4, 24}, 0.7, ""},
  };
}

// Puts a figure of one tissue into another one, or into the air where that is empty.
void put(Head& head, const std::string& tissue, const std::string& around, SolidKind kind, const Triple& center,
         const Triple& half_axes) {
  const whorl::Solid figure{kind, center, half_axes};
  head.portions[head.index(tissue)].regions.push_back({figure, {1, 0, 0}});
  if (!around.empty()) head.portions[head.index(around)].regions.push_back({figure, {-1, 0, 0}});
}

}  // namespace

std::size_t Head::index(const std::string& tissue) const {
  const auto place = std::find_if(tissues.begin(), tissues.end(), [&](const auto& one) { return one.name == tissue; });
  if (place == tissues.end()) throw whorl::ValueError("head: there is no tissue '" + tissue + "'");
  return static_cast<std::size_t>(place - tissues.begin());
}

Head make_head() {
  Head head{make_tissues(), {}};
  for (const HeadTissue& tissue : head.tissues) head.portions.push_back({tissue.name, 3, {}});
  constexpr auto ball = SolidKind::ellipsoid;
  put(head, "soft tissue", "", ball, {0, 0, 0}, {0.58, 0.74, 0.74});
  put(head, "bone", "soft tissue", ball, {0, 0.06, 0.1}, {0.525, 0.62, 0.57});
  put(head, "cerebrospinal fluid", "bone", ball, {0, 0.06, 0.1}, {0.49, 0.585, 0.535});
  put(head, "gray matter", "cerebrospinal fluid", ball, {0, 0.06, 0.1}, {0.46, 0.555, 0.505});
  for (const double side : {-1.0, 1.0}) {
    put(head, "white matter", "gray matter", ball, {side * 0.215, 0.06, 0.12}, {0.165, 0.4, 0.34});
    put(head, "cerebrospinal fluid", "white matter", ball, {side * 0.16, 0.07, 0.08}, {0.05, 0.15, 0.09});
    put(head, "vitreous humor", "soft tissue", ball, {side * 0.23, -0.42, -0.36}, {0.1, 0.1, 0.1});
  }
  put(head, "lesion", "white matter", ball, {0.225, -0.1, 0.22}, {0.105, 0.105, 0.105});
  put(head, "hidden lesion", "white matter", ball, {-0.225, -0.1, 0.22}, {0.105, 0.105, 0.105});
  put(head, "proton edge only", "white matter", ball, {-0.225, 0.23, 0.22}, {0.105, 0.105, 0.105});
  constexpr auto tube = SolidKind::cylinder;
  put(head, "vial 40", "", tube, {-0.77, -0.26, 0.1}, {0.14, 0.14, 0.4});
  put(head, "vial 80", "", tube, {-0.77, 0.26, 0.1}, {0.14, 0.14, 0.4});
  put(head, "vial 120", "", tube, {0.77, 0, 0.1}, {0.14, 0.14, 0.4});
  return head;
}

whorl::Phantom weighted_head(const Head& head, const std::vector<double>& values) {
  whorl::Phantom phantom{"head", 3, {}};
  for (std::size_t k = 0; k < head.portions.size(); ++k) {
    for (whorl::Region region : head.portions[k].regions) {
      region.added.intensity *= values.at(k);
      phantom.regions.push_back(region);
    }
  }
  return phantom;
}

}  // namespace sodium
