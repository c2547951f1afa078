// An object that reaches beyond the field of view on one side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "doctor/check.hpp"
#include "whorl/scan/shift_field_of_view.hpp"

namespace whorl::doctor {

namespace {

constexpr double first_step = 0.125;  // fields of view
constexpr double last_step = 0.02;
constexpr int centerings = 3;

// The center of the images' energy along an axis, in fields of view.
double middle_along(const detail::CenterFit& fit, int axis) {
  Index below = 1;
  for (int a = 0; a < axis; ++a) below *= fit.grid;
  double moment = 0;
  for (Index v = 0; v < fit.image.rows(); ++v) {
    const double voxel = static_cast<double>(v / below % fit.grid) - static_cast<double>(fit.grid - 1) / 2;
    moment += voxel * fit.image.row(v).squaredNorm();
  }
  return moment / fit.image.squaredNorm() / static_cast<double>(fit.grid);
}

// The samples near the center, for any place of the object.
class Movable {
 public:
  Movable(const Context& ctx, Examination& examination) : radius_(detail::center_radius(examination.scan().dim())) {
    const Place place = [&](Index j) { return examination.nominal(j); };
    samples_ = examination.center_samples(ctx, examination.samples_within(place, radius_), place);
    model_ = std::make_unique<const detail::CenterModel>(ctx, samples_.dim, samples_.places);
  }

  /// After a move by so many fields of view.
  detail::CenterFit fit(const std::array<double, 3>& shift) const { return model_->fit(samples_.moved(shift)); }

