#include "filter/src/kernels/windows/recursive_gaussian.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::kernels {

namespace {

// exp(-decay x) (cosine cos(turn x) + sine sin(turn x)). Their sum fits exp(-x^2 / 2) over 0 <= x <= 9 by least
// squares, as in Deriche 1993, who takes two terms.
struct Term {
  double decay, turn, cosine, sine;
};
constexpr Term fitted[cosines] = {
    {2.180761440854, 0.526512957567, 3.149505397353, 7.276555024035},
    {2.149630032273, 1.615846434053, -2.307245976943, -0.907494578987},
    {2.077174024286, 2.856228897243, 0.157733670379, -0.044874023759},
};

}  // namespace

RecursiveWindow recursive_window(double sigma) {
  RecursiveWindow window{};
  double own = 0;
  double side = 0;
  for (std::size_t i = 0; i < cosines; ++i) {
    const Term& term = fitted[i];
    const double decay = std::exp(-term.decay / sigma);
    const double turn = term.turn / sigma;
    DecayingCosine& made = window.terms[i];
    made.a1 = 2 * decay * std::cos(turn);
    made.a2 = -decay * decay;
    made.b0 = term.cosine;
    made.b1 = decay * (term.sine * std::sin(turn) - term.cosine * std::cos(turn));
    own += made.b0;
    side += (made.b0 + made.b1) / (1 - made.a1 - made.a2);
  }
  const double scale = 1 / (2 * side - own);
  for (DecayingCosine& term : window.terms) {
    term.b0 *= scale;
    term.b1 *= scale;
  }
  window.own = own * scale;
  return window;
}

Index recursive_reach(double sigma) {
  constexpr double forgotten = 25;  // 36 ln 2
  double slowest = fitted[0].decay;
  for (const Term& term : fitted) slowest = std::min(slowest, term.decay);
  return static_cast<Index>(std::ceil(forgotten / slowest * sigma));
}

}  // namespace whorl::kernels
