// The two ways to search for sizes that the chapter compares: all of them together, and one after the other.
#pragma once

#include <span>

#include "studies/fhd/tuner.hpp"
#include "studies/results.hpp"

namespace whorl::studies::fhd {

/// What a search finds that follows promising trends: it starts at one of the trials and tries all threads, then all
/// chunks with the best threads, then all unrollings with the best of both. The steps of its way, the start first; the
/// last one is its choice. Throws ValueError (the start is none of the trials)
std::vector<TriedTuning> search_one_by_one(std::span<const TriedTuning> trials, const Tuning& start);

/// Adds what was chosen for each kernel; for those that were searched now, the times of each number of threads and chunk with
/// the best unrolling; and of `kernel` both searches beside each other, and a picture of them. Nothing searched: that is left
/// out.
void add_searches(const Context& ctx, std::span<const Search> searches, const std::string& kernel, Results& results);

}  // namespace whorl::studies::fhd
