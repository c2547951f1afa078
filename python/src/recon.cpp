// Whole reconstructions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "recon/request.hpp"
#include "run.hpp"
#include "scan/make_scan.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/kept_plans.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::python {

namespace {

// The call in one line, for the record.
std::string text_of_call(const RequestScans& scans, const nb::dict& keywords) {
  std::string text = text_of_value(scans.scan);
  for (const nb::handle one : scans.joint) text += ", " + text_of_value(one);
  text = "whorl.recon(" + (scans.joint.empty() ? text : "[" + text + "], joint=True");
  for (const auto& [name, value] : keywords) {
    if (!value.is_none()) text += ", " + nb::cast<std::string>(nb::str(name)) + "=" + text_of_value(value);
  }
  return text + ")";
}

// What is not the request's: who works, and whether anybody does.
struct Asked {
  nb::dict keywords;
  Context ctx;
  bool is_dry;

  Asked(const nb::kwargs& all, nb::handle context, nb::handle progress, bool dry)
      : keywords(copy_of(all)), ctx(context_of(context)), is_dry(dry) {
    if (!progress.is_none()) ctx = ctx.with(progress_to(progress));
  }
};

JobPlan planned(const Context& ctx, const RequestScans& scans, nb::dict keywords) {
  const ReconRequest request = request_from(ctx.host(), scans, keywords);
  return run(ctx, [&](const Context& c) { return plan_job(request, resources_of(c, {})); });
}

nb::object reconstructed(Asked call, const RequestScans& scans, std::shared_ptr<KeptPlans> plans) {
  if (call.is_dry) return nb::cast(planned(call.ctx, scans, call.keywords));
  const std::string text = text_of_call(scans, call.keywords);
  ReconRequest request = request_from(call.ctx.host(), scans, call.keywords);
  request.recon.resources.plans = std::move(plans);
  return nb::cast(run(call.ctx, [&](const Context& c) {
    AtomicFileGroup files;
    JobResult made = run_job(request, resources_of(c, text));
    files.commit();
    return made;
  }));
}

// Names of outputs have {} for the name of each scan.
nb::dict named_for(const nb::dict& keywords, nb::handle scan) {
  const nb::object file = nb::module_::import_("os").attr("fspath")(scan);
  const nb::object stem = nb::module_::import_("pathlib").attr("Path")(file).attr("stem");
  nb::dict named;
  const auto& table = *request_options().table;
  for (const auto& [name, value] : keywords) {
    nb::object own = nb::borrow(value);
    for (const OptionDescriptor& what : table.descriptors()) {
      if (!is_output(what.file) || keyword_of(what.name) != nb::cast<std::string>(name) || value.is_none()) continue;
      if (nb::isinstance<nb::bool_>(value)) continue;
      const nb::object text = nb::module_::import_("os").attr("fspath")(value);
      if (nb::cast<std::string>(text).find("{}") == std::string::npos) {
        throw ValueError("recon: " + keyword_of(what.name) +
                         " is one name for several scans, expected one with {} for the name of each");
      }
      own = text.attr("replace")("{}", stem);
    }
    named[name] = own;
  }
  return named;
}

nb::object reconstructed_all(const Asked& call, nb::handle scans) {
  nb::list results;
  const auto plans = std::make_shared<KeptPlans>();
  const bool are_files = std::all_of(scans.begin(), scans.end(), &is_file);
  for (const nb::handle scan : scans) {
    Asked own = call;
    own.keywords = are_files ? named_for(call.keywords, scan) : nb::borrow<nb::dict>(call.keywords.attr("copy")());
    results.append(reconstructed(own, {scan}, plans));
  }
  return results;
}

// All scans for one image.
nb::object reconstructed_jointly(const Asked& call, nb::handle scans) {
  RequestScans all;
  for (const nb::handle scan : scans)
    all.scan.is_valid() ? all.joint.push_back(scan) : static_cast<void>(all.scan = scan);
  if (!all.scan.is_valid()) throw ValueError("recon: joint has no scans, expected a list of them");
  return reconstructed(call, all, nullptr);
}

void bind_reference(Module& m) {
  Class<ReferenceImage>(m, "ReferenceImage", "An image of another contrast, for an anatomical prior, and its position.",
                        made_by_init())
      .def(method<"__init__(self, values: object, affine: object = None) -> None">(
          [](ReferenceImage* self, nb::handle values_object, nb::handle affine) {
            Input values(values_object, "values");
            ReferenceImage image{"an array of Python", host_copy<float>(values), {}};
            if (!affine.is_none()) image.affine = affine_from(affine);
            image.affine.in_scanner = !affine.is_none();
            new (self) ReferenceImage(std::move(image));
          },
          R"(values [z, y, x] or [y, x]; affine [3, 4] from voxels (x, y, z) to RAS+ millimeters, without it unknown.

Raises  ShapeError, TypeError)"))
      .def(property<"values(self) -> Array">(
          [](nb::handle self) { return view_of(nb::cast<const ReferenceImage&>(self).values.ref(), self, true); },
          "float32 [z, y, x], read only, a view of its memory."));
  m.def(
      "read_reference",
      [](const std::filesystem::path& path) {
        return run(context_of(nb::none()), [&](const Context& ctx) { return read_reference(ctx, path); });
      },
      nb::arg("path"),
      "A reference image from a file of one volume or slice, of any format of arrays; of complex values the "
      "magnitude.\n\n"
      "Raises  ShapeError (several volumes, one axis only), ValueError (a value that is not finite), IoError");
}

}  // namespace

void bind_recon(Module& m) {
  bind_reference(m);
  def<"recon(scan: Scan | GatedScan | Path | Sequence[Scan | GatedScan | Path], *, options, dry_run: bool = False, "
      "joint: bool = False, +prior: object = None, +psf: Sequence[tuple[int, ...]] | None = None, "
      "+filter: str | None = None, +sample_weights: object = None, progress: object = None, context) -> "
      "Reconstruction | ReconPlan | list[Reconstruction]">(
      m,
      [](nb::handle scan, bool dry_run, bool joint, nb::handle progress, nb::handle context,
         const nb::kwargs& keywords) {
        const Asked call(keywords, context, progress, dry_run);
        const bool several = nb::isinstance<nb::list>(scan) || nb::isinstance<nb::tuple>(scan);
        if (several && joint) return reconstructed_jointly(call, scan);
        if (joint) throw ValueError("recon: joint has an effect only with a list of scans; leave it out");
        return several ? reconstructed_all(call, scan) : reconstructed(call, {scan}, nullptr);
      },
      R"(Reconstructs every frame of a scan, or of a file, which stays as it is: the work of `whorl recon` with the
same options, and the same images to the last bit. Of several scans, in a list, the results are a list, and
names of outputs have {} for the name of each scan's file.

    found = whorl.recon('scan.h5', delays='auto', regularize='tv:medium', output='image.nii.gz')

What in the program is a file to read may be an array or an object here. Of outputs True keeps the result
in memory, a path writes it.

scan           what make_frames returns is one too: coil maps then come from all frames, as those of
               spokes_per_frame and gate here do; of its .scan they come from each slice's first
maps           coil maps: espirit, walsh, nlinv, file (those of the scan), or, as maps_file, the path of a
               file or an array [coil, (z,) y, x]
support        as below, or an image like a prior's: the solver holds voxels at 0 where it is not above 1/2
prior          a ReferenceImage, an array [(z,) y, x], the path of a file, or a list of these: edges of
               another contrast; field_map and r2star are one of them
concomitant    of a scan in memory it needs field_strength
motion         poses as undo_motion takes them; girf: a GradientResponse; readout_shifts: a ReadoutShifts,
               or numbers [readout, axis]; subspace: a SubspaceBasis, or numbers [frame, component]
normal         that of an earlier Reconstruction with save_normal=True
regularize     texts, terms such as whorl.TV(0.5), and functions of one's own: (function_proximal(...),
               weight)
psf            voxels (x, y, z) whose point spread functions are wanted
filter         a pipeline of filters for the images: 'gibbs'
sample_weights gate_weights by the name of Scan.sample_weights
joint          a list of scans of one object is one image: each has its own receivers, trajectory, place and
               noise; {} in the names of maps_file and field_map stands for the name of each scan
dry_run        what would be done, instead of it: a ReconPlan
progress       True for a bar, or a function f(stage, done, total, detail)
context        a Context (threads, memory, cancellation), or the name of a device

Raises  ValueError, ShapeError, IoError, MemoryError, Cancelled
Source  Pruessmann et al., Magn Reson Med 46 (2001) 638)",
      TableOf<void>{request_options()});

  def<"estimate_coil_maps(scan: Scan, *, options, context) -> Array">(
      m,
      [](const Scan& scan, nb::handle context, ReconOptions chosen) {
        return to_python(run(context_of(context), [&](const Context& ctx) {
          Scan copy = weighed(ctx, clone(ctx, scan), chosen);
          return std::move(estimate_coil_maps(ctx, std::move(copy), chosen).maps);
        }));
      },
      R"(The coil maps that `recon` uses, of the prewhitened and compressed coils.

Shapes  complex64 [slice, coil, z, y, x], z = 1 in 2D
Raises  ValueError (no frames, options out of range or without effect), ShapeError, Cancelled)",
      options_of<ReconOptions>({.but = {"combine", "keep-maps", "keep-parts", "transform", "dwell", "readout-start",
                                        "signal-tolerance", "larmor-mhz"},
                                .groups = {"Coils", "Data and density", "Transform"}}));
}

}  // namespace whorl::python
