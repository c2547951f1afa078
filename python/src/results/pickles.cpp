// What pickles have of the classes of the library.
#include "results/pickles.hpp"

#include "bindings.hpp"
#include "whorl/calib/field_map.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/correct/delay_estimate.hpp"
#include "whorl/correct/estimate_motion.hpp"
#include "whorl/correct/gradient_response.hpp"
#include "whorl/doctor/examine.hpp"
#include "whorl/fit/diffusion.hpp"
#include "whorl/fit/relaxation.hpp"
#include "whorl/fit/water_fat.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/job/recon_job.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/recon/outlook.hpp"
#include "whorl/recon/readout_field.hpp"
#include "whorl/scan/self_gating.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

namespace whorl::python {

template <>
inline constexpr auto members_of<FrameIndex> = std::tuple(&FrameIndex::slice, &FrameIndex::contrast, &FrameIndex::phase,
                                                          &FrameIndex::repetition, &FrameIndex::set);
template <>
inline constexpr auto members_of<Geometry> = std::tuple(&Geometry::field_of_view_mm, &Geometry::position_mm,
                                                        &Geometry::read_direction, &Geometry::phase_direction,
                                                        &Geometry::slice_direction);
template <>
inline constexpr auto members_of<ImageFrame> = std::tuple(&ImageFrame::index, &ImageFrame::geometry);
template <>
inline constexpr auto members_of<ScanFrame> = std::tuple(&ScanFrame::index, &ScanFrame::trajectory, &ScanFrame::weights,
                                                         &ScanFrame::data, &ScanFrame::geometry);
template <>
inline constexpr auto members_of<Scan> = std::tuple(&Scan::source, &Scan::system, &Scan::matrix, &Scan::coils,
                                                    &Scan::trajectory_kind, &Scan::trajectory_unit, &Scan::noise,
                                                    &Scan::noise_dwell_us, &Scan::dwell_us, &Scan::readout_interval_ms,
                                                    &Scan::frame_interval_ms, &Scan::readout_start_us,
                                                    &Scan::echo_times_ms, &Scan::coil_maps, &Scan::frames,
                                                    &Scan::sample_weights, &Scan::notes);
template <>
inline constexpr auto members_of<GatingSignal> = std::tuple(&GatingSignal::values, &GatingSignal::phases,
                                                            &GatingSignal::frequency_hz, &GatingSignal::part);
template <>
inline constexpr auto members_of<GatedScan> = std::tuple(&GatedScan::scan, &GatedScan::signals, &GatedScan::bins);
template <>
inline constexpr auto members_of<SolverReport> = std::tuple(&SolverReport::iterations, &SolverReport::residuals,
                                                            &SolverReport::costs, &SolverReport::primal_residuals,
                                                            &SolverReport::dual_residuals, &SolverReport::gaps,
                                                            &SolverReport::changes,
                                                            &SolverReport::operator_applications,
                                                            &SolverReport::stop_reason);
template <>
inline constexpr auto members_of<LargestEigenvalue> = std::tuple(&LargestEigenvalue::value,
                                                                 &LargestEigenvalue::residual,
                                                                 &LargestEigenvalue::iterations);
template <>
inline constexpr auto members_of<LambdaPoint> = std::tuple(&LambdaPoint::lambda, &LambdaPoint::residual,
                                                           &LambdaPoint::penalty, &LambdaPoint::freedom);
template <>
inline constexpr auto members_of<LambdaCurve> = std::tuple(&LambdaCurve::points, &LambdaCurve::samples,
                                                           &LambdaCurve::eigenvalue, &LambdaCurve::iterations,
                                                           &LambdaCurve::unfinished, &LambdaCurve::unfinished_probes);
template <>
inline constexpr auto members_of<LambdaChoice> = std::tuple(&LambdaChoice::method, &LambdaChoice::lambda,
                                                            &LambdaChoice::noise_energy, &LambdaChoice::reason,
                                                            &LambdaChoice::curve, &LambdaChoice::kind);
template <>
inline constexpr auto members_of<SliceLambda> = std::tuple(&SliceLambda::slice, &SliceLambda::choice);
template <>
inline constexpr auto members_of<Certificate> = std::tuple(&Certificate::slice, &Certificate::samples,
                                                           &Certificate::relative_error, &Certificate::bound);
template <>
inline constexpr auto members_of<ScaledError> = std::tuple(&ScaledError::scale, &ScaledError::nrmse);
template <>
inline constexpr auto members_of<ErrorMeasures> = std::tuple(&ErrorMeasures::mse, &ErrorMeasures::psnr_db,
                                                             &ErrorMeasures::snr_db, &ErrorMeasures::percent_error);
template <>
inline constexpr auto members_of<ImageOutlook> = std::tuple(&ImageOutlook::standard_deviation, &ImageOutlook::snr,
                                                            &ImageOutlook::widths, &ImageOutlook::side_lobe);
template <>
inline constexpr auto members_of<ScanOutlook> =
    std::tuple(&ScanOutlook::least_squares, &ScanOutlook::gridding, &ScanOutlook::g_factor, &ScanOutlook::point_spread,
               &ScanOutlook::object, &ScanOutlook::coils, &ScanOutlook::readouts, &ScanOutlook::readout_ms,
               &ScanOutlook::pass_seconds, &ScanOutlook::back_to_back, &ScanOutlook::averages, &ScanOutlook::voxel_mm,
               &ScanOutlook::bytes, &ScanOutlook::convolution, &ScanOutlook::iterations, &ScanOutlook::seconds);
template <>
inline constexpr auto members_of<GradientDelays> = std::tuple(&GradientDelays::x, &GradientDelays::y,
                                                              &GradientDelays::z, &GradientDelays::xy,
                                                              &GradientDelays::xz, &GradientDelays::yz);
template <>
inline constexpr auto members_of<DelayEstimate> = std::tuple(&DelayEstimate::delays, &DelayEstimate::standard_error,
                                                             &DelayEstimate::samples, &DelayEstimate::before,
                                                             &DelayEstimate::after, &DelayEstimate::is_significant,
                                                             &DelayEstimate::doubt);
template <>
inline constexpr auto members_of<ObjectPose> = std::tuple(&ObjectPose::shift_mm, &ObjectPose::rotation_degrees);
template <>
inline constexpr auto members_of<MotionEstimate> = std::tuple(&MotionEstimate::poses,
                                                              &MotionEstimate::standard_error_mm,
                                                              &MotionEstimate::standard_error_degrees,
                                                              &MotionEstimate::resolution_mm);
template <>
inline constexpr auto members_of<GradientResponse> = std::tuple(&GradientResponse::frequencies_hz,
                                                                &GradientResponse::gradient, &GradientResponse::field);
template <>
inline constexpr auto members_of<Trajectory> = std::tuple(&Trajectory::points, &Trajectory::readout_length);
template <>
inline constexpr auto members_of<PlayedTrajectory> = std::tuple(&PlayedTrajectory::trajectory, &PlayedTrajectory::turns,
                                                                &PlayedTrajectory::largest_shift,
                                                                &PlayedTrajectory::energy_beyond);
template <>
inline constexpr auto members_of<Finding> = std::tuple(&Finding::check, &Finding::is_fault, &Finding::what,
                                                       &Finding::value, &Finding::unit, &Finding::confidence,
                                                       &Finding::remedy, &Finding::mend_text);
template <>
inline constexpr auto members_of<Diagnosis> = std::tuple(&Diagnosis::findings, &Diagnosis::undecided,
                                                         &Diagnosis::mended, &Diagnosis::is_changed);
template <>
inline constexpr auto members_of<FieldMap> = std::tuple(&FieldMap::hertz, &FieldMap::error, &FieldMap::mask,
                                                        &FieldMap::regions, &FieldMap::coherence, &FieldMap::agreement);
template <>
inline constexpr auto members_of<ReadoutField> = std::tuple(&ReadoutField::hertz, &ReadoutField::geometry,
                                                            &ReadoutField::steps, &ReadoutField::error_before,
                                                            &ReadoutField::error_after, &ReadoutField::significance,
                                                            &ReadoutField::notes, &ReadoutField::stage_seconds);
template <>
inline constexpr auto members_of<NlinvStep> = std::tuple(&NlinvStep::alpha, &NlinvStep::misfit, &NlinvStep::iterations);
template <>
inline constexpr auto members_of<NlinvReport> = std::tuple(&NlinvReport::steps, &NlinvReport::misfit);
template <>
inline constexpr auto members_of<RelaxationMaps> = std::tuple(&RelaxationMaps::time, &RelaxationMaps::time_error,
                                                              &RelaxationMaps::amplitude,
                                                              &RelaxationMaps::amplitude_error,
                                                              &RelaxationMaps::inversion, &RelaxationMaps::fitted,
                                                              &RelaxationMaps::failed);
template <>
inline constexpr auto members_of<DiffusionMaps> = std::tuple(&DiffusionMaps::diffusivity,
                                                             &DiffusionMaps::diffusivity_error,
                                                             &DiffusionMaps::amplitude, &DiffusionMaps::amplitude_error,
                                                             &DiffusionMaps::fitted, &DiffusionMaps::failed);
template <>
inline constexpr auto members_of<TensorMaps> = std::tuple(&TensorMaps::mean, &TensorMaps::anisotropy,
                                                          &TensorMaps::anisotropy_error, &TensorMaps::eigenvalues,
                                                          &TensorMaps::eigenvectors, &TensorMaps::tensor);
template <>
inline constexpr auto members_of<WaterFatMaps> = std::tuple(&WaterFatMaps::water, &WaterFatMaps::water_error,
                                                            &WaterFatMaps::fat, &WaterFatMaps::fat_error,
                                                            &WaterFatMaps::fraction, &WaterFatMaps::fraction_error,
                                                            &WaterFatMaps::r2_star, &WaterFatMaps::r2_star_error,
                                                            &WaterFatMaps::field, &WaterFatMaps::field_error,
                                                            &WaterFatMaps::fitted, &WaterFatMaps::failed);
template <>
inline constexpr auto members_of<SubspaceBasis> = std::tuple(&SubspaceBasis::vectors, &SubspaceBasis::part,
                                                             &SubspaceBasis::origin);
template <>
inline constexpr auto members_of<Affine> = std::tuple(&Affine::matrix, &Affine::in_scanner);
template <>
inline constexpr auto members_of<ReferenceImage> = std::tuple(&ReferenceImage::source, &ReferenceImage::values,
                                                              &ReferenceImage::affine);
template <>
inline constexpr auto members_of<NamedArray> = std::tuple(&NamedArray::name, &NamedArray::values, &NamedArray::affine,
                                                          &NamedArray::fault);
template <>
inline constexpr auto members_of<PulseqReadout> = std::tuple(&PulseqReadout::first, &PulseqReadout::samples,
                                                             &PulseqReadout::dwell_us, &PulseqReadout::frame);
template <>
inline constexpr auto members_of<PulseqReadouts> =
    std::tuple(&PulseqReadouts::positions_per_m, &PulseqReadouts::seconds, &PulseqReadouts::seconds_after_excitation,
               &PulseqReadouts::readouts, &PulseqReadouts::field_of_view_mm, &PulseqReadouts::notes);
template <>
inline constexpr auto members_of<Solid> = std::tuple(&Solid::kind, &Solid::center, &Solid::half_axes, &Solid::angle);
template <>
inline constexpr auto members_of<Contour> = std::tuple(&Contour::kind, &Contour::points, &Contour::center_z,
                                                       &Contour::half_length);
template <>
inline constexpr auto members_of<Tissue> = std::tuple(&Tissue::intensity, &Tissue::r2_star, &Tissue::off_resonance);
template <>
inline constexpr auto members_of<Region> = std::tuple(&Region::figure, &Region::added);
template <>
inline constexpr auto members_of<AirSphere> = std::tuple(&AirSphere::center, &AirSphere::radius);
template <>
inline constexpr auto members_of<MainField> = std::tuple(&MainField::harmonics, &MainField::air);
template <>
inline constexpr auto members_of<Phantom> = std::tuple(&Phantom::name, &Phantom::dim, &Phantom::regions,
                                                       &Phantom::field);
template <>
inline constexpr auto members_of<PhantomCoils> = std::tuple(&PhantomCoils::matrix, &PhantomCoils::frequencies,
                                                            &PhantomCoils::coefficients);
template <>
inline constexpr auto members_of<SavedNormal> = std::tuple(&SavedNormal::trajectory, &SavedNormal::samples,
                                                           &SavedNormal::origin, &SavedNormal::spectrum);
template <>
inline constexpr auto members_of<SavedNormals> = std::tuple(&SavedNormals::image, &SavedNormals::normals,
                                                            &SavedNormals::source);
template <>
inline constexpr auto members_of<ErrorBars> = std::tuple_cat(voxel_error_bars, std::tuple(&ErrorBars::point_spreads,
                                                                                          &ErrorBars::spread_widths));
template <>
inline constexpr auto members_of<Corrected> = std::tuple(&Corrected::poses, &Corrected::readout_shifts);
template <>
inline constexpr auto members_of<Reconstruction> = std::tuple(&Reconstruction::images, &Reconstruction::frames,
                                                              &Reconstruction::reports, &Reconstruction::set_images,
                                                              &Reconstruction::parts, &Reconstruction::coil_maps,
                                                              &Reconstruction::lambdas, &Reconstruction::certificates,
                                                              &Reconstruction::error_bars, &Reconstruction::normals,
                                                              &Reconstruction::stage_seconds, &Reconstruction::notes);
template <>
inline constexpr auto members_of<JobResult> = std::tuple(&JobResult::made, &JobResult::basis, &JobResult::corrected,
                                                         &JobResult::gating, &JobResult::record_text);
template <>
inline constexpr auto members_of<ReconPlan> = std::tuple(&ReconPlan::bytes, &ReconPlan::limit, &ReconPlan::stage_bytes,
                                                         &ReconPlan::trajectories, &ReconPlan::solves,
                                                         &ReconPlan::frames_at_once, &ReconPlan::coils_at_once,
                                                         &ReconPlan::convolution, &ReconPlan::iterations,
                                                         &ReconPlan::frames, &ReconPlan::spilled);
template <>
inline constexpr auto members_of<JobPlan> = std::tuple(&JobPlan::plan, &JobPlan::reading_bytes);

namespace {

template <class... Types>
void def_pickles() {
  (def_pickle(nb::borrow<nb::class_<Types>>(nb::type<Types>())), ...);
}

}  // namespace

void bind_pickles(Module&) {
  def_pickles<FrameIndex, Geometry, ImageFrame, ScanFrame, Scan, GatingSignal, GatedScan, SolverReport,
              LargestEigenvalue, LambdaChoice, Certificate, ScaledError, ErrorMeasures, ImageOutlook, ScanOutlook,
              GradientDelays, DelayEstimate, ObjectPose, MotionEstimate, GradientResponse, PlayedTrajectory, Finding,
              Diagnosis, FieldMap, ReadoutField, NlinvStep, NlinvReport, RelaxationMaps, DiffusionMaps, TensorMaps,
              WaterFatMaps, SubspaceBasis, ReferenceImage, NamedArray, PulseqReadout, PulseqReadouts, Phantom,
              PhantomCoils, SavedNormals, JobResult, JobPlan>();
}

}  // namespace whorl::python
