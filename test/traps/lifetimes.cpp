// References to what is gone, and operators that would not own what they are made of. test/traps/check_traps.py compiles
// this file.
#include <complex>
#include <memory>

#include "whorl/core/image.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/recon/least_squares.hpp"

namespace whorl {

using Complex = std::complex<float>;

void traps(const Context& ctx, Nufft<float>& nufft, Sense<float>& sense, const Operator<double>& other) {
  zeros<float>(ctx, {3}).ref();                      // error: give the array a name
  zeros<float>(ctx, {3}).span();                     // error: give the array a name
  zeros<float>(ctx, {3}).slice(0);                   // error: give the array a name
  zeros<float>(ctx, {3}).range(0, 1);                // error: give the array a name
  zeros<float>(ctx, {3}).view<1>();                  // error: give the array a name
  Image(ctx, {}).pixels<float>();                    // error: give the image a name
  ArrayRef<float> written = zeros<float>(ctx, {3});  // error: conversion|convert
  Array<Complex> maps(ctx, {2, 8, 8});
  Array<Complex> copied = maps;                 // error: clone\(\) copies the elements
  Sense<float> of_maps(maps);                   // error: clone\(\) copies the elements
  Sense<float> of_reference(maps.ref());        // error: no matching|no conversion
  SenseNufft<float> of_both(nufft, maps);       // error: clone\(\) copies the elements
  Operator<float> handle = nufft;               // error: would not keep it alive
  BlockDiagonal<float> blocks(sense, 2);        // error: would not keep it alive
  RegularizedModel<float> model{nufft, 1.0};    // error: would not keep it alive
  SignalEvolution<float> evolution(nufft, {});  // error: would not keep it alive
  nufft* sense;                                 // error: OperatorLike|SameOperators
  nufft + Operator<float>();                    // error: OperatorLike|SameOperators
  nufft* other;                                 // error: OperatorLike|SameOperators
  -sense;                                       // error: OperatorLike
  stack(nufft, nufft);                          // error: OperatorLike|SameOperators
}

// Made of temporaries, moved or shared, they live as long as what they are part of.
Operator<float> encoding(const Context& ctx, ArrayRef<const double> points) {
  Array<Complex> maps(ctx, {2, 8, 8});
  return Nufft<float>(ctx, points, {8, 8}, 2) * Sense<float>(maps.share());
}

}  // namespace whorl
