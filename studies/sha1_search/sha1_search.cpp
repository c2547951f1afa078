#include "studies/sha1_search/sha1_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/timing.hpp"
#include "studies/ladder.hpp"
#include "studies/sha1_search/prediction.hpp"
#include "studies/sha1_search/search.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {

namespace {

using namespace sha1_search;

constexpr double per_ms = 1e-3;
constexpr double mega = 1e6;

struct Options {
  std::string alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  Index length = 5;
  std::string digest{};
};

class Sha1Search final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Options> table =
        OptionTable<Options>("sha1_search")
            .text("alphabet", &Options::alphabet, "Letters of the strings, each once, printable ASCII")
            .integer("length", &Options::length, {1, most_letters}, "", "Letters of a string")
            .text("digest", &Options::digest,
                  "The SHA-1 to search for, 40 hexadecimal digits (default: that of a string near the end)");
    return {&options_, &table};
  }

  Results run(const Context& ctx) override {
    const Space space(options_.alphabet, options_.length, least_fronts(ctx));
    const Index near_end = space.count() - 1 - space.count() / 1000;
    const std::string hidden = space.string_at(near_end);
    const Digest digest = options_.digest.empty() ? textbook_sha1(hidden) : digest_from_hex(options_.digest);

    Results results;
    results.parameters = {{"alphabet", options_.alphabet},
                          {"length", static_cast<double>(options_.length)},
                          {"strings", static_cast<double>(space.count())},
                          {"digest", to_hex(digest)}};
    const Ladder ladder = ladder_of(ctx, space);
    const std::vector<StepTime> times = climb(ctx, ladder);
    results.tables.push_back(ladder_table(ladder, times, device_limits(ctx)));
    add_picture(results, [&] { return ladder_picture(ctx.device(), ladder, times); });

    double one_thread = times.front().ms * per_ms;
    if (ctx.device().kind == DeviceKind::cuda) one_thread = seconds_of_one_thread(ctx.host(), space);
    results.tables.push_back(rate_table(ladder, times, static_cast<double>(space.count()), one_thread));
    results.tables.push_back(prediction_table({one_thread, seconds_without_strings(ctx, space)}));
    results.tables.push_back(answer_table(ctx, space, digest, results));
    const double most = ctx.device().kind == DeviceKind::cuda ? most_on_gpu : most_on_cpu;
    if (static_cast<double>(space.count()) <= most) {
      results.tables.push_back(lengths_table(ctx, options_.alphabet, options_.length));
    } else {
      results.notes.push_back(fmt::format("All lengths up to {}: not searched, it would take long.", options_.length));
    }
    results.notes.emplace_back(about_flops);
    results.notes.emplace_back("The library hashes nothing: the ladder ends with the fastest search of this study.");
    return results;
  }

  Results run_step(const Context& ctx, const std::string& /*ladder*/, const std::string& step) override {
    const Space space(options_.alphabet, options_.length, least_fronts(ctx));
    const Ladder ladder = one_step(ladder_of(ctx, space), step);
    Results results;
    add_ladder(ctx, ladder, device_limits(ctx), results);
    results.notes.emplace_back(about_flops);
    return results;
  }

 private:
  static constexpr const char* about_flops =
      "Flop/s are operations on integers here; limits are those of multiply-adds of float.";

  // Strings of some seconds.
  static constexpr double most_on_cpu = 1e9;
  static constexpr double most_on_gpu = 1e11;

  /// Times of all strings by the first step on one thread of the host.
  static double seconds_of_one_thread(const Context& host, const Space& space) {
    const Part part = last_part(space, strings_at_first);
    const auto work = [&] { one_by_one(host, {space, {}, part.first, space.rests()}); };
    return bench::time_work(host, bench::Effort::brief, work).median_ms * per_ms / part.share;
  }

  static double seconds_without_strings(const Context& ctx, const Space& space) {
    const SearchStep step = steps_for(ctx).back();
    const auto work = [&] { step.run(ctx, {space, {}, space.rests() - 1, space.rests()}); };
    return bench::time_work(ctx, bench::Effort::brief, work).median_ms * per_ms;
  }

  static Table rate_table(const Ladder& ladder, const std::vector<StepTime>& times, double strings, double one_thread) {
    Table table{"rates",
                "Strings per second",
                {"step", "million/s", "x one thread", "published at most"},
                {{"published, under a profiler", published_strings / published_seconds / mega, {}, {}},
                 {"one thread of this CPU, one by one", strings / one_thread / mega, 1.0, {}}}};
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double seconds = times[i].ms * per_ms;
      table.rows.push_back({ladder.steps[i].name, strings / seconds / mega, one_thread / seconds, {}});
    }
    table.rows.back()[3] = published_limit;
    return table;
  }

  static Table answer_table(const Context& ctx, const Space& space, const Digest& digest, Results& results) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = search_all(ctx, space, digest);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string found = outcome.found < 0 ? "" : space.string_at(outcome.found);
    if (outcome.found < 0) {
      results.notes.push_back(
          fmt::format("Not found: none of the {} strings has the digest {}.", outcome.tried, to_hex(digest)));
    } else {
      results.notes.push_back(fmt::format("Found: '{}' has the digest {}.", found, to_hex(digest)));
    }
    return {"search",
            "The search for the digest, from the first string on",
            {"string", "tried", "seconds", "million/s"},
            {{outcome.found < 0 ? Cell() : Cell(found), static_cast<double>(outcome.tried), seconds,
              static_cast<double>(outcome.tried) / seconds / mega}}};
  }

  Options options_;
};

constexpr const char* text =
    R"(All strings of a length over an alphabet are hashed with SHA-1 (FIPS 180-4) until one has the digest. A team of the
course GPU610 profiled such a search, took all but the innermost function for serial, and set it aside: 6.0 times was
all that Amdahl's law left. Here the steps of a ladder search the last part of the strings, each by a kernel of its own,
all of which must find the string that is hidden there and count every string; then the digest is searched for by the
last of them, and all strings of every length up to it are hashed: 387,659,012 of 1 to 5 letters, as the team timed. Letters are bytes of printable ASCII; string i has the digits of i as letters, the first one lowest.
Examples:
  whorl study sha1_search
  whorl study sha1_search --device cuda -o results
  whorl study sha1_search --alphabet 0123456789 --length 7 --digest 20eabe5d64b0e216796e834f52d61fd0b70332fc
                                        which seven digits have this digest: 1234567)";

}  // namespace

Study sha1_search_study() {
  return {"sha1_search", "All strings of a length against a SHA-1 digest: what a search gains from many cores", text,
          [] { return std::unique_ptr<Experiment>(std::make_unique<Sha1Search>()); }};
}

}  // namespace whorl::studies
