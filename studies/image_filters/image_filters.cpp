#include "studies/image_filters/image_filters.hpp"

#include <fmt/format.h>

#include "studies/image_filters/banks.hpp"
#include "studies/image_filters/filter_ladder.hpp"
#include "studies/image_filters/plates/plates.hpp"
#include "studies/image_filters/profile.hpp"

namespace whorl::studies {

namespace {

using namespace image_filters;

constexpr Index size_on_gpu = 4096;
constexpr Index size_on_cpu = 2048;

class ImageFilters final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<ImageFilters> table =
        OptionTable<ImageFilters>("image_filters")
            .integer("size", &ImageFilters::size_, {0, 16384}, "",
                     "Rows and columns of the large picture, 32 or more (0: 4096 on a GPU, 2048 on a CPU)")
            .text("filter", &ImageFilters::filter_, "Run one ladder alone, by the name of its table (default: all)");
    return {this, &table};
  }

  Results run(const Context& ctx) override {
    const Index size = size_on(ctx);
    const std::vector<Subject> subjects = subjects_of(filter_);
    const DeviceLimits limits = device_limits(ctx);
    Results results;
    results.parameters = {{"size", static_cast<double>(size)},
                          {"small_height", static_cast<double>(small_height(size))},
                          {"small_width", static_cast<double>(small_width(size))},
                          {"memory_bytes_per_s", limits.bytes_per_s},
                          {"flops", limits.flops}};
    Table summary = empty_summary(size);
    for (const Subject& subject : subjects) add_filter(ctx, subject, size, limits, results, summary);
    results.tables.push_back(profile_table(summary));
    results.tables.push_back(std::move(summary));
    results.tables.push_back(sizes_table(ctx, subjects, size));
    if (filter_.empty()) results.tables.push_back(plates_table(ctx, size));
    if (ctx.device().kind == DeviceKind::cuda) results.tables.push_back(banks_table(ctx, size));
    results.notes.emplace_back(
        "Published: a profile of one thread with counters in every call, for a picture of 656,096 pixels, and words; "
        "GeForce GTX 750 Ti");
    return results;
  }

  Results run_step(const Context& ctx, const std::string& ladder, const std::string& step) override {
    Results results;
    add_filter_step(ctx, subjects_of(ladder).front(), size_on(ctx), step, results);
    return results;
  }

 private:
  Index size_on(const Context& ctx) const {
    Index size = size_;
    if (size == 0) size = ctx.device().kind == DeviceKind::cuda ? size_on_gpu : size_on_cpu;
    if (size < least_size) {
      throw ValueError(fmt::format("image_filters: a size of {} pixels, expected {} or more", size, least_size));
    }
    return size;
  }

  /// All, or the one of that name.
  static std::vector<Subject> subjects_of(const std::string& filter) {
    std::vector<Subject> subjects = all_subjects();
    if (filter.empty()) return subjects;
    std::string names;
    for (const Subject& subject : subjects) names += " " + subject.name;
    std::erase_if(subjects, [&](const Subject& subject) { return subject.name != filter; });
    if (subjects.empty()) {
      throw ValueError(fmt::format("image_filters: --filter '{}', expected one of{}", filter, names));
    }
    return subjects;
  }

  static constexpr Index least_size = 32;  // a window of 31 pixels reaches once around the torus at most

  Index size_ = 0;
  std::string filter_;
};

constexpr const char* text =
    R"(The image program that Team Eh sped up on a GPU (project report, course GPU610): each of its filters by the first version,
by each optimization that the report tells of (float for double, a padded picture for tests of edges, weights in constant
memory, a table for branches, divisions for branches, fewer loads), by what it did not try, and by the library, on an RGB
picture of 808 x 812 pixels, as large as the report's, and on a large one (a smaller --size holds for both). Errors are against double precision.
Steps of a CPU that take long run for a part of the rows. Further tables: all filters over the size of the picture, which
the report calls constant in time, the search for the shifts of three plates (align), and on a GPU the report's two layouts of a pixel in shared memory, four bytes or four words.
Examples:
  whorl study image_filters
  whorl study image_filters --device cuda -o results
  whorl study image_filters --filter gaussian --size 1024 --threads 1)";

}  // namespace

Study image_filters_study() {
  return {"image_filters", "The steps by which a course's image filters became fast, on a CPU and on a GPU", text,
          [] { return std::unique_ptr<Experiment>(std::make_unique<ImageFilters>()); }};
}

}  // namespace whorl::studies
