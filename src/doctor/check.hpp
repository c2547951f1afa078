// Private: the checks of whorl doctor. Each is a function in a file of its own and a line in the list of examine.cpp.
#pragma once

#include <optional>
#include <vector>

#include "doctor/examination.hpp"
#include "whorl/doctor/examine.hpp"

namespace whorl::doctor {

using Findings = std::vector<Finding>;

Findings list_header_notes(const Context& ctx, Examination& examination);
/// Whether all samples of a coil, in all frames, have the same value.
bool is_constant(const Scan& scan, Index coil);

/// A scan without any signal, of which nothing else can be said.
std::optional<Finding> find_no_signal(const Scan& scan);

Findings find_empty_frames(const Context& ctx, Examination& examination);
Findings find_clipping(const Context& ctx, Examination& examination);
Findings find_spikes(const Context& ctx, Examination& examination);
Findings find_dead_coils(const Context& ctx, Examination& examination);
Findings find_copied_coils(const Context& ctx, Examination& examination);
Findings judge_noise_scan(const Context& ctx, Examination& examination);
Findings find_reversed_readouts(const Context& ctx, Examination& examination);
Findings find_cut_object(const Context& ctx, Examination& examination);
Findings find_wrong_unit(const Context& ctx, Examination& examination);
Findings compare_with_maps(const Context& ctx, Examination& examination);
Findings find_delays(const Context& ctx, Examination& examination);
Findings find_off_resonance(const Context& ctx, Examination& examination);
Findings find_readout_shifts(const Context& ctx, Examination& examination);
Findings find_k_shift(const Context& ctx, Examination& examination);
Findings find_contradiction(const Context& ctx, Examination& examination);

}  // namespace whorl::doctor
