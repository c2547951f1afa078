#include "studies/fmri/fmri.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "studies/fmri/tables.hpp"

namespace whorl::studies {

namespace {

using namespace fmri;

class Fmri final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Options> table =
        OptionTable<Options>("fmri")
            .integer("size", &Options::size, {0, 128}, "",
                     "Voxels along each axis, a multiple of 16 (0: 64 on a GPU, 32 on a CPU)")
            .integer("volumes", &Options::volumes, {21, 3600}, "", "Volumes, one a second; a task begins every 20 s")
            .integer("coils", &Options::coils, {2, 64}, "", "Receive coils, an even number")
            .integer("iterations", &Options::iterations, {1, 1000}, "",
                     "Iterations of conjugate gradient for each volume")
            .real("amplitude", &Options::amplitude, {0, 100}, "%", "Activation, in percent of white matter")
            .real("noise", &Options::noise, {0, 10}, "",
                  "Standard deviation sqrt(E|n|^2) of the complex noise of a sample; white matter is 1")
            .real("motion", &Options::motion, {0, 10}, "mm and degrees", "Scale of the head's motion")
            .real("drift", &Options::drift, {0, 100}, "Hz", "Drift of the field until the end")
            .real("seconds", &Options::seconds, {0, 60}, "s", "How long the stream is measured, at least");
    return {&options_, &table};
  }

  Results run(const Context& ctx) override {
    Options used = options_;
    if (used.size == 0) used.size = ctx.device().kind == DeviceKind::cuda ? 64 : 32;
    const Context host = ctx.host();
    const Course course = course_of(used);
    const Protocol protocol = make_protocol(host, used);
    const Reconstructor reconstructor(ctx, protocol, static_cast<int>(used.iterations));
    const auto process = [&](const std::string& name, const Volumes& volumes, Corrections corrections) {
      Session session(ctx, protocol, reconstructor, corrections);
      run_all(ctx, session, course, volumes, nullptr);
      Series series{name, {}, session.maps(), session.field_hz(), session.poses()};
      series.detection = detect(protocol, series.maps);
      return series;
    };
    std::vector<Series> all;
    all.push_back(process("head and field at rest", measure(host, protocol, still(course), used.noise),
                          {.field = false, .motion = false}));
    const Volumes volumes = measure(host, protocol, course, used.noise);
    all.push_back(process("uncorrected", volumes, {.field = false, .motion = false}));
    all.push_back(process("field corrected", volumes, {.field = true, .motion = false}));
    all.push_back(process("motion corrected", volumes, {.field = false, .motion = true}));
    all.push_back(process("both corrected", volumes, {.field = true, .motion = true}));
    Results results;
    results.parameters = {{"size", static_cast<double>(used.size)},
                          {"volumes", static_cast<double>(used.volumes)},
                          {"samples", static_cast<double>(protocol.trajectory.samples())},
                          {"coils", static_cast<double>(used.coils)},
                          {"iterations", static_cast<double>(used.iterations)},
                          {"amplitude", used.amplitude},
                          {"noise", used.noise},
                          {"motion", used.motion},
                          {"drift", used.drift},
                          {"threshold", threshold}};
    const Stream stream = measured_stream(ctx, protocol, reconstructor, course, volumes, used.seconds, results.notes);
    results.tables = {detection_table(protocol, all), correction_table(course, all), stream_table(stream),
                      preparation_table(reconstructor.preparation())};
    results.notes.emplace_back(
        "Found: active voxels above the threshold; wrong: voxels above it, a voxel or more beyond active tissue");
    add_picture(results, [&] { return maps_picture(ctx, protocol, all); });
    return results;
  }

 private:
  using Volumes = std::vector<Array<std::complex<float>>>;

  static void run_all(const Context& ctx, Session& session, const Course& course, const Volumes& volumes,
                      std::vector<Latency>* latencies) {
    for (std::size_t v = 0; v < volumes.size(); ++v) {
      const Latency latency = session.take(course.response[v], static_cast<Index>(volumes.size()), volumes[v]);
      if (latencies != nullptr) latencies->push_back(latency);
      ctx.check_cancel("fmri");
    }
  }

  /// Sessions with both corrections, one after the other.
  static Stream measured_stream(const Context& ctx, const Protocol& protocol, const Reconstructor& reconstructor,
                                const Course& course, const Volumes& volumes, double seconds,
                                std::vector<std::string>& notes) {
    Stream stream;
    const JouleCounter joules = joule_counter(ctx, notes);
    stream.usage = use_of(ctx, joules, seconds, [&] {
      Session session(ctx, protocol, reconstructor, {.field = true, .motion = true});
      run_all(ctx, session, course, volumes, &stream.latencies);
    });
    stream.usage.runs = static_cast<double>(stream.latencies.size());
    return stream;
  }

  Options options_;
};

constexpr const char* text =
    R"(Gregerson, "Implementing fast MRI gridding on GPUs via CUDA", has real-time functional MRI for its motive: images of the
brain as it works. Here a head is scanned once a second along a stack of spirals, by several coils, while it
rests for ten seconds and works for ten in turn. Two balls of its white matter answer with a few percent. The head moves,
also with the task, and the field drifts. Volumes are reconstructed as they come: Q, the convolution that F^H F is, is
made and saved once. The phase at the center of k-space tells the field, the images tell the motion, and a general linear
model gives a t-map after each volume. What it finds is compared with the stated activation, with and without the
corrections; then volumes a second, latency, and energy.
Examples:
  whorl study fmri
  whorl study fmri --device cuda --size 64 --volumes 200 -o results
  whorl study fmri --motion 6 --drift 20 --amplitude 1
                                        a restless head, a weak response)";

}  // namespace

Study fmri_study() {
  return {"fmri", "Functional MRI in real time: a stated activation under motion and drift, volumes a second, joules",
          text, [] { return std::unique_ptr<Experiment>(std::make_unique<Fmri>()); }};
}

}  // namespace whorl::studies
