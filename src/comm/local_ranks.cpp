#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "whorl/comm/world.hpp"

namespace whorl {

namespace {

// Where a process runs.
struct Place {
  std::array<char, 64> machine{};
  cpu_set_t cores{};
};

Place own_place() {
  Place place;
  static_cast<void>(::gethostname(place.machine.data(), place.machine.size() - 1));
  CPU_ZERO(&place.cores);
  static_cast<void>(::sched_getaffinity(0, sizeof(place.cores), &place.cores));
  return place;
}

bool on_one_machine(const Place& a, const Place& b) { return a.machine == b.machine; }

}  // namespace

LocalRanks local_ranks(Communicator& ranks) {
  const Place own = own_place();
  std::vector<Place> all(static_cast<std::size_t>(ranks.size()));
  const auto found = ranks.gather(std::as_bytes(std::span(&own, 1)), 0);
  for (std::size_t i = 0; i < found.size(); ++i) std::memcpy(&all[i], found[i].data(), sizeof(Place));
  ranks.broadcast(std::as_writable_bytes(std::span(all)), 0);
  LocalRanks here{.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN))};
  here.size = 0;
  int sharing = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!on_one_machine(all[i], own)) continue;
    if (static_cast<int>(i) < ranks.rank()) ++here.rank;
    ++here.size;
    if (CPU_EQUAL(&all[i].cores, &own.cores) != 0) ++sharing;
  }
  here.threads = std::max(1, CPU_COUNT(&own.cores) / std::max(1, sharing));
  return here;
}

}  // namespace whorl
