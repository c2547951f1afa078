#include "whorl/comm/agree.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

namespace whorl {

namespace {

// What a rank says of its failure: a letter for its kind, the name of its machine, a line end, the message.
constexpr char failed = 'f';
constexpr char cancelled = 'c';
constexpr char follows = 'x';  // of another rank's failure

std::string machine_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

std::string report(char kind, std::string_view message) { return kind + machine_name() + '\n' + std::string(message); }

std::string failure_of(Communicator& ranks, const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const RanksFailed& error) {
    if (error.is_known_to(ranks)) throw;
    return report(error.is_cancelled() ? cancelled : failed, error.what());
  } catch (const AnotherRankFailed& error) {
    return report(follows, error.what());
  } catch (const Cancelled& error) {
    return report(cancelled, error.what());
  } catch (const std::bad_alloc&) {
    return report(failed, "out of memory; use a smaller scan or image, or a machine with more memory");
  } catch (const std::exception& error) {
    return report(failed, error.what());
  }
}

struct Report {
  int rank;
  char kind;
  std::string machine;
  std::string message;
};

Report parse(int rank, const std::vector<std::byte>& bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t end = text.find('\n');
  return {rank, text[0], std::string(text.substr(1, end - 1)), std::string(text.substr(end + 1))};
}

// The kind and the message that all ranks throw; empty: no rank failed.
std::string verdict(const std::vector<std::vector<std::byte>>& said) {
  std::vector<Report> reports;
  for (std::size_t rank = 0; rank < said.size(); ++rank) {
    if (!said[rank].empty()) reports.push_back(parse(static_cast<int>(rank), said[rank]));
  }
  if (reports.empty()) return {};
  // A failure says more than the request to stop that it may have caused.
  const auto weight = [](const Report& of) { return of.kind == failed ? 0 : of.kind == cancelled ? 1 : 2; };
  const Report& first = *std::min_element(reports.begin(), reports.end(),
                                          [&](const Report& a, const Report& b) { return weight(a) < weight(b); });
  const bool all_alike =
      reports.size() == said.size() &&
      std::all_of(reports.begin(), reports.end(), [&](const Report& of) { return of.message == first.message; });
  if (all_alike || first.kind == cancelled) return first.kind + first.message;
  return first.kind + fmt::format("rank {} on {}: {}", first.rank, first.machine, first.message);
}

}  // namespace

void agree(Communicator& ranks, const std::function<void()>& work) {
  if (ranks.size() == 1) return work();
  const std::string own = failure_of(ranks, work);
  const auto said = ranks.gather(std::as_bytes(std::span(own)), 0);
  const std::string found = broadcast_text(ranks, ranks.rank() == 0 ? verdict(said) : std::string(), 0);
  if (!found.empty()) throw RanksFailed(found.substr(1), &ranks, found[0] == cancelled);
}

void agree_within(Communicator& ranks, const std::function<void()>& work) {
  if (ranks.size() == 1) return work();
  std::exception_ptr own;
  try {
    work();
  } catch (...) {
    own = std::current_exception();
  }
  const bool any = any_of(ranks, own != nullptr);
  if (own != nullptr) std::rethrow_exception(own);
  if (any) throw AnotherRankFailed();
}

}  // namespace whorl
