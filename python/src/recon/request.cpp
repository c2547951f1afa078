#include "recon/request.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "run.hpp"
#include "solve/prox.hpp"
#include "whorl/correct/gradient_delays.hpp"
#include "whorl/correct/object_motion.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/scan/frame_options.hpp"

namespace whorl::python {

namespace {

std::string file_of(nb::handle value) {
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(value));
}

template <class T>
FileOr<Array<T>> array_of(nb::handle value, const char* name) {
  Input input(value, name);
  return std::make_shared<const Array<T>>(host_copy<T>(input));
}

FileOr<ReferenceImage> image_of(nb::handle value, const char* name) {
  if (is_file(value)) return file_of(value);
  std::shared_ptr<const ReferenceImage> image;
  if (nb::isinstance<ReferenceImage>(value)) {
    image = nb::cast<std::shared_ptr<ReferenceImage>>(value);
  } else {
    Input values(value, name);
    ReferenceImage made{"an array of Python", host_copy<float>(values), {}};
    made.affine.in_scanner = false;
    image = std::make_shared<const ReferenceImage>(std::move(made));
  }
  return image;
}

template <class T>
FileOr<T> object_of(nb::handle value, const char* name, const char* expected) {
  if (nb::isinstance<T>(value)) return std::shared_ptr<const T>(nb::cast<std::shared_ptr<T>>(value));
  const std::string text = std::string("recon: ") + name + " is neither the path of a file nor " + expected;
  throw nb::type_error(text.c_str());
}

// Rows [pose, 6] of ObjectPose objects, or numbers as they are.
FileOr<Array<double>> poses_of(nb::handle value) {
  std::vector<ObjectPose> poses;
  if (!nb::try_cast(value, poses)) return array_of<double>(value, "motion");
  auto rows = std::make_shared<Array<double>>(Context(), Shape{static_cast<Index>(poses.size()), 6});
  double* to = rows->data();
  for (const ObjectPose& pose : poses) {
    to = std::copy(pose.shift_mm.begin(), pose.shift_mm.end(), to);
    to = std::copy(pose.rotation_degrees.begin(), pose.rotation_degrees.end(), to);
  }
  return std::shared_ptr<const Array<double>>(std::move(rows));
}

FileOr<SubspaceBasis> basis_of(nb::handle value, Index rank) {
  if (nb::isinstance<SubspaceBasis>(value)) return object_of<SubspaceBasis>(value, "subspace", "");
  Input input(value, "subspace");
  const auto vectors = host_copy<std::complex<double>>(input);
  return run(context_of(nb::none()), [&](const Context& ctx) {
    return FileOr<SubspaceBasis>(std::make_shared<const SubspaceBasis>(basis_of_vectors(ctx, vectors, rank)));
  });
}

using Take = void (*)(ReconRequest&, nb::handle);

// What a file of the program holds, from memory.
const std::map<std::string, Take>& takes_objects() {
  static const std::map<std::string, Take> takes{
      {"field-map", [](ReconRequest& to, nb::handle value) { to.signal.field_map = image_of(value, "field_map"); }},
      {"r2star", [](ReconRequest& to, nb::handle value) { to.signal.r2_star = image_of(value, "r2star"); }},
      {"maps-file", [](ReconRequest& to, nb::handle value) { to.maps = array_of<std::complex<float>>(value, "maps"); }},
      {"normal",
       [](ReconRequest& to, nb::handle value) {
         to.normal = object_of<SavedNormals>(value, "normal", "the normal of a Reconstruction");
       }},
      {"girf",
       [](ReconRequest& to, nb::handle value) {
         to.corrections.response = object_of<GradientResponse>(value, "girf", "a GradientResponse");
       }},
      {"motion", [](ReconRequest& to, nb::handle value) { to.corrections.motion = poses_of(value); }},
      {"readout-shifts",
       [](ReconRequest& to, nb::handle value) {
         const bool is_estimate = nb::hasattr(value, "is_significant");
         const nb::object rows = is_estimate ? value.attr("shifts") : nb::borrow(value);
         to.corrections.readout_shifts = array_of<double>(rows, "readout_shifts");
       }},
      {"gate-weights",
       [](ReconRequest& to, nb::handle value) {
         Input input(value, "sample_weights");
         Array<double> weights = host_copy<double>(input);
         weights.reshape({weights.size()});
         to.frames.weights = std::make_shared<const Array<double>>(std::move(weights));
       }},
      {"subspace", [](ReconRequest& to, nb::handle value) { to.subspace.basis = basis_of(value, to.subspace.rank); }},
  };
  return takes;
}

bool is_list(nb::handle value) { return nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value); }

