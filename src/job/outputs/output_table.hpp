// The options of a request that name its outputs.
#pragma once

#include <optional>

#include "whorl/core/option_table.hpp"
#include "whorl/job/request.hpp"

namespace whorl::job {

/// Each is the name of a file. Those that a result in memory has on demand alone also take a bool: whether it is asked for.
void add_image_outputs(OptionTable<ReconRequest>& table);
void add_array_outputs(OptionTable<ReconRequest>& table);
void add_error_bar_outputs(OptionTable<ReconRequest>& table);

inline bool is_cg_sense(const ReconRequest& request) { return request.recon.method == ReconMethod::cg_sense; }

/// Method that chooses lambda from the data, as asked for or by default (settle); none: lambda is a number.
std::optional<LambdaMethod> search_method(const ReconRequest& request);
/// Whether that has a curve.
bool searches_by_curve(const ReconRequest& request);

/// Whether somebody asks for a standard deviation or a g-factor.
bool asks_for_noise(const ReconRequest& request);
/// Whether somebody asks for an error bar of the truth; for its bound.
bool asks_for_truth(const ReconRequest& request);
bool asks_for_bound(const ReconRequest& request);

}  // namespace whorl::job
