#include "whorl/comm/communicator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace whorl {

namespace {

std::span<float> floats_of(ArrayRef<std::complex<float>> array) {
  return {reinterpret_cast<float*>(array.data()), 2 * static_cast<std::size_t>(array.size())};
}

// Work on a copy on the host where the array is on a GPU.
template <class Work>
void on_host(const Context& ctx, ArrayRef<std::complex<float>> array, const Work& work) {
  if (array.device().kind == DeviceKind::cpu) return work(array);
  Array<std::complex<float>> here = to_host<const std::complex<float>>(ctx, array);
  work(here.ref());
  copy<std::complex<float>>(ctx, here, array);
  ctx.synchronize();  // the copy on the host goes
}

class Alone final : public Communicator {
 public:
  using Communicator::broadcast;
  using Communicator::sum;

  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string transport() const override { return "one process"; }
  void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) override {}
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int /*root*/) override {
    return {{bytes.begin(), bytes.end()}};
  }
  void scatter(std::span<const std::span<const std::byte>> parts, std::span<std::byte> own, int /*root*/) override {
    std::copy(parts.front().begin(), parts.front().end(), own.begin());
  }
  void sum(std::span<float> /*values*/, int /*root*/) override {}
  void broadcast(const Context& /*ctx*/, ArrayRef<std::complex<float>> /*array*/, int /*root*/) override {}
  void sum(const Context& /*ctx*/, ArrayRef<std::complex<float>> /*array*/, int /*root*/) override {}
  std::shared_ptr<Communicator> split(int /*color*/) override { return alone(); }
  void abort(int /*exit_code*/) noexcept override {}
};

}  // namespace

void Communicator::broadcast(const Context& ctx, ArrayRef<std::complex<float>> array, int root) {
  on_host(ctx, array,
          [&](ArrayRef<std::complex<float>> here) { broadcast(std::as_writable_bytes(floats_of(here)), root); });
}

void Communicator::sum(const Context& ctx, ArrayRef<std::complex<float>> array, int root) {
  on_host(ctx, array, [&](ArrayRef<std::complex<float>> here) { sum(floats_of(here), root); });
}

std::shared_ptr<Communicator> alone() { return std::make_shared<Alone>(); }

std::string broadcast_text(Communicator& ranks, std::string text, int root) {
  std::uint64_t length = text.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  text.resize(length);
  if (length > 0) ranks.broadcast(std::as_writable_bytes(std::span(text)), root);
  return text;
}

void take_largest(Communicator& ranks, std::span<double> values) {
  const std::vector<double> own(values.begin(), values.end());
  for (const auto& bytes : ranks.gather(std::as_bytes(std::span(own)), 0)) {
    std::vector<double> there(values.size());
    std::memcpy(there.data(), bytes.data(), values.size_bytes());
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (there[i] > values[i] || std::isnan(there[i])) values[i] = there[i];
    }
  }
  ranks.broadcast(std::as_writable_bytes(values), 0);
}

bool any_of(Communicator& ranks, bool here) {
  double said = here ? 1 : 0;
  take_largest(ranks, std::span(&said, 1));
  return said > 0;
}

}  // namespace whorl