// The value of a keyword, taken out; null where it is not given.
nb::object taken(nb::dict& keywords, const char* name) {
  nb::object value = keywords.attr("pop")(name, nb::none());
  return value.is_none() ? nb::object() : value;
}

// Another keyword for the same.
void rename(nb::dict& keywords, const char* from, const char* to) {
  const nb::object value = taken(keywords, from);
  if (!value.is_valid()) return;
  if (keywords.contains(to))
    throw ValueError(std::string("recon: ") + from + " and " + to + " are the same; leave one out");
  keywords[to] = value;
}

bool is_word_of(nb::handle value, const char* option) {
  if (!nb::isinstance<nb::str>(value)) return false;
  const auto& table = option_table<ReconOptions>();
  const auto& words = table.bindings()[table.index_of(option)].what.choices;
  return std::find(words.begin(), words.end(), nb::cast<std::string>(value)) != words.end();
}

// A support that is no word of the table: an image.
void take_support(ReconRequest& request, nb::dict& keywords) {
  if (!keywords.contains("support") || is_word_of(keywords["support"], "support")) return;
  const nb::object value = taken(keywords, "support");
  if (!value.is_valid()) return;
  request.recon.support = ImageSupport::image;
  request.support = image_of(value, "support");
}

void take_prior(ReconRequest& request, nb::dict& keywords) {
  const nb::object prior = taken(keywords, "prior");
  if (!prior.is_valid()) return;
  if (!is_list(prior)) {
    request.references.push_back(image_of(prior, "prior"));
    return;
  }
  for (const nb::handle one : prior) request.references.push_back(image_of(one, "prior"));
}

// Delays as estimate_delays finds them.
void number_delays(nb::dict& keywords) {
  if (!keywords.contains("delays") || !nb::isinstance<GradientDelays>(keywords["delays"])) return;
  const auto given = nb::cast<GradientDelays>(keywords["delays"]);
  keywords["delays"] = nb::make_tuple(given.x, given.y, given.z, given.xy, given.xz, given.yz);
}

void take_points(ReconRequest& request, nb::dict& keywords) {
  const nb::object points = taken(keywords, "psf");
  if (!points.is_valid()) return;
  auto& voxels = request.point_spreads;
  const auto is_wrong = [](const std::vector<Index>& voxel) { return voxel.size() < 2 || voxel.size() > 3; };
  if (!nb::try_cast(points, voxels) || std::any_of(voxels.begin(), voxels.end(), is_wrong)) {
    throw ValueError("recon: psf is " + text_of_value(points) +
                     ", expected a list of voxels (x, y(, z)), such as [(16, 16)]");
  }
}

void take_filter(ReconRequest& request, nb::dict& keywords) {
  const nb::object filter = taken(keywords, "filter");
  if (!filter.is_valid()) return;
  request.recon.filter = ComplexImageFilter(nb::cast<std::string>(filter)).hook<ImageHook>();
}

// A term that is a function of the caller's, (g, weight) or g alone; none for a text.
std::optional<Regularizer> own_term(nb::handle item) {
  const auto pair =
      nb::isinstance<nb::tuple>(item) ? nb::borrow<nb::tuple>(item) : nb::make_tuple(nb::borrow(item), 1.0);
  if (pair.size() != 2 || !nb::isinstance<PyProximal>(pair[0])) return std::nullopt;
  Regularizer term{.kind = RegularizerKind::own};
  const auto* function = std::get_if<ProximalPointer<float>>(&nb::cast<const PyProximal&>(pair[0]).function);
  if (function == nullptr) throw ValueError("recon: regularize has a function of complex128, expected complex64");
  term.function = *function;
  if (!nb::try_cast(pair[1], term.weight) || !(term.weight > 0) || !std::isfinite(term.weight)) {
    throw ValueError("recon: regularize has the weight " + nb::cast<std::string>(nb::repr(pair[1])) +
                     ", expected a number above 0");
  }
  return term;
}

