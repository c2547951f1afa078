#include "whorl/comm/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "comm/mpi_calls.hpp"
#include "kernels/modules.hpp"
#include "whorl/core/error.hpp"

#ifndef WHORL_MPI_MODULE
#define WHORL_MPI_MODULE nullptr
#endif

namespace whorl {

namespace {

using comm::MpiCalls;

// MPI as long as somebody uses it.
class Mpi {
 public:
  explicit Mpi(const MpiCalls& calls) : calls_(calls), world_(calls.start()) {
    if (world_ == nullptr) throw Unsupported("MPI: MPI_Init failed in this process; see the lines of MPI above");
  }
  ~Mpi() {
    calls_.release(world_);
    calls_.finish();
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  const MpiCalls& calls() const { return calls_; }
  void* world() const { return world_; }

 private:
  const MpiCalls& calls_;
  void* world_;
};

class MpiRanks final : public Communicator {
 public:
  using Communicator::broadcast;
  using Communicator::sum;

  // The group of a handle, which it releases unless it is MPI's own.
  MpiRanks(std::shared_ptr<const Mpi> mpi, void* group)
      : mpi_(std::move(mpi)), group_(group), rank_(calls().rank(group)), size_(calls().size(group)) {}
  ~MpiRanks() override {
    if (group_ != mpi_->world()) calls().release(group_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string transport() const override { return "MPI"; }

  void broadcast(std::span<std::byte> bytes, int root) override {
    calls().broadcast(group_, bytes.data(), bytes.size(), root);
  }

  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int root) override {
    const bool is_root = rank_ == root;
    std::vector<std::size_t> sizes(is_root ? static_cast<std::size_t>(size_) : 0);
    calls().gather_sizes(group_, bytes.size(), sizes.data(), root);
    std::vector<std::vector<std::byte>> all(sizes.size());
    if (!is_root && !bytes.empty()) calls().send(group_, bytes.data(), bytes.size(), root);
    for (std::size_t from = 0; from < sizes.size(); ++from) {
      all[from].resize(sizes[from]);
      if (static_cast<int>(from) == root) {
        all[from].assign(bytes.begin(), bytes.end());
      } else if (sizes[from] > 0) {
        calls().receive(group_, all[from].data(), sizes[from], static_cast<int>(from));
      }
    }
    return all;
  }

  void scatter(std::span<const std::span<const std::byte>> parts, std::span<std::byte> own, int root) override {
    if (rank_ != root) {
      if (!own.empty()) calls().receive(group_, own.data(), own.size(), root);
      return;
    }
    for (int to = 0; to < size_; ++to) {
      const std::span<const std::byte> part = parts[static_cast<std::size_t>(to)];
      if (to == root) {
        std::copy(part.begin(), part.end(), own.begin());
      } else if (!part.empty()) {
        calls().send(group_, part.data(), part.size(), to);
      }
    }
  }

  void sum(std::span<float> values, int root) override { calls().sum(group_, values.data(), values.size(), root); }

  std::shared_ptr<Communicator> split(int color) override {
    return std::make_shared<MpiRanks>(mpi_, calls().split(group_, color, rank_));
  }

  void abort(int exit_code) noexcept override { calls().abort(exit_code); }

 private:
  const MpiCalls& calls() const { return mpi_->calls(); }

  std::shared_ptr<const Mpi> mpi_;
  void* group_;
  int rank_;
  int size_;
};

int number_in(const char* variable) {
  const char* text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
  if (text == nullptr) return 0;
  const std::string_view all(text);
  int number = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
  return error == std::errc() && end == all.data() + all.size() ? number : 0;
}

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
}

const MpiCalls& load_mpi(int processes) {
  const char* const file = WHORL_MPI_MODULE;
  const auto refuse = [&](const std::string& why) {
    throw Unsupported(
        fmt::format("{} processes were started together, but {}; start one process, or install MPI (Debian: "
                    "libopenmpi3) and a whorl that was built with it (libopenmpi-dev)",
                    processes, why));
  };
  if (file == nullptr) refuse("this build of whorl has no MPI");
  static const char here = 0;
  const kernels::Loaded loaded = kernels::load_module({file, comm::mpi_entry, nullptr, &here});
  if (loaded.entry == nullptr) refuse(fmt::format("MPI can not be loaded: {}", loaded.why_not));
  const MpiCalls* calls = reinterpret_cast<const MpiCalls* (*)()>(loaded.entry)();
  if (calls->version != comm::mpi_calls_version) refuse(fmt::format("the module {} is that of another whorl", file));
  return *calls;
}

}  // namespace

int launched_processes() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const int size = number_in(variable); size > 0) return size;
  }
  // PMIx names the rank alone; srun, which starts processes by it, has the number of tasks of a step.
  if (is_set("PMIX_RANK")) {
    if (const int size = number_in("SLURM_STEP_NUM_TASKS"); size > 0) return size;
  }
  return 1;
}

std::shared_ptr<Communicator> world() {
  const int processes = launched_processes();
  if (processes == 1) return alone();
  const auto mpi = std::make_shared<const Mpi>(load_mpi(processes));
  return std::make_shared<MpiRanks>(mpi, mpi->world());
}

}  // namespace whorl
