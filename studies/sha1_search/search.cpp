#include "studies/sha1_search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "studies/sha1_search/prediction.hpp"

namespace whorl::studies::sha1_search {

namespace {

// As the standard defines it, with choose, parity and majority as in sha1.hpp: 80 steps of two rotations, four
// additions and 3, 2, 4 or 2 operations of the function; 64 words of three exclusive or and a rotation; five additions.
constexpr double operations_per_string = 80 * 6 + 20 * (3 + 2 + 4 + 2) + 64 * 4 + 5;

double strings_of_step(const Context& ctx, std::size_t step) {
  constexpr double on_gpu = 4e9;
  constexpr double later = 4;
  if (ctx.device().kind == DeviceKind::cuda) return on_gpu;
  return step == 0 ? strings_at_first : strings_at_first * later;
}

}  // namespace

Part last_part(const Space& space, double strings) {
  const double rests =
      std::clamp(std::round(strings / static_cast<double>(space.fronts())), 1.0, static_cast<double>(space.rests()));
  const auto count = static_cast<Index>(rests);
  return {space.rests() - count, rests / static_cast<double>(space.rests())};
}

Ladder ladder_of(const Context& ctx, const Space& space) {
  const auto count = static_cast<double>(space.count());
  Ladder ladder{.name = "ladder",
                .title = fmt::format("SHA-1 of {}^{} strings", space.letters(), space.length()),
                .error = "missed",
                .bytes = 0,
                .flops = count * operations_per_string};
  const std::vector<SearchStep> steps = steps_for(ctx);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Part part = last_part(space, strings_of_step(ctx, i));
    const Index expected = (space.rests() - part.first) * space.fronts();
    const Index hidden = space.count() - 1 - expected / 1000;
    const auto outcome = std::make_shared<Outcome>();
    const Search search{space, textbook_sha1(space.string_at(hidden)), part.first, space.rests()};
    ladder.steps.push_back({.name = steps[i].name,
                            .run = [ctx, search, outcome, step = steps[i]] { *outcome = step.run(ctx, search); },
                            .error =
                                [=] {
                                  const Index missed =
                                      std::abs(expected - outcome->tried) + (outcome->found == hidden ? 0 : 1);
                                  return static_cast<double>(missed);
                                },
                            .share = part.share});
  }
  if (!ladder.steps.empty()) ladder.steps.back().published = {"sha1_search", "at most 6.0 x one thread"};
  return ladder;
}

Table lengths_table(const Context& ctx, const std::string& alphabet, Index length) {
  Table table{"lengths",
              "All strings of each length, for a digest that none has",
              {"letters", "strings", "hashed", "seconds", "million/s", "published seconds"},
              {}};
  // 160 zeros are the digest of no string that is known.
  const Digest nobodys{};
  constexpr double mega = 1e6;
  double strings = 0;
  double hashed = 0;
  double seconds = 0;
  for (Index letters = 1; letters <= length; ++letters) {
    const Space space(alphabet, letters, least_fronts(ctx));
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = search_all(ctx, space, nobodys);
    const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto tried = static_cast<double>(outcome.tried);
    const auto count = static_cast<double>(space.count());
    table.rows.push_back({static_cast<double>(letters), count, tried, here, tried / here / mega, {}});
    strings += count;
    hashed += tried;
    seconds += here;
  }
  const bool as_published = strings == published_strings;
  table.rows.push_back({fmt::format("1 to {}", length), strings, hashed, seconds, hashed / seconds / mega,
                        as_published ? Cell(published_seconds) : Cell()});
  return table;
}

Outcome search_all(const Context& ctx, const Space& space, const Digest& digest) {
  const SearchStep step = steps_for(ctx).back();
  // A tenth of a second between two checks for cancellation.
  constexpr Index on_cpu = Index{1} << 24;
  constexpr Index on_gpu = Index{1} << 32;
  const Index strings = ctx.device().kind == DeviceKind::cuda ? on_gpu : on_cpu;
  const Index rests = std::max<Index>(strings / space.fronts(), 1);
  ProgressStage progress(ctx, "search", space.rests() / rests + 1);
  Outcome all;
  for (Index from = 0; from < space.rests() && all.found < 0; from += rests) {
    const Outcome part = step.run(ctx, {space, digest, from, std::min(from + rests, space.rests())});
    all = {all.tried + part.tried, part.found};
    progress.advance();
  }
  return all;
}

}  // namespace whorl::studies::sha1_search
