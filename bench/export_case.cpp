#include "bench/export_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"
#include "whorl/io/npy.hpp"

namespace whorl::bench {

void export_case(const Context& ctx, const CaseRunner& runner, const std::filesystem::path& folder) {
  const Case& what = runner.current();
  const auto problem = folder / what.problem->name;
  const auto direction = problem / fmt::format("{}", what.coils) / to_string(what.direction);
  std::error_code cause;
  std::filesystem::create_directories(direction, cause);
  if (cause) {
    throw IoError(fmt::format("'{}' can not be made: {}; name another folder", direction.string(), cause.message()));
  }
  const ExactValues& exact = runner.exact();
  const auto count = static_cast<Index>(exact.places.size());
  Array<double> places(ctx, {count});
  std::copy(exact.places.begin(), exact.places.end(), places.data());
  write_npy<double>(ctx, problem / "trajectory.npy", runner.trajectory().points);
  write_npy<std::complex<float>>(ctx, direction / "input.npy", runner.input());
  write_npy<double>(ctx, direction / "places.npy", places);
  write_npy<std::complex<double>>(ctx, direction / "exact.npy", {exact.values.data(), {what.coils, count}});
}

}  // namespace whorl::bench
