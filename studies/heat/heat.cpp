#include "studies/heat/heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "studies/heat/claim.hpp"
#include "studies/heat/ladders.hpp"
#include "studies/heat/orders.hpp"
#include "studies/heat/pictures.hpp"
#include "studies/heat/program.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {

namespace {

using namespace heat;

// As they are in float; an explicit step in a plane is stable up to 1/4.
constexpr double explicit_rate = 0.1875;
constexpr double implicit_rate = 4;

struct Options {
  Index size = 0;
  Index steps = 64;
  std::string method = "both";
};

class Heat final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Options> table =
        OptionTable<Options>("heat")
            .integer("size", &Options::size, {0, most_points}, "",
                     "Points along each axis of the plane (0: 4096 on a GPU, 1024 on a CPU)")
            .integer("steps", &Options::steps, {1, 100000}, "",
                     "Explicit steps in the plane. Implicit ones are a quarter as many; on the line there are 16 times "
                     "as many")
            .text("method", &Options::method, "Which schemes", {"explicit", "implicit", "both"});
    return {&options_, &table};
  }

  Results run(const Context& ctx) override {
    const std::string& method = options_.method;
    Results results;
    results.parameters = {{"size", static_cast<double>(size_on(ctx))},
                          {"steps", static_cast<double>(options_.steps)},
                          {"method", method},
                          {"explicit_rate", explicit_rate},
                          {"implicit_rate", implicit_rate}};
    const DeviceLimits limits = device_limits(ctx);
    if (method != "implicit") {
      const Ladder ladder = explicit_plane(ctx);
      const std::vector<StepTime> times = climb(ctx, ladder);
      results.tables.push_back(ladder_table(ladder, times, limits));
      add_picture(results, [&] { return ladder_picture(ctx.device(), ladder, times); });
      const auto faster = [](const StepTime& a, const StepTime& b) { return a.ms < b.ms; };
      const double least = std::min_element(times.begin(), times.end(), faster)->ms;
      results.tables.push_back(claim_table(times.front().ms / least));
      results.tables.push_back(program_table());
    }
    if (method != "explicit") {
      add_ladder(ctx, implicit_plane(ctx), limits, results);
      add_ladder(ctx, implicit_line(ctx), limits, results);
    }
    results.tables.push_back(space_orders(ctx.host()));
    const Table orders = time_orders(ctx.host());
    add_picture(results, [&] { return line_picture(ctx.host(), orders); });
    results.tables.push_back(orders);
    add_picture(results, [&] { return temperature_picture(ctx); });
    results.notes.emplace_back(about_bytes);
    return results;
  }

  Results run_step(const Context& ctx, const std::string& ladder, const std::string& step) override {
    Ladder all = ladder == "explicit_plane"   ? explicit_plane(ctx)
                 : ladder == "implicit_plane" ? implicit_plane(ctx)
                                              : implicit_line(ctx);
    const Ladder one = one_step(std::move(all), step);
    Results results;
    add_ladder(ctx, one, device_limits(ctx), results);
    results.notes.emplace_back(about_bytes);
    return results;
  }

 private:
  static constexpr const char* about_bytes =
      "GB/s: as if every step read and wrote every point once, as float (on the line double).";

  Index size_on(const Context& ctx) const {
    const Index size = options_.size > 0 ? options_.size : (ctx.device().kind == DeviceKind::cuda ? 4096 : 1024);
    if (size < least_points) {
      throw ValueError(fmt::format("heat: a size of {} points, expected {} or more", size, least_points));
    }
    return size;
  }
  Ladder explicit_plane(const Context& ctx) const {
    return explicit_ladder(
        ctx, {.domain = Domain::torus, .n = size_on(ctx), .rate = explicit_rate, .steps = options_.steps});
  }
  Ladder implicit_plane(const Context& ctx) const {
    return adi_ladder(ctx, {.domain = Domain::walls,
                            .n = size_on(ctx),
                            .rate = implicit_rate,
                            .steps = std::max<Index>(options_.steps / 4, 1)});
  }
  Ladder implicit_line(const Context& ctx) const {
    return line_ladder(ctx, {.domain = Domain::walls,
                             .axes = 1,
                             .n = line_points,
                             .rate = implicit_rate,
                             .steps = line_steps_for_one * options_.steps});
  }

  static constexpr Index least_points = 8;
  static constexpr Index most_points = 4096;  // three lines of them are in the shared memory of any GPU
  static constexpr Index line_points = 1000;
  static constexpr Index line_steps_for_one = 16;

  Options options_;
};

constexpr const char* text =
    R"(The heat equation du/dt = D laplace u, by explicit steps (Euler) on a torus, and by implicit ones (Crank and Nicolson;
in a plane alternating directions, Peaceman and Rachford 1955) between cold walls, on a line and in a plane. A team of
the course GPU610 profiled such a program, found that 8.7 % of its time could be shared out, and set it aside. The
temperature is a sum of eigenmodes, so that it is known at any time: of the equation, of the grid, and of every scheme
with all digits; the tables of orders tell their errors apart.
Examples:
  whorl study heat
  whorl study heat --device cuda -o results
  whorl study heat --method implicit --size 500 --steps 20)";

}  // namespace

Study heat_study() {
  return {"heat", "The heat equation by explicit and implicit steps: times, and errors against its solution", text,
          [] { return std::unique_ptr<Experiment>(std::make_unique<Heat>()); }};
}

}  // namespace whorl::studies
