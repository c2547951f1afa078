#include "whorl/recon/regularizer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/close_words.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

bool has_weight(const Regularizer& what) { return recon::takes(what, "weight"); }
bool is_own(const Regularizer& what) { return what.kind == RegularizerKind::own; }
bool has_unit(const Regularizer& what) { return recon::takes(what, "unit") && !what.choice; }

// Why a text names no axes that differences can have; empty: it does.
std::string complaint_about_names(const std::string& option, const std::string& axes) {
  for (const char axis : axes) {
    if (std::string("xyzt").find(axis) == std::string::npos || std::count(axes.begin(), axes.end(), axis) > 1) {
      return fmt::format("{} is '{}', expected some of x, y, z and t, each once", option, axes);
    }
  }
  return {};
}

std::string complaint_about_axes(const Regularizer& what) {
  for (const auto& [option, axes] : {std::pair{"axes", what.axes}, std::pair{"cyclic", what.cyclic}}) {
    const std::string complaint = complaint_about_names(option, axes);
    if (!complaint.empty()) return complaint;
  }
  const std::string& among = what.axes.empty() ? "xyz" : what.axes;
  const std::size_t other = recon::takes(what, "axes") ? what.cyclic.find_first_not_of(among) : std::string::npos;
  if (other == std::string::npos) return {};
  return fmt::format("cyclic has {0}, which is not among the axes of the differences; add it to axes={0}...",
                     what.cyclic[other]);
}

// Whether a text says how to choose the weight.
bool take_choice(Regularizer& what, const std::string& text) {
  if (!has_weight(what)) return false;
  if (text == "auto" || text == "gcv") what.choice = LambdaMethod::gcv;
  if (text == "discrepancy") what.choice = LambdaMethod::discrepancy;
  return what.choice.has_value();
}

// Whether a text names a weight.
bool take_name(Regularizer& what, const std::string& text) {
  for (const auto& [name, weight] :
       {std::pair{"weak", weak_weight}, {"medium", medium_weight}, {"strong", strong_weight}}) {
    if (text != name || !has_weight(what)) continue;
    what.weight = weight;
    return true;
  }
  return false;
}

// Why a word is no weight.
std::string complaint_about_word(const std::string& text) {
  static const std::vector<std::string> words{"weak", "medium", "strong", "auto", "gcv", "discrepancy"};
  return fmt::format("weight is '{}', expected a number above 0, or {}{}", text, alternatives(words),
                     did_you_mean(close_words(text, words)));
}

std::string complaint_about_weight(const Regularizer& what, bool names_unit) {
  if (names_unit || !has_unit(what) || what.unit != WeightUnit::noise || what.weight >= least_weight) return {};
  return fmt::format(
      "a weight of {0:g} times the noise changes nothing; take weak, medium, strong or a number around 1, or "
      "{0:g},unit=largest for a weight relative to the image's largest value",
      what.weight);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// The options of a text in any order: whether they have an effect is known when all are set.
class OptionSetter {
 public:
  explicit OptionSetter(Regularizer& what) : what_(what) {}

  void set(const std::string& name, const std::string& value) {
    options_.push_back(table_.index_of(name));
    table_.set_value(&what_, options_.back(), value);
  }
  bool has(const std::string& name) const {
    return std::find(options_.begin(), options_.end(), table_.index_of(name)) != options_.end();
  }
  void check_effects() const {
    for (const std::size_t option : options_) {
      if (table_.applies_to(&what_, option)) continue;
      const auto& one = table_.bindings()[option].what;
      throw ValueError(fmt::format("{} has an effect with {} alone", one.name, one.applies));
    }
  }

 private:
  Regularizer& what_;
  const OptionTable<Regularizer>& table_ = option_table<Regularizer>();
  std::vector<std::size_t> options_;
};

}  // namespace

