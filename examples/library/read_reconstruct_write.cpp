// Reads a scan, reconstructs it, and writes the image: whorl recon in a program of one's own.
#include <iostream>

#include "whorl/core/error.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/reconstruct.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_read_reconstruct_write SCAN IMAGE\n";
    return 2;
  }
  try {
    const whorl::Context ctx;
    const whorl::Reconstruction result = whorl::reconstruct(ctx, whorl::read_scan(ctx, argv[1]));
    whorl::write_image(ctx, argv[2], result.images, result.frames);
    for (const std::string& note : result.notes) std::cout << note << '\n';
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