 private:
  double radius_;
  detail::CenterSamples samples_;
  std::unique_ptr<const detail::CenterModel> model_;
};

// The move that leaves the least contradiction: over the whole field of view along one axis after the other, then in
// ever smaller steps.
std::array<double, 3> best_move_of(const Movable& object, int dim) {
  std::array<double, 3> shift{};
  double least = object.fit(shift).residual;
  const auto attempt = [&](int axis, double to) {
    std::array<double, 3> other = shift;
    other[static_cast<std::size_t>(axis)] = to;
    const double residual = object.fit(other).residual;
    if (residual >= least) return false;
    least = residual;
    shift = other;
    return true;
  };
  for (int round = 0; round < 2; ++round) {
    for (int axis = 0; axis < dim; ++axis) {
      for (double to = -0.5; to <= 0.5; to += first_step) attempt(axis, to);
    }
  }
  for (double step = first_step / 2; step > last_step; step /= 2) {
    for (int axis = 0; axis < dim; ++axis) {
      const double from = shift[static_cast<std::size_t>(axis)];
      if (!attempt(axis, from - step)) attempt(axis, from + step);
    }
  }
  return shift;
}

// The header's position in fields of view; zeros where it is less than a pixel, or the field of view is not known.
std::array<double, 3> position_of_header(const Scan& scan) {
  const ScanFrame& frame = scan.frames.front();
  const auto& field = frame.geometry.field_of_view_mm;
  if (!std::all_of(field.begin(), field.begin() + scan.dim(), [](double length) { return length > 0; })) return {};
  std::array<double, 3> position = position_in_pixels(scan, frame);
  if (std::none_of(position.begin(), position.end(), [](double pixels) { return std::abs(pixels) >= 1; })) return {};
  for (std::size_t axis = 0; axis < 3; ++axis) position[axis] /= static_cast<double>(scan.matrix[axis]);
  return position;
}

// Scanners move data to the position of the header, or leave them about the isocenter: an object that lies within the field of
// view in one of both ways tells which.
Findings judge_header_position(const Context& ctx, Examination& examination, const Movable& object, double nominal) {
  const Scan& scan = examination.scan();
  const std::array<double, 3> position = position_of_header(scan);
  if (position == std::array<double, 3>{}) return {};
  const std::array<double, 3> pixels = position_in_pixels(scan, scan.frames.front());
  const std::string text = fmt::format("{:.4g},{:.4g}{}", pixels[0], pixels[1],
                                       scan.dim() == 3 ? fmt::format(",{:.4g}", pixels[2]) : std::string());
  const detail::CenterFit moved = object.fit(position);
  const bool fits = examination.is_consistent(ctx, nominal);
  Finding finding;
  finding.check = "header position";
  finding.value = std::hypot(pixels[0], pixels[1], pixels[2]);
  finding.unit = "pixels";
  if (!fits && examination.explains(ctx, nominal, moved)) {
    finding.what = fmt::format(
        "the data are about the isocenter: at the header's position, {} pixels away, the object lies in the field of "
        "view "
        "(contradiction {:.3g}, after the move {:.3g})",
        text, nominal, moved.residual);
    finding.confidence = explained(nominal, moved.residual);
    finding.remedy = "whorl recon --shift-fov header";
    finding.mend_text = "images moved to the position of the header";
    finding.mend = [](const Context&, Scan& of) { shift_to_header(of); };
    return {finding};
  }
  if (fits && !examination.is_consistent(ctx, moved.residual)) {
    finding.is_fault = false;
    finding.what = fmt::format(
        "the data hold the header's position, {} pixels from the isocenter: another move would put the object beyond "
        "the "
        "field of view",
        text);
    finding.confidence = explained(moved.residual, nominal);
    finding.remedy = "none needed";
    return {finding};
  }
  if (fits) {
    examination.undecided.push_back(
        fmt::format("header position: the object lies in the field of view whether the data hold the header's position "
                    "({} pixels) or "
                    "not; an image of --shift-fov header beside one without tells",
                    text));
  }
  return {};
}

}  // namespace

// If the samples agree with an object within the field of view once that is moved, the place was wrong. An object off
// center that fits is no fault.
Findings find_cut_object(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  const detail::CenterFit& nominal = examination.nominal_fit(ctx);
  if (nominal.grid == 0) return {};
  const bool consistent = examination.is_consistent(ctx, nominal.residual);
  if (consistent && position_of_header(scan) == std::array<double, 3>{}) return {};
  const Movable object(ctx, examination);
  Findings header = judge_header_position(ctx, examination, object, nominal.residual);
  if (consistent || !header.empty()) return header;
  std::array<double, 3> shift = best_move_of(object, scan.dim());
  if (!examination.explains(ctx, nominal.residual, object.fit(shift))) return {};
  // Any place of the object within the field of view explains the samples: its middle goes to the center.
  for (int times = 0; times < centerings; ++times) {
    const detail::CenterFit seen = object.fit(shift);
    for (int axis = 0; axis < scan.dim(); ++axis) {
      shift[static_cast<std::size_t>(axis)] += middle_along(seen, axis);
    }
  }
  const detail::CenterFit moved = object.fit(shift);
  if (!examination.explains(ctx, nominal.residual, moved)) return {};
  std::array<double, 3> pixels{};
  double distance = 0;
  std::string option;
  for (int axis = 0; axis < scan.dim(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    pixels[a] = std::round(shift[a] * static_cast<double>(scan.matrix[a]));
    distance = std::max(distance, std::abs(pixels[a]));
    option += fmt::format("{}{:g}", axis > 0 ? "," : "", pixels[a]);
  }
  return {{.check = "off-center object",
           .what = fmt::format(
               "the object reaches beyond the field of view: its middle lies {} pixels from the center along "
               "x,y{} (contradiction {:.3g}, after the move {:.3g})",
               option, scan.dim() == 3 ? ",z" : "", nominal.residual, moved.residual),
           .value = distance,
           .unit = "pixels",
           .confidence = explained(nominal.residual, moved.residual),
           .remedy = "whorl recon --shift-fov " + option,
           .mend_text = fmt::format("field of view moved by {} pixels", option),
           .mend = [pixels](const Context&, Scan& of) { shift_field_of_view(of, pixels); }}};
}

}  // namespace whorl::doctor