template <>
const OptionTable<Regularizer>& option_table<Regularizer>() {
  using recon::takers_of;
  using recon::takes;
  const auto kinds = [] {
    std::vector<std::pair<std::string, RegularizerKind>> words;
    for (const recon::RegularizerTerm* term : recon::regularizer_terms()) {
      if (term->word != nullptr) words.emplace_back(term->word, term->kind);
    }
    return words;
  };
  static const OptionTable<Regularizer> table =
      OptionTable<Regularizer>("regularizer")
          .choice("kind", &Regularizer::kind, kinds(), "Which term")
          .real("weight", &Regularizer::weight, OptionRange::more_than(0), "", "Weight")
          .when(takers_of("weight"), &takes<"weight">)
          .choice(
              "unit", &Regularizer::unit, {{"noise", WeightUnit::noise}, {"largest", WeightUnit::largest}},
              "What a weight of 1 is: the noise of a voxel, or the largest value of the image, both for an encoding "
              "operator of norm 1")
          .when("a weight that is not chosen from the data", &has_unit)
          .text("axes", &Regularizer::axes,
                "Axes of the differences: some of xyzt, t for frames (default: the image's)")
          .when(takers_of("axes"), &takes<"axes">)
          .text("cyclic", &Regularizer::cyclic,
                "Those of the axes along which the first pixel is next to the last one; t: heart phases")
          .when(takers_of("cyclic"), &takes<"cyclic">)
          .integer("taps", &Regularizer::taps, {2, 20}, "",
                   "Taps of Daubechies' filter; moments vanish up to half of it")
          .that_is("even", [](double taps) { return static_cast<int>(taps) % 2 == 0; })
          .when(takers_of("taps"), &takes<"taps">)
          .integer("levels", &Regularizer::levels, {0, 20}, "", "Levels of the transform; 0: down to 16 coefficients")
          .when(takers_of("levels"), &takes<"levels">)
          .flag("approximation", &Regularizer::approximation, "The approximations of the last level count too")
          .when(takers_of("approximation"), &takes<"approximation">)
          .flag("joint", &Regularizer::joint, "Magnitudes over all frames together")
          .when(takers_of("joint"), &takes<"joint">)
          .choice("matrix", &Regularizer::matrix,
                  {{"image", LowRankMatrix::image}, {"patches", LowRankMatrix::patches}},
                  "Singular values of the whole image over the frames, or of its patches")
          .when(takers_of("matrix"), &takes<"matrix">)
          .integer("patch", &Regularizer::patch, {1, 1024}, "pixels", "Extent of a patch along each axis")
          .when(takers_of("patch"), &takes<"patch">)
          .choice("transform", &Regularizer::transform,
                  {{"fourier", SparseTransform::fourier}, {"differences", SparseTransform::differences}},
                  "What the sparse part has few of: temporal frequencies, or differences to the next frame")
          .when(takers_of("transform"), &takes<"transform">)
          .real("sparse", &Regularizer::sparse, OptionRange::more_than(0), "",
                "Weight of the sparse part, relative to that of low rank")
          .when(takers_of("sparse"), &takes<"sparse">)
          .real("ratio", &Regularizer::ratio, OptionRange::more_than(0), "",
                "Weight of the second differences, relative to that of the first")
          .when(takers_of("ratio"), &takes<"ratio">)
          .real("time", &Regularizer::time, OptionRange::more_than(0), "",
                "Weight of the variation in time, relative to that in space")
          .when(takers_of("time"), &takes<"time">)
          .real("mix", &Regularizer::mix, {0, 1}, "", "Of the other differences in the variations in space and in time")
          .when(takers_of("mix"), &takes<"mix">)
          .flag("shift", &Regularizer::shift,
                "Another random shift in each iteration; of low-rank-sparse two grids, half a patch apart",
                "The same grid in all of them")
          .when(takers_of("shift"), &takes<"shift">);
  return table;
}

bool Regularizer::spans_frames() const { return recon::descriptor_of(*this).spans_frames(*this); }
bool Regularizer::has_parts() const { return recon::descriptor_of(*this).has_parts; }

double threshold_of_noise(const Regularizer& regularizer, const Shape& series) {
  return recon::descriptor_of(regularizer).threshold(regularizer, series);
}

std::vector<Regularizer> in_units_of_largest(std::vector<Regularizer> regularizers, const Shape& series, double largest,
                                             double noise) {
  for (Regularizer& what : regularizers) {
    if (!has_unit(what) || what.unit == WeightUnit::largest) continue;
    if (!(noise > 0)) {
      throw ValueError(fmt::format(
          "regularizer '{}': its weight is in units of the noise, which is not known of these data; leave prewhitening "
          "on, give a noise scan, let gcv choose the weight, or give one relative to the image's largest value: "
          "0.001,unit=largest",
          to_text(what)));
    }
    what.unit = WeightUnit::largest;
    what.weight *= threshold_of_noise(what, series) * noise / largest;
  }
  return regularizers;
}

namespace {

// "tv=0.01": "tv:0.01,unit=largest", which other programs mean by it.
std::vector<std::string> with_colon(std::string text) {
  text[text.find_first_of("=, ")] = ':';
  for (const std::string& meant : {text, text + ",unit=largest"}) {
    try {
      static_cast<void>(parse_regularizer(meant));
      return {meant};
    } catch (const ValueError&) {
      continue;
    }
  }
  return {};
}

}  // namespace

