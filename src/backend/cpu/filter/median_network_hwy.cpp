#include "backend/cpu/filter/median_network.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/filter/median_network_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most 64 bytes; two of them per comparator pay for reading it.
template <class Key>
using KeyTag = hn::CappedTag<Key, 64 / sizeof(Key)>;

template <class Key>
struct Pair {
  hn::Vec<KeyTag<Key>> first, second;
};

template <class Key>
HWY_INLINE Pair<Key> load(const char* from) {
  const KeyTag<Key> d;
  const Key* at = reinterpret_cast<const Key*>(from);
  return {hn::LoadU(d, at), hn::LoadU(d, at + hn::Lanes(d))};
}

template <class Key>
HWY_INLINE void store(const Pair<Key>& value, char* to) {
  const KeyTag<Key> d;
  Key* at = reinterpret_cast<Key*>(to);
  hn::StoreU(value.first, d, at);
  hn::StoreU(value.second, d, at + hn::Lanes(d));
}

template <class Key>
HWY_INLINE Pair<Key> low(const Pair<Key>& a, const Pair<Key>& b) {
  return {hn::Min(a.first, b.first), hn::Min(a.second, b.second)};
}

template <class Key>
HWY_INLINE Pair<Key> high(const Pair<Key>& a, const Pair<Key>& b) {
  return {hn::Max(a.first, b.first), hn::Max(a.second, b.second)};
}

template <class Key>
HWY_INLINE void run(const ComparatorRun& run, char* at) {
  switch (run.kind) {
    case Compare::both:
      for (const Comparator& c : run.comparators) {
        const Pair<Key> a = load<Key>(at + c.a);
        const Pair<Key> b = load<Key>(at + c.b);
        store<Key>(low<Key>(a, b), at + c.low);
        store<Key>(high<Key>(a, b), at + c.high);
      }
      break;
    case Compare::low:
      for (const Comparator& c : run.comparators) {
        store<Key>(low<Key>(load<Key>(at + c.a), load<Key>(at + c.b)), at + c.low);
      }
      break;
    case Compare::high:
      for (const Comparator& c : run.comparators) {
        store<Key>(high<Key>(load<Key>(at + c.a), load<Key>(at + c.b)), at + c.high);
      }
      break;
    default: {
      const Comparator& first = run.comparators.front();
      Pair<Key> smallest = high<Key>(load<Key>(at + first.a), load<Key>(at + first.b));
      for (const Comparator& c : run.comparators) {
        smallest = low<Key>(smallest, high<Key>(load<Key>(at + c.a), load<Key>(at + c.b)));
      }
      store<Key>(smallest, at + first.low);
    }
  }
}

template <class Key>
void run_stages(const MedianNetwork& network, Key* memory) {
  const auto step = static_cast<Index>(2 * hn::Lanes(KeyTag<Key>()) * sizeof(Key));
  char* start = reinterpret_cast<char*>(memory);
  for (const NetworkStage& stage : network.stages) {
    for (Index at = 0; at < stage.bytes; at += step) {
      for (const ComparatorRun& comparators : stage.runs) run<Key>(comparators, start + at);
    }
  }
}

void run_bytes(const MedianNetwork& network, std::uint8_t* memory) { run_stages(network, memory); }
void run_words(const MedianNetwork& network, std::uint16_t* memory) { run_stages(network, memory); }
void run_integers(const MedianNetwork& network, std::int32_t* memory) { run_stages(network, memory); }

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(run_bytes);
HWY_EXPORT(run_words);
HWY_EXPORT(run_integers);

template <>
void run_network(const MedianNetwork& network, std::uint8_t* memory) {
  HWY_DYNAMIC_DISPATCH(run_bytes)(network, memory);
}

template <>
void run_network(const MedianNetwork& network, std::uint16_t* memory) {
  HWY_DYNAMIC_DISPATCH(run_words)(network, memory);
}

template <>
void run_network(const MedianNetwork& network, std::int32_t* memory) {
  HWY_DYNAMIC_DISPATCH(run_integers)(network, memory);
}

}  // namespace whorl::backend::cpu
#endif
