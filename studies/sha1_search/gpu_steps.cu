// The steps of the ladder on a GPU: what launches the kernels.
#include <algorithm>
#include <vector>

#include "backend/cuda/runtime.hpp"
#include "studies/sha1_search/gpu_schedules.cuh"
#include "studies/sha1_search/gpu_strings.cuh"
#include "studies/sha1_search/steps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::sha1_search {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;
using backend::cuda::upload;

constexpr unsigned string_threads = 256;
constexpr unsigned long long nothing = ~0ULL;

unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }

/// What a launch needs of a search on the device, and how it went.
class OnGpu {
 public:
  OnGpu(const Context& ctx, const Search& search)
      : ctx_(ctx),
        search_(search),
        alphabet_(upload<char>(ctx, search.space.alphabet())),
        outcome_(upload<unsigned long long>(ctx, std::array{0ULL, nothing})) {}

  /// With the rests [first, last).
  GpuSearch part(Index first, Index last) {
    const Space& space = search_.space;
    return {.alphabet = alphabet_.data(),
            .letters = static_cast<int>(space.letters()),
            .length = static_cast<int>(space.length()),
            .front_letters = static_cast<int>(space.front_letters()),
            .fronts = space.fronts(),
            .first = first,
            .last = last,
            .digest = search_.digest,
            .tried = outcome_.data(),
            .found = outcome_.data() + 1};
  }
  Outcome outcome() const {
    const auto here = to_host(ctx_, outcome_.ref());
    const auto found = here.data()[1];
    return {static_cast<Index>(here.data()[0]), found == nothing ? -1 : static_cast<Index>(found)};
  }

 private:
  const Context& ctx_;
  const Search& search_;
  Array<char> alphabet_;
  Array<unsigned long long> outcome_;
};

/// Calls launch(part) for parts of the rests, each as large as one launch takes.
template <class Launch>
Outcome in_parts(const Context& ctx, const Search& search, Index most_rests, const Launch& launch) {
  OnGpu job(ctx, search);
  for (Index from = search.first; from < search.last; from += most_rests) {
    launch(job.part(from, std::min(from + most_rests, search.last)));
    check_launch("sha1_search");
  }
  return job.outcome();
}

Outcome string_a_thread(const Context& ctx, const Search& search, void (*kernel)(GpuSearch)) {
  constexpr Index most_strings = Index{1} << 36;
  return in_parts(ctx, search, std::max<Index>(most_strings / search.space.fronts(), 1), [&](const GpuSearch& part) {
    const unsigned blocks = blocks_for((part.last - part.first) * part.fronts, string_threads);
    kernel<<<blocks, string_threads, 0, stream_of(ctx)>>>(part);
  });
}

Outcome rest_a_thread(const Context& ctx, const Search& search) {
  constexpr Index most_rests = Index{1} << 36;
  return in_parts(ctx, search, most_rests, [&](const GpuSearch& part) {
    const dim3 blocks(blocks_for(part.last - part.first, fronts_of_a_thread),
                      blocks_for(part.fronts, fronts_of_a_thread));
    counted_letters_kernel<<<blocks, fronts_of_a_thread, 0, stream_of(ctx)>>>(part);
  });
}

template <int Steps>
Outcome front_a_thread(const Context& ctx, const Search& search) {
  constexpr Index most_blocks = 65535;
  return in_parts(ctx, search, most_blocks * rests_of_a_block, [&](const GpuSearch& part) {
    const dim3 blocks(blocks_for(part.fronts, schedule_threads), blocks_for(part.last - part.first, rests_of_a_block));
    joined_schedules_kernel<Steps><<<blocks, schedule_threads, 0, stream_of(ctx)>>>(part);
  });
}

SearchStep string_step(const char* name, void (*kernel)(GpuSearch)) {
  return {name, [kernel](const Context& ctx, const Search& search) { return string_a_thread(ctx, search, kernel); }};
}

}  // namespace

std::vector<SearchStep> gpu_steps() {
  return {string_step("GPU, one string a thread", one_by_one_kernel),
          string_step("16 words, unrolled", sixteen_words_kernel<ByShifts>),
          string_step("funnel shifts", sixteen_words_kernel<ByFunnel>),
          {"letters counted, not divided", rest_a_thread},
          {"schedules joined", front_a_thread<hash_steps>},
          {"test after step 76", front_a_thread<deciding_step>}};
}

}  // namespace whorl::studies::sha1_search
