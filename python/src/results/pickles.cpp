// Results as Python's pickle and copy take them: the values of their members.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "whorl/correct/gradient_delays.hpp"
#include "whorl/correct/object_pose.hpp"
#include "whorl/job/recon_job.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/recon/outlook.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::python {

namespace {

// How a member is kept; overloads are for what Python has no class for.
template <class T>
struct Kept {
  static nb::object save(const T& member) {
    if constexpr (std::is_enum_v<T>) {
      return nb::cast(static_cast<int>(member));
    } else {
      return nb::cast(member);
    }
  }
  static T load(nb::handle state) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(nb::cast<int>(state));
    } else {
      return nb::cast<T>(state);
    }
  }
};

template <class T>
struct Kept<Array<T>> {
  static nb::object save(const Array<T>& array) {
    return array.size() > 0 ? to_python(clone(Context(), array.ref())) : nb::none();
  }
  static Array<T> load(nb::handle state) {
    if (state.is_none()) return {};
    Input input(state, "state");
    return host_copy<T>(input);
  }
};

template <class T>
struct Kept<std::shared_ptr<const T>> {
  static nb::object save(const std::shared_ptr<const T>& member) {
    if (member == nullptr) return nb::none();
    if constexpr (std::is_same_v<T, Trajectory>) {
      return nb::cast(std::const_pointer_cast<T>(member));
    } else {
      return Kept<T>::save(*member);
    }
  }
  static std::shared_ptr<const T> load(nb::handle state) {
    if (state.is_none()) return nullptr;
    if constexpr (std::is_same_v<T, Trajectory>) {
      return nb::cast<std::shared_ptr<T>>(state);
    } else {
      return std::make_shared<const T>(Kept<T>::load(state));
    }
  }
};

template <class T, class... Members>
nb::tuple state_of(const T& object, Members T::*... members) {
  return nb::make_tuple(Kept<Members>::save(object.*members)...);
}

template <class T, class... Members>
T from_state(nb::handle state, Members T::*... members) {
  T made{};
  std::size_t at = 0;
  ((made.*members = Kept<Members>::load(state[at++])), ...);
  return made;
}

template <>
struct Kept<LambdaCurve> {
  static nb::object save(const LambdaCurve& curve) {
    nb::list points;
    for (const LambdaPoint& point : curve.points) {
      points.append(nb::make_tuple(point.lambda, point.residual, point.penalty, point.freedom));
    }
    return nb::make_tuple(points, curve.samples, curve.eigenvalue, curve.iterations, curve.unfinished,
                          curve.unfinished_probes);
  }
  static LambdaCurve load(nb::handle state) {
    LambdaCurve curve{.points = {},
                      .samples = nb::cast<Index>(state[1]),
                      .eigenvalue = nb::cast<double>(state[2]),
                      .iterations = nb::cast<Index>(state[3]),
                      .unfinished = nb::cast<Index>(state[4]),
                      .unfinished_probes = nb::cast<Index>(state[5])};
    for (const nb::handle point : state[0]) {
      curve.points.push_back({nb::cast<double>(point[0]), nb::cast<double>(point[1]), nb::cast<double>(point[2]),
                              nb::cast<double>(point[3])});
    }
    return curve;
  }
};

template <>
struct Kept<std::vector<SliceLambda>> {
  static nb::object save(const std::vector<SliceLambda>& lambdas) {
    nb::list list;
    for (const SliceLambda& one : lambdas) list.append(nb::make_tuple(one.slice, one.choice));
    return list;
  }
  static std::vector<SliceLambda> load(nb::handle state) {
    std::vector<SliceLambda> lambdas;
    for (const nb::handle one : state) lambdas.push_back({nb::cast<int>(one[0]), nb::cast<LambdaChoice>(one[1])});
    return lambdas;
  }
};

template <>
struct Kept<Notes> {
  static nb::object save(const Notes& notes) {
    nb::list list;
    for (const Note& note : notes) list.append(nb::make_tuple(std::string(note), static_cast<int>(note.kind)));
    return list;
  }
  static Notes load(nb::handle state) {
    Notes notes;
    for (const nb::handle one : state) {
      notes.emplace_back(nb::cast<std::string>(one[0]), static_cast<NoteKind>(nb::cast<int>(one[1])));
    }
    return notes;
  }
};

template <>
struct Kept<ErrorBars> {
  static nb::object save(const ErrorBars& bars) {
    return state_of(bars, &ErrorBars::standard_deviation, &ErrorBars::g_factor, &ErrorBars::bias,
                    &ErrorBars::point_spreads, &ErrorBars::spread_widths);
  }
  static ErrorBars load(nb::handle state) {
    return from_state(state, &ErrorBars::standard_deviation, &ErrorBars::g_factor, &ErrorBars::bias,
                      &ErrorBars::point_spreads, &ErrorBars::spread_widths);
  }
};

