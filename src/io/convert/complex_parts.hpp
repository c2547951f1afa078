// Real arrays that are the parts of complex numbers.
#pragma once

#include <string>
#include <vector>

#include "io/convert/array_inputs.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

/// Joins pairs of real arrays of one shape whose names say that they are real and imaginary parts to complex ones: kdata_re and
/// kdata_im, kspace_real and kspace_imag, data_r and data_i, re and im, kdata and kdata_im. Arrays that `stated` names
/// stay as they are.
void join_parts(const Context& ctx, const std::vector<std::string>& stated, ArrayInputs& inputs);

/// Joins the two arrays that the option data names ("a,b"), real parts first, and names their result there instead.
/// Throws ValueError.
void join_stated_parts(const Context& ctx, ArrayInputs& inputs, ConvertOptions& options, const std::string& file);

/// Makes real data complex: their first or last axis of 2 is the real and imaginary parts, or the axis that is stated to be (part).
/// Data whose axes are all stated stay real, with a doubt. Throws ValueError for others, since k-space is complex.
void settle_parts(const Context& ctx, ArrayInputs& inputs, ArrayRoles& roles, ConvertOptions& options,
                  const std::string& file, Notes& notes);

}  // namespace whorl::io
