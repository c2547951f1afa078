// Which multiprocessors work in a stream runs on.
#include <numeric>

#include "backend/cuda/runtime.hpp"
#include "kernels/repeat.hpp"
#include "studies/energy/part.hpp"

namespace whorl::studies::energy {

namespace {

constexpr int most_multiprocessors = 4096;

// A block stays for a while, so that those of one launch need all multiprocessors that they may have.
__global__ void mark_multiprocessor(int* __restrict__ seen) {
  unsigned id = 0;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  if (id < most_multiprocessors) seen[id] = 1;
  __nanosleep(20000);
}

void mark_all(const Context& ctx, ArrayRef<int> seen) {
  constexpr unsigned blocks_each = 64;  // twice as many as a multiprocessor holds
  const auto blocks = blocks_each * static_cast<unsigned>(multiprocessors_of(ctx));
  mark_multiprocessor<<<blocks, 32, 0, backend::cuda::stream_of(ctx)>>>(seen.data());
  backend::cuda::check_launch("mark_multiprocessor");
}

int count_seen(const Context& ctx, ArrayRef<int> seen) {
  const Array<int> here = to_host(ctx, ArrayRef<const int>(seen));
  return std::accumulate(here.data(), here.data() + here.size(), 0);
}

}  // namespace

SeenMultiprocessors multiprocessors_seen(const Context& ctx) {
  Array<int> seen = zeros<int>(ctx, {most_multiprocessors});
  SeenMultiprocessors result;
  mark_all(ctx, seen);
  result.in_stream = count_seen(ctx, seen);
  // The second run is recorded, the third repeats the record.
  const std::function<void()> repeated = kernels::make_repeatable(ctx, [&] { mark_all(ctx, seen); });
  repeated();
  fill<int>(ctx, seen, 0);
  repeated();
  repeated();
  result.in_graph = count_seen(ctx, seen);
  return result;
}

}  // namespace whorl::studies::energy
