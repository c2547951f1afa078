// Kinds of regularizers: each has a source here, whose descriptor is all that other code knows of it.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "whorl/recon/regularizer.hpp"

namespace whorl {

template <class Real>
class ProximalPenalty;

}  // namespace whorl

namespace whorl::recon {

/// An option of option_table<Regularizer> that a kind takes: always, or where something else of it is set.
struct TermOption {
  const char* name = nullptr;
  const char* when = nullptr;  ///< in words
  bool (*applies)(const Regularizer& what) = nullptr;
};

/// Arrays of the images' size that a term has in a solver, and what decides which the solver has besides.
struct TermArrays {
  Index duals = 1;
  Index unknowns = 0;     ///< besides the images
  Index working = 1;      ///< while its function or its normal operator works
  bool differs = false;   ///< its spectrum is not flat
  bool joins = false;     ///< frames or parts, with a spectrum that is flat in each
  bool versions = false;  ///< it has random shifts
};

/// The term for a series [frame, z, y, x], where a weight of 1 is `unit`. Throws as make_penalties.
template <class Real>
using MakeTerm = ProximalPenalty<Real> (*)(const Shape& series, const Regularizer& what, double unit);

struct RegularizerTerm {
  RegularizerKind kind;
  const char* word;                     ///< in texts; null: it has none
  std::array<TermOption, 8> options{};  ///< weight and unit among them
  bool has_proximal_operator = true;    ///< itself: fista takes it
  bool is_pointwise = false;            ///< a sum over voxels: fista takes it with a support
  bool has_parts = false;
  bool (*spans_frames)(const Regularizer& what);
  /// What a weight of 1 in units of the noise is (threshold_of_noise).
  double (*threshold)(const Regularizer& what, const Shape& series);
  TermArrays (*arrays)(const Regularizer& what, Index image_axes);
  MakeTerm<float> make;
  MakeTerm<double> make_double;
};

/// In the order in which texts list them.
std::span<const RegularizerTerm* const> regularizer_terms();
const RegularizerTerm& descriptor_of(const Regularizer& what);

/// The wanted solver. If it is open: FISTA if it takes the terms, else ADMM. Throws ValueError where FISTA cannot take them.
RegularizedSolver settled_solver(RegularizedSolver wanted, bool takes_fista);

/// Whether an option has an effect.
bool takes(const Regularizer& what, std::string_view option);
/// With what it has, in words: "tv, tgv or ictv".
std::string takers_of(std::string_view option);

/// The name of an option as an argument of a template: option tables take functions without state.
template <std::size_t size>
struct OptionName {
  consteval OptionName(const char (&name)[size]) {
    std::copy_n(name, size, text);
  }  // NOLINT(google-explicit-constructor)

  char text[size];
};
template <OptionName name>
bool takes(const Regularizer& what) {
  return takes(what, name.text);
}

inline bool never(const Regularizer& /*what*/) { return false; }
inline bool always(const Regularizer& /*what*/) { return true; }

}  // namespace whorl::recon
