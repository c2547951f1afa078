// Whole measurements of the fuzzer's corpus with some bytes changed: an answer, or an error of whorl's. What the fuzzer finds in hours
// is not found here; that its targets work is.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/whole/session.hpp"

namespace whorl::serve {
namespace {

std::vector<std::vector<std::byte>> corpus(const std::string& target) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WHORL_FUZZ_CORPUS) / target)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::vector<std::byte>> all;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto bytes = std::as_bytes(std::span(text));
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

// Bytes are changed, left out, or put in twice, as a fuzzer does.
std::vector<std::byte> mutated(std::vector<std::byte> bytes, std::minstd_rand& random) {
  const auto below = [&](std::size_t limit) {
    return static_cast<std::ptrdiff_t>(random() % std::max<std::size_t>(limit, 1));
  };
  for (auto changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const auto place = bytes.begin() + below(bytes.size());
    const auto end = place + std::min<std::ptrdiff_t>(below(40), bytes.end() - place);
    switch (below(4)) {
      case 0:
        *place = static_cast<std::byte>(random() & 0xFFU);
        break;
      case 1:
        *place ^= static_cast<std::byte>(1U << static_cast<unsigned>(below(8)));
        break;
      case 2:
        bytes.erase(place, end);
        break;
      default: {
        const std::vector<std::byte> part(place, end);
        bytes.insert(place, part.begin(), part.end());
      }
    }
  }
  return bytes;
}

template <class Run>
void run_mutated(const std::string& target, const Run& run) {
  std::minstd_rand random(1);  // NOLINT(bugprone-random-generator-seed): the same changes each time
  const auto all = corpus(target);
  ASSERT_GE(all.size(), 4U);
  for (const auto& bytes : all) {
    run(bytes);
    for (int i = 0; i < 40; ++i) run(mutated(bytes, random));
  }
}

TEST(MutatedMeasurements, OfVersionOneAreAnswered) { run_mutated("session", fuzz::answer_session); }
TEST(MutatedMeasurements, OfVersionTwoAreImagesOrErrors) { run_mutated("stream", fuzz::filter_stream); }

}  // namespace
}  // namespace whorl::serve