Regularizer parse_regularizer(const std::string& text) {
  Regularizer what;
  try {
    const std::size_t colon = text.find(':');
    OptionSetter options(what);
    if (colon == std::string::npos && text.find_first_of("=, ") != std::string::npos) {
      throw ValueError("a colon is between the kind and its weight" + did_you_mean(with_colon(text)));
    }
    options.set("kind", text.substr(0, colon));
    if (colon != std::string::npos) {
      std::string first = "weight=";
      for (const std::string& part : split(text.substr(colon + 1), ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos && first.empty()) {
          throw ValueError(fmt::format("'{}' is no NAME=VALUE", part));
        }
        if (!first.empty() && equals == std::string::npos && (take_choice(what, part) || take_name(what, part))) {
          first.clear();
          continue;
        }
        const bool is_word = !part.empty() && std::isalpha(static_cast<unsigned char>(part.front())) != 0;
        if (equals == std::string::npos && is_word && has_weight(what)) throw ValueError(complaint_about_word(part));
        const std::string named = equals == std::string::npos ? first + part : part;
        options.set(named.substr(0, named.find('=')), named.substr(named.find('=') + 1));
        first.clear();
      }
    }
    options.check_effects();
    check_options(what);
    for (const std::string& complaint :
         {complaint_about_axes(what), complaint_about_weight(what, options.has("unit"))}) {
      if (!complaint.empty()) throw ValueError(complaint);
    }
  } catch (const ValueError& error) {
    const std::string title = option_table<Regularizer>().title() + ": ";
    std::string complaint = error.what();
    if (complaint.starts_with(title)) complaint.erase(0, title.size());
    throw ValueError(
        fmt::format("regularizer '{}': {}; expected KIND:WEIGHT,NAME=VALUE,... such as tv:medium or "
                    "wavelet:0.5,taps=4",
                    text, complaint));
  }
  return what;
}

std::string to_text(const Regularizer& regularizer) {
  const OptionTable<Regularizer>& table = option_table<Regularizer>();
  if (is_own(regularizer)) return fmt::format("{}:{:g}", regularizer.function->name(), regularizer.weight);
  const Regularizer usual{.kind = regularizer.kind};
  std::string text = table.text_of(regularizer, "kind");
  if (!has_weight(regularizer)) return text;
  text += ":" + (regularizer.choice ? to_string(*regularizer.choice) : table.text_of(regularizer, "weight"));
  for (const OptionBinding& option : table.bindings()) {
    const std::string& name = option.what.name;
    const bool at_start = name == "kind" || name == "weight";
    if (at_start || !table.applies_to(&regularizer, table.index_of(name))) continue;
    const std::string value = table.text_of(regularizer, name);
    const bool says_unit = name == "unit" && !complaint_about_weight(regularizer, false).empty();
    if (says_unit || value != table.text_of(usual, name)) text += fmt::format(",{}={}", name, value);
  }
  return text;
}

namespace {

std::string kinds_that(bool recon::RegularizerTerm::*is) {
  std::vector<std::string_view> words;
  for (const recon::RegularizerTerm* term : recon::regularizer_terms()) {
    if (term->word != nullptr && term->*is) words.emplace_back(term->word);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string regularizer_kinds() {
  std::vector<std::string> kinds;
  for (const recon::RegularizerTerm* term : recon::regularizer_terms()) {
    if (term->word == nullptr) continue;
    std::vector<std::string_view> own;
    for (const recon::TermOption& option : term->options) {
      if (option.name != nullptr && std::string_view(option.name) != "weight" &&
          std::string_view(option.name) != "unit") {
        own.emplace_back(option.name);
      }
    }
    kinds.push_back(own.empty() ? term->word : fmt::format("{} ({})", term->word, fmt::join(own, ", ")));
  }
  return fmt::format("{}", fmt::join(kinds, ", "));
}

RegularizedSolver recon::settled_solver(RegularizedSolver wanted, bool takes_fista) {
  if (wanted == RegularizedSolver::automatic) return takes_fista ? RegularizedSolver::fista : RegularizedSolver::admm;
  if (wanted != RegularizedSolver::fista || takes_fista) return wanted;
  throw ValueError(fmt::format(
      "regularized least squares: fista takes one regularizer that has a proximal operator itself ({}), and with a "
      "support one that is a sum over voxels ({}); use admm or pdhg for others",
      kinds_that(&RegularizerTerm::has_proximal_operator), kinds_that(&RegularizerTerm::is_pointwise)));
}

RegularizedSolver solver_for(RegularizedSolver wanted, const std::vector<Regularizer>& regularizers, bool has_support) {
  const auto takes = [&](const Regularizer& only) {
    const recon::RegularizerTerm& term = recon::descriptor_of(only);
    return term.has_proximal_operator && (!has_support || term.is_pointwise);
  };
  return recon::settled_solver(wanted, regularizers.size() == 1 && takes(regularizers.front()));
}

std::string to_string(RegularizedSolver solver) {
  switch (solver) {
    case RegularizedSolver::automatic:
      return "auto";
    case RegularizedSolver::fista:
      return "fista";
    case RegularizedSolver::admm:
      return "admm";
    case RegularizedSolver::primal_dual:
      return "pdhg";
  }
  return "unknown";
}

}  // namespace whorl
