#include "whorl/trajectory/fingerprint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace whorl {
namespace {

TEST(Fingerprint, TellsTrajectoriesApart) {
  const Context ctx;
  Array<double> points(ctx, {3, 2});
  for (Index i = 0; i < 6; ++i) points.data()[i] = 0.07 * static_cast<double>(i) - 0.2;
  const std::string first = trajectory_fingerprint(points);
  EXPECT_EQ(first.size(), 64U);
  EXPECT_NE(trajectory_fingerprint(points.ref().reshape({2, 3})), first);
  for (double& k : points.span()) k = static_cast<double>(static_cast<float>(k));
  EXPECT_EQ(trajectory_fingerprint(points), first);  // through a file in single precision
  std::swap(points.data()[0], points.data()[2]);
  EXPECT_NE(trajectory_fingerprint(points), first);
  std::swap(points.data()[0], points.data()[2]);
  points.data()[5] = std::nextafter(static_cast<float>(points.data()[5]), 1.0F);
  EXPECT_NE(trajectory_fingerprint(points), first);
  // By Python: hashlib.sha256(struct.pack('<2q2f', 1, 2, 0.0, 0.25)).hexdigest()
  Array<double> one(ctx, {1, 2});
  one.data()[0] = -0.0;
  one.data()[1] = 0.25;
  EXPECT_EQ(trajectory_fingerprint(one), "63ac3059f63a52eef33c7a9a24eb7550c8f11415025c3a362d847728919fa50e");
}

}  // namespace
}  // namespace whorl
