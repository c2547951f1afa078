#include "whorl/comm/nccl.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "comm/nccl_calls.hpp"
#include "kernels/modules.hpp"
#include "whorl/core/error.hpp"

#ifndef WHORL_NCCL_MODULE
#define WHORL_NCCL_MODULE nullptr
#endif

namespace whorl {

namespace {

using comm::NcclCalls;

void check(const char* failure, const char* what) {
  if (failure != nullptr) throw DeviceError(fmt::format("NCCL: {} failed: {}", what, failure));
}

class NcclRanks final : public Communicator {
 public:
  NcclRanks(std::shared_ptr<Communicator> base, Context ctx, const NcclCalls& calls, void* group)
      : base_(std::move(base)), ctx_(std::move(ctx)), calls_(calls), group_(group) {}
  ~NcclRanks() override { calls_.leave(group_); }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;

  int rank() const override { return base_->rank(); }
  int size() const override { return base_->size(); }
  std::string transport() const override { return base_->transport() + " and NCCL"; }
  void broadcast(std::span<std::byte> bytes, int root) override { base_->broadcast(bytes, root); }
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int root) override {
    return base_->gather(bytes, root);
  }
  void scatter(std::span<const std::span<const std::byte>> parts, std::span<std::byte> own, int root) override {
    base_->scatter(parts, own, root);
  }
  void sum(std::span<float> values, int root) override { base_->sum(values, root); }
  std::shared_ptr<Communicator> split(int color) override { return with_nccl(base_->split(color), ctx_).ranks; }
  void abort(int exit_code) noexcept override { base_->abort(exit_code); }

  void broadcast(const Context& ctx, ArrayRef<std::complex<float>> array, int root) override {
    if (array.device().kind == DeviceKind::cpu) return base_->broadcast(ctx, array, root);
    check(calls_.broadcast(group_, floats(array), 2 * static_cast<std::size_t>(array.size()), root, ctx.stream()),
          "a broadcast");
  }
  void sum(const Context& ctx, ArrayRef<std::complex<float>> array, int root) override {
    if (array.device().kind == DeviceKind::cpu) return base_->sum(ctx, array, root);
    check(calls_.sum(group_, floats(array), 2 * static_cast<std::size_t>(array.size()), root, ctx.stream()), "a sum");
  }

 private:
  static float* floats(ArrayRef<std::complex<float>> array) { return reinterpret_cast<float*>(array.data()); }

  std::shared_ptr<Communicator> base_;
  Context ctx_;
  const NcclCalls& calls_;
  void* group_;
};

// What a rank says of itself: "+MACHINE GPU", or "-" and why it has no NCCL.
constexpr char ready = '+';
constexpr char not_ready = '-';

const NcclCalls* load_nccl(std::string& why_not) {
  const char* const file = WHORL_NCCL_MODULE;
  if (file == nullptr) {
    why_not = "this build of whorl has no NCCL";
    return nullptr;
  }
  static const char here = 0;
  const kernels::Loaded loaded = kernels::load_module({file, comm::nccl_entry, nullptr, &here});
  if (loaded.entry == nullptr) {
    why_not = loaded.why_not;
    return nullptr;
  }
  const NcclCalls* calls = reinterpret_cast<const NcclCalls* (*)()>(loaded.entry)();
  if (calls->version != comm::nccl_calls_version) {
    why_not = fmt::format("the module {} is that of another whorl", file);
  } else if (const char* failure = calls->load(); failure != nullptr) {
    why_not = failure;
  } else {
    return calls;
  }
  return nullptr;
}

std::string introduce(const Context& ctx, const NcclCalls*& calls) {
  if (ctx.device().kind != DeviceKind::cuda) return not_ready + std::string("a rank computes on the CPU");
  std::string why_not;
  calls = load_nccl(why_not);
  if (calls == nullptr) return not_ready + why_not;
  std::array<char, 64> bus{};
  std::array<char, 256> machine{};
  if (const char* failure = calls->bus_name(ctx.device().index, bus.data(), bus.size()); failure != nullptr) {
    return not_ready + std::string(failure);
  }
  static_cast<void>(::gethostname(machine.data(), machine.size() - 1));
  return ready + std::string(machine.data()) + " " + bus.data();
}

// Why the ranks do not use NCCL; empty: they do.
std::string objection(const std::vector<std::vector<std::byte>>& said) {
  std::vector<std::string> all;
  for (const auto& bytes : said) all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto refusing =
      std::find_if(all.begin(), all.end(), [](const std::string& one) { return one[0] == not_ready; });
  if (refusing != all.end()) return refusing->substr(1);
  std::sort(all.begin(), all.end());
  const auto same = std::adjacent_find(all.begin(), all.end());
  return same == all.end() ? std::string() : "two ranks share the GPU " + same->substr(1);
}

// The first failure of the ranks, on all of them.
std::string first_failure(Communicator& ranks, const std::string& own) {
  std::string first;
  for (const auto& bytes : ranks.gather(std::as_bytes(std::span(own)), 0)) {
    if (first.empty()) first.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return broadcast_text(ranks, first, 0);
}

}  // namespace

DeviceRanks with_nccl(std::shared_ptr<Communicator> ranks, const Context& ctx) {
  if (ranks->size() == 1) return {std::move(ranks), {}};
  const NcclCalls* calls = nullptr;
  const std::string own = introduce(ctx, calls);
  const auto said = ranks->gather(std::as_bytes(std::span(own)), 0);
  const std::string refusal = broadcast_text(*ranks, ranks->rank() == 0 ? objection(said) : std::string(), 0);
  if (!refusal.empty()) return {std::move(ranks), refusal};
  std::array<std::byte, comm::nccl_id_bytes> id{};
  const char* failure = ranks->rank() == 0 ? calls->make_id(id.data()) : nullptr;
  std::string found = first_failure(*ranks, failure == nullptr ? "" : failure);
  if (!found.empty()) return {std::move(ranks), found};
  ranks->broadcast(std::span(id), 0);
  void* group = nullptr;
  failure = calls->join(id.data(), ranks->size(), ranks->rank(), ctx.device().index, &group);
  found = first_failure(*ranks, failure == nullptr ? "" : failure);
  if (found.empty()) return {std::make_shared<NcclRanks>(std::move(ranks), ctx, *calls, group), {}};
  if (failure == nullptr) calls->leave(group);
  return {std::move(ranks), found};
}

}  // namespace whorl
