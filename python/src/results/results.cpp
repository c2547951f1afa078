// What a reconstruction returns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/job/recon_job.hpp"

// A vector says that it can be copied; its elements say that they can not.
template <>
struct nanobind::detail::is_copy_constructible<whorl::SavedNormals> : std::false_type {};

namespace whorl::python {

void bind_results(Module& m) {
  Class<Certificate>(m, "Certificate",
                     "How far the encoding operator of a slice is from the exact model, |A~ x - A x| / |A x|.")
      .def_ro("slice", &Certificate::slice, "Index of the slice.")
      .def_ro("samples", &Certificate::samples, "That were drawn, and computed by the exact model in all coils.")
      .def_ro("relative_error", &Certificate::relative_error, "The estimate.")
      .def_ro("bound", &Certificate::bound, "With a confidence of 99 % the error is below this.");
  Class<LambdaChoice>(m, "LambdaChoice", "A lambda that was chosen from the data.")
      .def_ro("value", &LambdaChoice::lambda, "The lambda, for an encoding operator of norm 1.")
      .def_ro("reason", &LambdaChoice::reason, "Sentences: the result and why.")
      .def(property<"curve(self) -> dict[str, Array]">(
          [](const LambdaChoice& self) {
            nb::dict columns;
            const auto add = [&](const char* name, double LambdaPoint::*member) {
              Array<double> column(Context(), {static_cast<Index>(self.curve.points.size())});
              for (std::size_t i = 0; i < self.curve.points.size(); ++i) {
                column.data()[i] = self.curve.points[i].*member;
              }
              columns[name] = to_python(std::move(column));
            };
            add("lambda", &LambdaPoint::lambda);
            add("residual", &LambdaPoint::residual);
            add("penalty", &LambdaPoint::penalty);
            add("freedom", &LambdaPoint::freedom);
            return columns;
          },
          "What it was chosen on, for each lambda that was tried: |A x - d|^2, |W x|^2 and the degrees of freedom."))
      .def_prop_ro(
          "method", [](const LambdaChoice& self) { return to_string(self.method); },
          "Name of the method that chose it.");

  Class<SavedNormals>(m, "SavedNormals", "Normal operators of trajectories: the normal of a Reconstruction.");
  Class<JobPlan>(m, "ReconPlan", "What recon would do: recon(..., dry_run=True) returns one.")
      .def_prop_ro("bytes", &inner<&JobPlan::plan, &ReconPlan::bytes>, "Of arrays on the device, at the peak.")
      .def_prop_ro("limit", &inner<&JobPlan::plan, &ReconPlan::limit>, "A plan with more bytes is refused.")
      .def_ro("reading_bytes", &JobPlan::reading_bytes, "The peak while the scan was read and corrected.")
      .def_prop_ro("stage_bytes", &inner<&JobPlan::plan, &ReconPlan::stage_bytes>,
                   "Names of the stages in their order, and the peak of each.")
      .def_prop_ro("spilled", &inner<&JobPlan::plan, &ReconPlan::spilled>,
                   "What lies outside of the device's memory, and its bytes.")
      .def_prop_ro("trajectories", &inner<&JobPlan::plan, &ReconPlan::trajectories>, "One after another.")
      .def_prop_ro("solves", &inner<&JobPlan::plan, &ReconPlan::solves>,
                   "Groups of frames that are solved, or gridded, together.")
      .def_prop_ro("frames", &inner<&JobPlan::plan, &ReconPlan::frames>, "Number of images.")
      .def_prop_ro("frames_at_once", &inner<&JobPlan::plan, &ReconPlan::frames_at_once>, "At most, of a solve.")
      .def_prop_ro("coils_at_once", &inner<&JobPlan::plan, &ReconPlan::coils_at_once>, "Of a pass.")
      .def_prop_ro("iterations", &inner<&JobPlan::plan, &ReconPlan::iterations>,
                   "Of each frame, at most; 0 with gridding.")
      .def("__repr__", [](const JobPlan& self) {
        return "<whorl.ReconPlan of " + std::to_string(self.plan.frames) + " frames, " +
               std::to_string(self.plan.bytes) + " bytes>";
      });

  Class<JobResult> made(m, "Reconstruction",
                        "The images of a scan, and how they were made: what recon returns.\n\n"
                        "Arrays are views of its memory; those that were not asked for, and those that were "
                        "written to a file, are None.");
  made.def(property<"images(self) -> Array">(
               [](nb::handle self) { return view_of(nb::cast<const JobResult&>(self).made.images.ref(), self); },
               "complex64 [frame, z, y, x], z = 1 in 2D; not a copy."))
      .def_prop_ro("frames", &inner<&JobResult::made, &Reconstruction::frames>, "Index and geometry of each image.")
      .def_prop_ro("reports", &inner<&JobResult::made, &Reconstruction::reports>, "cg-sense: one for each image.")
      .def_prop_ro(
          "notes", [](const JobResult& self) { return with_keywords(self.made.notes); },
          "Sentences: choices and findings.")
      .def_prop_ro("stage_seconds", &inner<&JobResult::made, &Reconstruction::stage_seconds>,
                   "Names of the stages in their order, and the time of each in seconds.")
      .def_prop_ro(
          "lambdas",
          [](const JobResult& self) {
            std::vector<std::pair<int, LambdaChoice>> lambdas;
            for (const SliceLambda& one : self.made.lambdas) lambdas.emplace_back(one.slice, one.choice);
            return lambdas;
          },
          "Slice and choice, where lambda_ is the name of a method.")
      .def_prop_ro("certificates", &inner<&JobResult::made, &Reconstruction::certificates>,
                   "One for each slice, with `certify`.")
      .def_prop_ro("psf_widths", &inner<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::spread_widths>,
                   "[point]: full widths at half maximum along z (in 3D), y, x, in pixels.")
      .def(property<"normal(self) -> SavedNormals | None">(
          [](nb::handle self) {
            const SavedNormals& normals = nb::cast<const JobResult&>(self).made.normals;
            return normals.normals.empty() ? nb::none() : nb::cast(&normals, nb::rv_policy::reference_internal, self);
          },
          "With save_normal=True: the normal operators of the trajectories, for recon(normal=) of other scans."))
      .def(property<"basis(self) -> SubspaceBasis | None">(
          [](nb::handle self) {
            const auto& basis = nb::cast<const JobResult&>(self).basis;
            return basis ? nb::cast(&*basis, nb::rv_policy::reference_internal, self) : nb::none();
          },
          "Of a subspace: the images are those of its components, and subspace_frames makes the frames of them."))
      .def(property<"record(self) -> dict[str, Any]">(
          [](const JobResult& self) { return nb::module_::import_("json").attr("loads")(self.record_text); },
          "What lies as JSON beside an image that is written: options, times, hashes, notes."))
      .def(method<"write(self, path: Path, *, complex: bool = False) -> list[pathlib.Path]">(
          [](const JobResult& self, const std::filesystem::path& path, bool is_complex) {
            const ImageOptions options{.part = is_complex ? ImagePart::complex : ImagePart::magnitude, .png = {}};
            return run(context_of(nb::none()), [&](const Context& ctx) {
              return write_image(ctx, path, self.made.images, self.made.frames, options).files;
            });
          },
          R"(Writes the images with their positions: .nii, .nii.gz, .dcm, .npy, .h5, .png. Returns the files.

Raises  ValueError (an extension of no format; DICOM without a field of view), IoError)"))
      .def("__repr__", [](const JobResult& self) {
        return "<whorl.Reconstruction of images " + to_string(self.made.images.shape()) + ">";
      });
  def_array<&JobResult::made, &Reconstruction::parts>(
      made, "parts",
      "complex64 [frame, part, z, y, x], with save_parts=True: low rank and sparse, or few edges and few changes "
      "in time");
  def_array<&JobResult::made, &Reconstruction::coil_maps>(
      made, "coil_maps",
      "complex64 [slice, set, coil, z, y, x], with save_maps=True; those of nlinv are of the last frame of "
      "each slice");
  def_array<&JobResult::made, &Reconstruction::set_images>(made, "set_images",
                                                           "complex64 [frame, set, z, y, x], of nlinv with sets");
  def_array<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::standard_deviation>(
      made, "stddev", "Of the image by noise, in its unit: float32 [frame, z, y, x].");
  def_array<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::g_factor>(
      made, "gfactor", "What undersampling adds to the noise: float32 [frame, z, y, x].");
  def_array<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::bias>(
      made, "bias", "With the image in place of the object: complex64 [frame, z, y, x].");
  def_array<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::truth_bar>(
      made, "truth_bar", "How far the truth may lie by noise and penalty, with 68 %: float32 [frame, z, y, x].");
  def_array<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::truth_bound>(
      made, "truth_bound", "With 95 %, also within a region that no reference shows: float32 [frame, z, y, x].");
  def_array<&JobResult::made, &Reconstruction::error_bars, &ErrorBars::point_spreads>(
      made, "psf", "Those of the first frame: complex64 [point, z, y, x].");
  def_array<&JobResult::corrected, &Corrected::poses>(
      made, "poses", "float64 [pose, 6]: the motion that was undone, in mm and degrees");
  def_array<&JobResult::corrected, &Corrected::readout_shifts>(
      made, "readout_shifts",
      "float64 [readout, axis]: the shifts of k-space that were undone, in cycles per field of view");
  def_array<&JobResult::gating>(
      made, "gating", "float64 [slice, readout, column]: time in seconds, value, phase in radians, frame; with gate");
}

}  // namespace whorl::python
