#include "studies/sha1_search/steps.hpp"

namespace whorl::studies::sha1_search {

std::vector<SearchStep> host_steps() {
  return {{"one by one, as in the standard", one_by_one},
          {"16 words, unrolled", sixteen_words},
          {"letters counted, not divided", counted_letters},
          {"schedules joined", joined_schedules},
          {"test after step 76", early_test},
          {"threads", by_threads},
          {"vectors", by_vectors}};
}

std::vector<SearchStep> steps_for(const Context& ctx) {
  return ctx.device().kind == DeviceKind::cuda ? gpu_steps() : host_steps();
}

Index least_fronts(const Context& ctx) {
  constexpr Index on_cpu = 64;
  constexpr Index on_gpu = Index{1} << 14;
  return ctx.device().kind == DeviceKind::cuda ? on_gpu : on_cpu;
}

}  // namespace whorl::studies::sha1_search
