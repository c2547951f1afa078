// Filters as the last step of a reconstruction.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

constexpr Index width = 40;
constexpr Index height = 36;

Reconstruction run(const char* filter) {
  ReconOptions options;
  options.prewhiten = false;
  options.cg_sense.iterations = 3;
  if (*filter != '\0') {
    options.filter = ComplexImageFilter(filter).hook<ImageHook>();
  }
  const Context maker({.threads = 2});
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(maker, 60, 80, SpokeOrder::golden_angle));
  Scan scan = test::make_phantom_scan(maker, std::move(trajectory), {width, height, 1}, {.coils = 3});
  return reconstruct(test::device_context(), std::move(scan), options);
}

TEST(FilteredReconstruction, IsTheImageAfterTheFilters) {
  const auto plain = run("");
  const auto filtered = run("flip x | flip y");
  ASSERT_EQ(filtered.images.shape(), plain.images.shape());
  // Nothing is computed twice: the same pixels, at other places.
  for (Index i = 0; i < plain.images.size(); ++i) {
    ASSERT_EQ(filtered.images.data()[plain.images.size() - 1 - i], plain.images.data()[i]) << i;
  }
}

TEST(FilteredReconstruction, RefusesFiltersBeforeTheWork) {
  for (const char* filter : {"flop", "flip sideways", "flip |"}) {
    EXPECT_THROW(run(filter), ValueError) << filter;
  }
}

}  // namespace
}  // namespace whorl
