// All headers in one file, the declarations before the classes. Writes an array, reads it again, and fails where they differ.
#include <whorl/fwd.hpp>

// In a program's own header: names alone.
whorl::Array<float> read_back(const whorl::Context& ctx, const whorl::Array<float>& array, const char* path);

#include <whorl/filter.hpp>
#include <whorl/io.hpp>
#include <whorl/job.hpp>
#include <whorl/whorl.hpp>

#include <iostream>

whorl::Array<float> read_back(const whorl::Context& ctx, const whorl::Array<float>& array, const char* path) {
  whorl::write_npy<float>(ctx, path, array);
  return whorl::read_npy<float>(ctx, path);
}

int main(int /*count*/, char** arguments) {
  try {
    const whorl::Context ctx;
    whorl::Array<float> array(ctx, {2, 3});
    for (whorl::Index i = 0; i < array.size(); ++i) array.data()[i] = static_cast<float>(i);
    const whorl::Array<float> again = read_back(ctx, array, arguments[1]);
    // Not a file of this format: an error of the library, caught by its type across libraries.
    try {
      whorl::read_npy(ctx, arguments[0]);
    } catch (const whorl::IoError& error) {
      std::cout << "refused: " << error.what() << '\n';
      return again.shape() == array.shape() && again.data()[5] == 5 ? 0 : 1;
    }
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
  return 1;
}