// Functions of the caller's among the terms; texts, and objects that stand for one, stay among the keywords.
std::vector<Regularizer> take_own_terms(nb::dict& keywords) {
  std::vector<Regularizer> own;
  const nb::object given = taken(keywords, "regularize");
  if (!given.is_valid()) return own;
  nb::list texts;
  const auto take = [&](nb::handle item) {
    if (auto term = own_term(item)) {
      own.push_back(std::move(*term));
    } else if (stands_for_text(item)) {
      texts.append(item);
    } else {
      throw ValueError("recon: regularize is " + text_of_value(given) +
                       ", expected a text ('tv:0.1'), a term (whorl.TV(0.1)), a function with its weight "
                       "((whorl.function_proximal(...), 0.1)), or a list of these");
    }
  };
  if (is_list(given) && !own_term(given)) {
    for (const nb::handle item : given) take(item);
  } else {
    take(given);
  }
  if (nb::len(texts) > 0) keywords["regularize"] = is_list(given) ? texts : given;  // a text may be several terms
  return own;
}

FileOr<Scan> scan_of(nb::handle scan) {
  const nb::object measured = nb::isinstance<GatedScan>(scan) ? nb::object(scan.attr("scan")) : nb::borrow(scan);
  if (is_file(measured)) return file_of(measured);
  if (nb::isinstance<Scan>(measured)) return std::shared_ptr<const Scan>(nb::cast<std::shared_ptr<Scan>>(measured));
  throw nb::type_error(
      "recon: scan has to be a whorl.Scan or the path of a file; whorl.Scan(trajectory, image_shape, data) makes one "
      "of arrays");
}

void take_scans(ReconRequest& request, const RequestScans& scans) {
  request.frames.are_made = nb::isinstance<GatedScan>(scans.scan);
  request.scan = scan_of(scans.scan);
  for (const nb::handle one : scans.joint) request.joint.push_back(scan_of(one));
}

}  // namespace

bool is_file(nb::handle value) { return nb::isinstance<nb::str>(value) || nb::hasattr(value, "__fspath__"); }

const OptionsOf& request_options() {
  static const OptionsOf options = [] {
    OptionsOf all = options_of<ReconRequest>();
    for (const auto& [name, take] : takes_objects()) all.types[name] = "object";
    all.types["support"] = "object";
    all.types["maps"] = "object";
    all.types["delays"] = "collections.abc.Sequence[float] | typing.Literal['auto'] | GradientDelays";
    return all;
  }();
  return options;
}

ReconRequest request_from(const Context& host, const RequestScans& scans, nb::dict& keywords) {
  ReconRequest request;
  take_scans(request, scans);
  const OptionsOf& options = request_options();
  rename(keywords, "sample_weights", "gate_weights");
  if (keywords.contains("maps") && !nb::isinstance<nb::str>(keywords["maps"])) rename(keywords, "maps", "maps_file");
  if (keywords.contains("maps_file") && keywords.contains("maps")) {
    throw ValueError("recon: maps and maps_file exclude each other; leave one out");
  }
  take_support(request, keywords);
  take_prior(request, keywords);
  number_delays(keywords);
  take_points(request, keywords);
  take_filter(request, keywords);
  std::vector<Regularizer> own = take_own_terms(keywords);
  std::vector<std::pair<std::string, nb::object>> objects;
  for (const auto& [name, take] : takes_objects()) {
    const std::string keyword = keyword_of(name);
    if (!keywords.contains(keyword.c_str()) || is_file(keywords[keyword.c_str()])) continue;
    const nb::object value = taken(keywords, keyword.c_str());
    if (value.is_valid()) objects.emplace_back(name, value);
  }
  std::vector<std::size_t> given = set_options(keywords, &request, options);
  for (const auto& [name, value] : objects) {
    takes_objects().at(name)(request, value);
    given.push_back(options.table->index_of(name));
  }
  auto& terms = request.recon.regularized.terms;
  terms.insert(terms.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  if (keywords.size() > 0) throw nb::next_overload();
  run(host, [&](const Context&) { settle(request); });
  check_effects(&request, options, given);
  return request;
}

JobResources resources_of(const Context& ctx, std::string call) {
  return {.host = ctx.host(), .devices = [ctx] { return std::vector{ctx}; }, .command_line = std::move(call)};
}

}  // namespace whorl::python
