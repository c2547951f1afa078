// whorl stack: images or scans of several files as one.
#include "whorl/io/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/option_of.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  StackAxis axis = StackAxis::frame;
  ScanReadOptions read;
};

void run(const Options& options, const Session& session) {
  const Context& ctx = session.ctx;
  RunRecord record = begin_record(session);
  record.parameters = {{"axis", std::string(options.axis == StackAxis::frame ? "frame" : "slice")}};
  if (describe_file(file_of(options.files.front())).holds_scan) {
    std::vector<Scan> scans;
    for (const std::string& file : options.files) scans.push_back(read_scan(ctx, file, options.read));
    const Scan scan = stack_scans(std::move(scans), options.files, options.axis);
    session.files.check_written(options.output, files_of_scan(options.output));
    write_scan(ctx, scan, options.output);
    record.notes = {scan.notes.back()};
  } else {
    std::vector<NamedArray> images;
    for (const std::string& file : options.files) images.push_back(read_array(ctx, file));
    const NamedArray stack = stack_images(ctx, std::move(images), options.files, options.axis);
    record.notes = {fmt::format("{} images are now one array of shape {}.", options.files.size(),
                                to_string(shape_of(stack.values)))};
    write_array(ctx, options.output, stack);
  }
  finish_run(session, record);
}

constexpr const char* examples =
    R"(Images of one shape become a series (--axis frame), or single slices a volume, sorted by where they lie (--axis slice).
Scans with the same matrix and coils become one, with their repetitions or slices counted on.
Examples:
  whorl stack echo1.nii.gz echo2.nii.gz echo3.nii.gz -o echoes.nii.gz
                                        a series for whorl map t2star
  whorl stack slice*.nii.gz --axis slice -o volume.nii.gz
                                        one volume with the distance of the slices
  whorl stack monday.h5 tuesday.h5 -o both.h5
                                        scans: the repetitions of the second after those of the first)";

}  // namespace

Command stack_command() {
  return {"stack", "Join images or scans of several files along a frame or slice axis", examples, [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("files", options->files, "Images (FILE or FILE:NAME), or scans, in their order")->required();
            app.add_output("-o,--output", options->output, with_record(scan_or_array_output()),
                           "Image (" + array_extensions() + ") or scan to write")
                ->required();
            add_text_option(app, "--axis", options->axis, stack_axis_from_string,
                            "What the files differ by: frame (default) or slice");
            add_scan_options(app, options->read, [options] { return options->files.front(); });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