template <>
struct Kept<Reconstruction> {
  static auto members() {
    using Made = Reconstruction;
    return std::tuple(&Made::images, &Made::frames, &Made::reports, &Made::set_images, &Made::parts, &Made::coil_maps,
                      &Made::lambdas, &Made::certificates, &Made::error_bars, &Made::stage_seconds, &Made::notes);
  }
  static nb::object save(const Reconstruction& made) {
    return std::apply([&](auto... of) { return state_of(made, of...); }, members());
  }
  static Reconstruction load(nb::handle state) {
    return std::apply([&](auto... of) { return from_state(state, of...); }, members());
  }
};

template <>
struct Kept<ImageOutlook> {
  static nb::object save(const ImageOutlook& of) {
    return state_of(of, &ImageOutlook::standard_deviation, &ImageOutlook::snr, &ImageOutlook::widths,
                    &ImageOutlook::side_lobe);
  }
  static ImageOutlook load(nb::handle state) {
    return from_state(state, &ImageOutlook::standard_deviation, &ImageOutlook::snr, &ImageOutlook::widths,
                      &ImageOutlook::side_lobe);
  }
};

template <>
struct Kept<Corrected> {
  static nb::object save(const Corrected& of) { return state_of(of, &Corrected::poses, &Corrected::readout_shifts); }
  static Corrected load(nb::handle state) { return from_state(state, &Corrected::poses, &Corrected::readout_shifts); }
};

template <>
struct Kept<SubspaceBasis> {
  static nb::object save(const SubspaceBasis& basis) {
    return state_of(basis, &SubspaceBasis::vectors, &SubspaceBasis::part, &SubspaceBasis::origin);
  }
  static SubspaceBasis load(nb::handle state) {
    return from_state(state, &SubspaceBasis::vectors, &SubspaceBasis::part, &SubspaceBasis::origin);
  }
};

template <class T, class... Members>
void def_pickle(nb::module_& m, const char* name, Members T::*... members) {
  auto type = nb::borrow<nb::class_<T>>(m.attr(name));
  type.def("__getstate__", [members...](const T& self) { return state_of(self, members...); });
  type.def("__setstate__",
           [members...](T& self, const nb::tuple& state) { new (&self) T(from_state<T>(state, members...)); });
}

}  // namespace

void bind_pickles(nb::module_& m) {
  def_pickle(m, "FrameIndex", &FrameIndex::slice, &FrameIndex::contrast, &FrameIndex::phase, &FrameIndex::repetition,
             &FrameIndex::set);
  def_pickle(m, "Geometry", &Geometry::field_of_view_mm, &Geometry::position_mm, &Geometry::read_direction,
             &Geometry::phase_direction, &Geometry::slice_direction);
  def_pickle(m, "ImageFrame", &ImageFrame::index, &ImageFrame::geometry);
  def_pickle(m, "ScanFrame", &ScanFrame::index, &ScanFrame::trajectory, &ScanFrame::weights, &ScanFrame::data,
             &ScanFrame::geometry);
  def_pickle(m, "SolverReport", &SolverReport::iterations, &SolverReport::residuals, &SolverReport::costs,
             &SolverReport::primal_residuals, &SolverReport::dual_residuals, &SolverReport::gaps,
             &SolverReport::changes, &SolverReport::operator_applications, &SolverReport::stop_reason);
  def_pickle(m, "LambdaChoice", &LambdaChoice::method, &LambdaChoice::lambda, &LambdaChoice::noise_energy,
             &LambdaChoice::reason, &LambdaChoice::curve, &LambdaChoice::kind);
  def_pickle(m, "Certificate", &Certificate::slice, &Certificate::samples, &Certificate::relative_error,
             &Certificate::bound);
  def_pickle(m, "ScaledError", &ScaledError::scale, &ScaledError::nrmse);
  def_pickle(m, "ErrorMeasures", &ErrorMeasures::mse, &ErrorMeasures::psnr_db, &ErrorMeasures::snr_db,
             &ErrorMeasures::percent_error);
  def_pickle(m, "ScanOutlook", &ScanOutlook::least_squares, &ScanOutlook::gridding, &ScanOutlook::g_factor,
             &ScanOutlook::point_spread, &ScanOutlook::object, &ScanOutlook::coils, &ScanOutlook::readouts,
             &ScanOutlook::readout_ms, &ScanOutlook::pass_seconds, &ScanOutlook::back_to_back, &ScanOutlook::averages,
             &ScanOutlook::voxel_mm, &ScanOutlook::bytes, &ScanOutlook::convolution, &ScanOutlook::iterations,
             &ScanOutlook::seconds);
  def_pickle(m, "GradientDelays", &GradientDelays::x, &GradientDelays::y, &GradientDelays::z, &GradientDelays::xy,
             &GradientDelays::xz, &GradientDelays::yz);
  def_pickle(m, "ObjectPose", &ObjectPose::shift_mm, &ObjectPose::rotation_degrees);
  def_pickle(m, "SubspaceBasis", &SubspaceBasis::vectors, &SubspaceBasis::part, &SubspaceBasis::origin);
  def_pickle(m, "Reconstruction", &JobResult::made, &JobResult::basis, &JobResult::corrected, &JobResult::gating,
             &JobResult::record_text);
}

}  // namespace whorl::python
