// Autofocus: a field map from a single readout, together with the image.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "whorl/core/note.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

struct ReadoutFieldOptions {
  int steps = 10;       ///< of Gauss and Newton
  int iterations = 40;  ///< of conjugate gradient in each step
};

template <>
WHORL_PUBLIC const OptionTable<ReadoutFieldOptions>& option_table<ReadoutFieldOptions>();

struct ReadoutField {
  Array<float> hertz;  ///< f [(z,) y, x], on the host
  Geometry geometry;
  int steps = 0;            ///< after which the held out samples were predicted best
  double error_before = 0;  ///< |A x - d|^2 / |d|^2 of the held out samples, without a field
  double error_after = 0;   ///< with it
  double significance = 0;  ///< mean over the standard error of what the field changes in the held out samples
  Notes notes;
  std::vector<std::pair<std::string, double>> stage_seconds;
};

/// The off-resonance f of the first frame of a scan from the contradictions that it leaves between the coils, where samples of
/// one place in k-space, or of neighboring ones, are taken at different times. Gauss-Newton steps for
///
///   min over x and f of  |A_f x - d|^2 + lambda |x|^2 + beta |a|^2,
///
/// where A_f has the factor exp(-2 pi i f(r) t_j) and J = [A_f, diag(-2 pi i t) A_f diag(x)]. f = Re(W a) has few Fourier
/// coefficients a, weighted such that |a|^2 is a Sobolev norm of order 8 that limits details to some eight cycles per field of
/// view. The first two steps take the first part of each readout alone, where phases are small; beta is halved in each step.
///
/// A tenth of the samples, drawn at random, is held out. The steps end where these are predicted best.
///
/// Shapes    a scan with data, readouts of one length, one slice or volume
/// Units     Hz
/// Device    the host, whatever the context: the image and its field are small, and the host takes part in every step
/// Accuracy  test/unit/recon/encoding/test_readout_field.cpp
/// Progress  a stage "field from readout", and Cancelled
/// Throws    ValueError (several slices, maps in options.signal, sample weights, times that are not known, samples that
///           cannot decide: held out ones are not predicted better with a field, by four standard errors), as reconstruct
/// Source    Sutton, Noll, Fessler, "Dynamic field map estimation using a spiral-in/spiral-out acquisition", Magn Reson Med
///           51:1194 (2004); Olafsson, Noll, Fessler, "Fast joint reconstruction of dynamic R2* and field maps in functional
///           MRI", IEEE Trans Med Imaging 27:1177 (2008): the Jacobian; Bakushinsky: steps with falling regularization, as
///           in Uecker et al., Magn Reson Med 60:674 (2008)
ReadoutField readout_field(const Context& ctx, Scan scan, const ReconOptions& reconstruction,
                           const ReadoutFieldOptions& options = {});

}  // namespace whorl
