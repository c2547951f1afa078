// A bright pixel through a Gaussian: prints the sum of the result, and fails where it is not that of the image.
#include <whorl/core/context.hpp>
#include <whorl/core/image.hpp>
#include <whorl/filter/pipeline.hpp>

#include <cmath>
#include <iostream>

int main() {
  const whorl::Context ctx;
  whorl::Image image(ctx, {.type = whorl::PixelType::float32, .height = 31, .width = 33});
  const auto pixels = image.pixels<float>();
  for (whorl::Index i = 0; i < pixels.size(); ++i) pixels.data()[i] = 0;
  pixels.data()[15 * 33 + 16] = 1;
  const whorl::Image blurred = whorl::Pipeline::parse("gaussian sigma=1.5").apply(ctx, image);
  const auto numbers = blurred.pixels<float>();
  double sum = 0;
  for (whorl::Index i = 0; i < numbers.size(); ++i) sum += numbers.data()[i];
  std::cout << "sum " << sum << '\n';
  // Taps are floats that sum to 1 to within a few rounding errors of 2^-24 each, along both axes.
  return std::abs(sum - 1) < 1e-5 && numbers.data()[15 * 33 + 16] < 0.2F ? 0 : 1;
}
