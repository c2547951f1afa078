// Options that have no effect beside the others are refused, by every command, before a file is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

struct Refused {
  std::string words;
  std::string message;
};

class OptionEffects : public testing::Test {
 protected:
  test::ProcessResult run(const std::string& words) const {
    std::vector<std::string> command{WHORL_PROGRAM};
    std::istringstream stream(words);
    for (std::string word; stream >> word;) command.push_back(word);
    return test::run_process(command, {.folder = folder_ / "."});
  }

  void expect_refused(const std::vector<Refused>& cases) const {
    for (const auto& [words, message] : cases) {
      const auto result = run(words);
      EXPECT_EQ(result.exit_code, 2) << words << '\n' << result.err;
      EXPECT_NE(result.err.find("whorl: error: " + message + "; see whorl "), std::string::npos) << words << '\n'
                                                                                                 << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
  }

  // What is not refused fails for the file that is not there.
  void expect_taken(const std::vector<std::string>& cases) const {
    for (const std::string& words : cases) {
      const auto result = run(words);
      EXPECT_EQ(result.exit_code, 1) << words << '\n' << result.err;
      EXPECT_NE(result.err.find("none"), std::string::npos) << words << '\n' << result.err;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(OptionEffects, OfAReconstruction) {
  const std::string gridding = "recon none.h5 -o a.nii --method gridding ";
  const std::string maps = "cg-sense or combine matched";
  const std::string weighted = "cg-sense and a lambda above 0";
  const std::string prior = "a prior and a lambda above 0";
  const std::string alone = ", without regularizers and subspaces";
  const std::string linear = "cg-sense without --regularize";
  expect_refused(
      {{gridding + "--lambda 0.1", "--lambda applies only with cg-sense"},
       {gridding + "--lambda gcv --lambda-probes 3", "--lambda applies only with cg-sense"},
       {gridding + "--iterations 3", "--iterations applies only with cg-sense"},
       {gridding + "--tolerance 0.1", "--tolerance applies only with cg-sense"},
       {gridding + "--penalty smoothness", "--penalty applies only with " + weighted},
       {gridding + "--prior p.nii", "--prior applies only with " + weighted},
       {gridding + "--normal n.npz", "--normal applies only with cg-sense or nlinv"},
       {gridding + "--save-normal n.npz", "--save-normal applies only with cg-sense or nlinv, and no --normal"},
       {gridding + "--gfactor g.nii", "--gfactor applies only with " + linear},
       {gridding + "--bias b.nii", "--bias applies only with " + linear},
       {gridding + "--truth-bar b.nii", "--truth-bar applies only with " + linear},
       {gridding + "--certify 60", "--certify applies only with cg-sense"},
       {gridding + "--psf 3,4", "--psf applies only with " + linear},
       {gridding + "--maps walsh", "--maps applies only with " + maps},
       {gridding + "--maps-file m.npy", "--maps-file applies only with " + maps},
       {gridding + "--calibration 12", "--calibration applies only with coil maps by espirit"},
       {gridding + "--espirit-crop 0.5", "--espirit-crop applies only with coil maps by espirit"},
       {gridding + "--combine matched --stddev s.nii --replicas 3",
        "--replicas applies only with --stddev, --gfactor, --truth-bar or --truth-bound of cg-sense"}});
  const std::string least_squares = "recon none.h5 -o a.nii ";
  const std::string curve =
      "--lambda gcv (the default of a prior), lcurve or discrepancy, or a chosen weight of --regularize";
  const std::string gcv = "cg-sense with --lambda gcv, the default of a prior";
  expect_refused(
      {{least_squares + "--density radial", "--density applies only with gridding or coil maps by walsh"},
       {least_squares + "--combine rss", "--combine applies only with gridding"},
       {least_squares + "--maps walsh --espirit-kernel 5", "--espirit-kernel applies only with coil maps by espirit"},
       {least_squares + "--maps walsh --calibration 12", "--calibration applies only with coil maps by espirit"},
       {least_squares + "--maps-file m.npy --calibration 12", "--calibration applies only with coil maps by espirit"},
       {least_squares + "--walsh-block 5", "--walsh-block applies only with coil maps by walsh"},
       {least_squares + "--window 0,1", "--window applies only with a picture (--png)"},
       {least_squares + "--tiles 2", "--tiles applies only with a picture (--png)"},
       {least_squares + "--prior-noise 2", "--prior-noise applies only with " + prior},
       {least_squares + "--penalty smoothness --prior-contrast 0.2", "--prior-contrast applies only with " + prior},
       {least_squares + "--lambda-probes 4", "--lambda-probes applies only with " + gcv},
       {least_squares + "--lambda 0.1 --lambda-seed 4", "--lambda-seed applies only with " + gcv},
       {least_squares + "--lambda lcurve --lambda-probes 4", "--lambda-probes applies only with " + gcv},
       {least_squares + "--lambda 0.1 --lambda-curve c.png", "--lambda-curve applies only with " + curve},
       {least_squares + "--transform exact --nufft-tolerance 1e-4",
        "--nufft-tolerance applies only with transform nufft"},
       {least_squares + "--transform exact --oversampling 2", "--oversampling applies only with transform nufft"},
       {least_squares + "--transform exact --window-function gaussian",
        "--window-function applies only with transform nufft"},
       {least_squares + "--dwell 5", "--dwell applies only with --field-map, --r2star, --concomitant or --girf"},
       {least_squares + "--girf-flat 5", "--girf-flat applies only with --girf"},
       {least_squares + "--readout-start 5",
        "--readout-start applies only with --field-map, --r2star or --concomitant"},
       {least_squares + "--noise-seed 3",
        "--noise-seed applies only with --stddev, --gfactor, --truth-bar or --truth-bound of cg-sense"},
       {least_squares + "--bias b.nii --replicas 3",
        "--replicas applies only with --stddev, --gfactor, --truth-bar or --truth-bound of cg-sense"},
       {least_squares + "--noise-tolerance 1e-3",
        "--noise-tolerance applies only with an error bar of cg-sense without --regularize"},
       {"recon none.h5 -o a.nii --method gridding --density radial --pipe-menon-iterations 3",
        "--pipe-menon-iterations applies only with --density pipe-menon or auto"}});
  const std::string sparse = least_squares + "--regularize tv:0.01,unit=largest ";
  expect_refused(
      {{sparse + "--penalty smoothness", "--penalty applies only with " + weighted},
       {sparse + "--lambda 0 --prior p.nii", "--prior applies only with " + weighted},
       {least_squares + "--lambda 0 --penalty smoothness", "--penalty applies only with " + weighted},
       {least_squares + "--lambda 0 --prior p.nii", "--prior applies only with " + weighted},
       {sparse + "--gfactor s.nii", "--gfactor applies only with " + linear},
       {sparse + "--psf 3,4", "--psf applies only with " + linear},
       {sparse + "--bias s.nii", "--bias applies only with " + linear},
       {sparse + "--truth-bound s.nii", "--truth-bound applies only with " + linear},
       {least_squares + "--truth-bar b.nii --unseen-radius 2", "--unseen-radius applies only with --truth-bound"},
       {least_squares + "--prior-align", "--prior-align applies only with " + prior + alone},
       {sparse + "--prior p.nii --lambda 0.1 --prior-align", "--prior-align applies only with " + prior + alone},
       {least_squares + "--prior p.nii --lambda 0.1 --subspace b.npy --prior-align",
        "--prior-align applies only with " + prior + alone},
       {least_squares + "--prior p.nii --lambda 0.1 --lambda-probes 4", "--lambda-probes applies only with " + gcv},
       {least_squares + "--truth-bar b.nii --stddev-method probe",
        "--stddev-method applies only with --stddev or --gfactor of cg-sense (bars of the truth always take "
        "replicas)"},
       {gridding + "--stddev s.nii", "--stddev applies only with " + maps},
       {"recon none.h5 -o a.png --complex", "--complex applies only with an image that is no picture (.png)"},
       {least_squares + "--penalty prior",
        "--penalty: prior has no reference image; name one or several by --prior FILE"}});
  expect_taken({sparse + "--lambda 0.1 --penalty smoothness", sparse + "--stddev s.nii",
                least_squares + "--lambda 0 --bias b.nii", least_squares + "--penalty smoothness --lambda lcurve",
                least_squares + "--complex --png a.png"});
  expect_taken({gridding + "--density pipe-menon --pipe-menon-iterations 3 --combine rss",
                gridding + "--combine matched --maps walsh --walsh-block 5",
                least_squares + "--maps walsh --density auto",
                least_squares + "--lambda auto --lambda-probes 4 --lambda-curve c.png",
                least_squares + "--png a.png --window 0,1 --tiles 2", "recon none.h5 -o none/a.png --window 0,1",
                least_squares + "--field-map none.nii --dwell 5 --readout-start -3 --certify 60 --delays auto",
                least_squares + "--bias b.nii --noise-tolerance 1e-3", least_squares + "--stddev s.nii --noise-seed 3",
                least_squares + "--prior none.nii --prior-align --lambda-probes 4 --lambda-curve c.png",
                least_squares + "--truth-bar b.nii --stddev s.nii --stddev-method probe",
                least_squares + "--truth-bound b.nii --noise-seed 3 --unseen-radius 2"});
}

TEST_F(OptionEffects, OfWhatAFileStatesItself) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  write_scan(ctx, scan, folder_ / "scan.npz");
  write_scan(ctx, scan, folder_ / "scan.cfl");
  write_scan(ctx, scan, folder_ / "scan.h5");
  scan.frames.resize(1);
  write_scan(ctx, scan, folder_ / "plain.h5", "challenge");
  write_array(ctx, folder_ / "image.npy", {"image", zeros<float>(ctx, {4, 5})});
  const std::string open = "scans that leave it open";
  for (const std::string file : {"scan.npz", "scan.cfl", "plain.h5"}) {
    expect_refused(
        {{"info " + file + " --trajectory-unit rad/pixel", "--trajectory-unit applies only with " + open},
         {"recon " + file + " -o a.npy --trajectory-unit rad/pixel", "--trajectory-unit applies only with " + open},
         {"recon " + file + " -o a.npy --group g", "--group applies only with ISMRMRD scans"},
         {"density " + file + " -o b.npz --encoding 1", "--encoding applies only with ISMRMRD scans"},
         {"coils estimate " + file + " -o m.npy --trajectory-columns xy",
          "--trajectory-columns applies only with ISMRMRD scans"},
         {"convert " + file + " -o b.npz --trajectory-unit rad/pixel",
          "--trajectory-unit applies only with " + open + ", and files that become one (--matrix)"}});
    EXPECT_EQ(run("info " + file + " --center middle").exit_code, 0);
  }
  EXPECT_EQ(run("info scan.h5 --trajectory-unit cycles/pixel --group dataset --encoding 0").exit_code, 0);
  expect_refused({{"info image.npy --center middle", "--center applies only with scans"},
                  {"info image.npy:image --group g", "--group applies only with scans"}});
}

TEST_F(OptionEffects, OfConversions) {
  const Context ctx;
  write_scan(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  write_array(ctx, folder_ / "image.npy", {"image", zeros<float>(ctx, {4, 5})});
  const std::string image = "convert image.npy -o b.npy ";
  const std::string scan = "convert scan.h5 -o b.npz ";
  const std::string becomes = "files that become a scan (--matrix)";
  const std::string arrays = "arrays that become a scan (--matrix)";
  expect_refused({{image + "--fov 200,200",
                   "--fov applies only with scans that do not say it, and files that become one (--matrix)"},
                  {image + "--dwell 5", "--dwell applies only with " + becomes},
                  {image + "--kind spiral", "--kind applies only with " + becomes + " and ISMRMRD scans"},
                  {image + "--center middle", "--center applies only with scans, and files that become one (--matrix)"},
                  {image + "--data-axes readout,shot", "--data-axes applies only with " + arrays},
                  {image + "--group g", "--group applies only with ISMRMRD scans"},
                  {scan + "--readout-length 4",
                   "--readout-length applies only with raw files and arrays that become a scan (--matrix)"},
                  {scan + "--data d", "--data applies only with " + arrays},
                  {image + "--matrix 8,8 --trajectory-columns xy",
                   "--trajectory-columns applies only with raw files and ISMRMRD scans"}});
  const auto contradicted = run(scan + "--fov 200,200");
  EXPECT_EQ(contradicted.exit_code, 1);
  EXPECT_NE(contradicted.err.find("the scan states a field of view of 160 mm along y, and not 200 mm"),
            std::string::npos)
      << contradicted.err;
  EXPECT_EQ(run(scan + "--trajectory-unit cycles/pixel --center middle --group dataset").exit_code, 0);
}

// The extension says the format, but for HDF5, where --to chooses among two.
TEST_F(OptionEffects, OfFormats) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  scan.frames.resize(1);
  write_scan(ctx, scan, folder_ / "scan.h5");
  write_array(ctx, folder_ / "image.npy", {"image", zeros<float>(ctx, {4, 5})});
  for (const std::string words : {"image.npy -o b.npz --to hdf5", "image.npy -o b.nii --to hdf5",
                                  "scan.h5 -o b.npz --to challenge", "scan.h5 -o b.cfl --to cfl"}) {
    expect_refused({{"convert " + words, "--to applies only with outputs in HDF5 (.h5)"}});
  }
  EXPECT_EQ(run("convert image.npy -o b.h5 --to hdf5").exit_code, 0);
  EXPECT_EQ(run("convert scan.h5 -o c.h5 --to challenge").exit_code, 0);
  EXPECT_EQ(run("convert scan.h5 -o d.h5").exit_code, 0);
  EXPECT_EQ(describe_file(folder_ / "c.h5").format, "challenge");
  EXPECT_EQ(describe_file(folder_ / "d.h5").format, "ismrmrd");
  expect_refused(
      {{"convert scan.h5 -o e.h5 --matrix 8,8", "--matrix applies only with files that are no ISMRMRD scan"}});
}

// What computes on the CPU alone takes no GPU, on any machine.
TEST_F(OptionEffects, OfAGpu) {
  for (const std::string command :
       {"convert a -o b.npy", "compare a b", "view a", "traj radial --matrix 8 -o t.h5", "density a -o b.h5",
        "phantom brain -t a -o b.h5", "coils show a", "coils compress a -o b.h5", "completion bash"}) {
    const auto result = run(command + " --device cuda");
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_NE(result.err.find("'cuda': this command has no work for a GPU; expected cpu or auto"), std::string::npos)
        << command << '\n'
        << result.err;
  }
  EXPECT_EQ(run("completion bash --device cpu").exit_code, 0);
}

TEST_F(OptionEffects, OfTrajectories) {
  const std::string golden = "order golden or fibonacci";
  const std::string designed = "readouts designed under gradient limits (no --samples)";
  const std::string drawn = "--undersampling random or poisson";
  expect_refused(
      {{"traj radial --matrix 16 -o t.h5 --golden-index 3", "--golden-index applies only with " + golden},
       {"traj stack-of-stars --matrix 16 -o t.h5 --golden-index 3", "--golden-index applies only with " + golden},
       {"traj propeller --matrix 16 -o t.h5 --golden-index 3", "--golden-index applies only with " + golden},
       {"traj kooshball --matrix 16 -o t.h5 --interleaves 3", "--interleaves applies only with order phyllotaxis"},
       {"traj density-adapted --matrix 16 -o t.h5 --interleaves 3",
        "--interleaves applies only with order phyllotaxis"},
       {"traj spiral --matrix 16 -o t.h5 --samples 9 --max-slew 3", "--max-slew applies only with " + designed},
       {"traj rosette --matrix 16 -o t.h5 --samples 9 --rewind", "--rewind applies only with " + designed},
       {"traj cones --matrix 16 -o t.h5 --samples 9 --nucleus 23Na", "--nucleus applies only with " + designed},
       {"traj spiral --matrix 16 -o t.h5 --samples 9 --gradients g.csv", "--gradients applies only with " + designed},
       {"traj cartesian --matrix 16 -o t.h5 --acceleration 2", "--acceleration applies only with --undersampling"},
       {"traj cartesian --matrix 16 -o t.h5 --calibration 2",
        "--calibration applies only with --undersampling or --partial-fourier"},
       {"traj cartesian --matrix 16 -o t.h5 --undersampling regular --seed 2", "--seed applies only with " + drawn},
       {"traj cartesian --matrix 16 -o t.h5 --variation 2", "--variation applies only with " + drawn}});
  expect_taken({"traj radial --matrix 16 -o none/t.h5 --order fibonacci --spokes 21 --golden-index 1",
                "traj cartesian --matrix 16 -o none/t.h5 --partial-fourier 0.75 --calibration 2"});
}

TEST_F(OptionEffects, OfPhantoms) {
  const std::string image = "phantom brain --matrix 8,8 --object none/a.npy ";
  const std::string noise = "--noise above 0, --snr or --noise-covariance";
  const std::string scan = "phantom brain -t none.h5 -o none/a.h5 ";
  const std::string place = "-o, --line-unit mm, or images that say where they lie (NIfTI, HDF5)";
  expect_refused(
      {{image + "--contrast standard", "--contrast applies only with shepp-logan"},
       {image + "--line-widths 2", "--line-widths applies only with resolution"},
       {image + "--coils 3", "--coils applies only with -o, --truth or --maps"},
       {image + "--seed 3", "--seed applies only with " + noise},
       {image + "--noise-samples 3", "--noise-samples applies only with " + noise},
       {image + "--group g", "--group applies only with --trajectory"},
       {image + "--fov 99,99", "--fov applies only with " + place},
       {scan + "--noise 0 --seed 3", "--seed applies only with " + noise},
       {scan + "--noise-correlation 0.3", "--noise-correlation applies only with --noise above 0 or --snr"},
       {scan + "--snr 9 --coils 1 --noise-correlation 0.3", "--noise-correlation applies only with 2 coils or more"},
       {"phantom resolution --matrix 8,8 --object none/a.npy --line-unit mm",
        "--line-unit applies only with --line-widths"}});
  expect_taken({image + "--truth none/b.npy --coils 3", scan + "--noise 1 --seed 3", scan + "--fov 99,99",
                image + "--truth none/b.nii --fov 99,99", scan + "--snr 9 --noise-correlation 0.3"});
}

TEST_F(OptionEffects, OfOtherCommands) {
  const Context ctx;
  write_scan(ctx, test::make_small_scan(ctx), folder_ / "scan.h5");
  write_array(ctx, folder_ / "samples.npy", {"samples", zeros<std::complex<float>>(ctx, {60})});
  const std::string pipe_menon = "--method pipe-menon, auto or all";
  expect_refused(
      {{"density none.h5 -o a.h5 --method radial --pipe-menon-iterations 3",
        "--pipe-menon-iterations applies only with " + pipe_menon},
       {"density none.h5 -o a.h5 --cell 2", "--cell applies only with --method cells or all"},
       {"density none.h5 -o a.h5 --boundary hull", "--boundary applies only with --method voronoi or all"},
       {"density none.h5 --method all --center middle", "--center applies only with -o"},
       {"coils estimate none.h5 -o m.npy --walsh-block 5", "--walsh-block applies only with coil maps by walsh"},
       {"coils estimate none.h5 -o m.npy --method walsh --calibration 12",
        "--calibration applies only with coil maps by espirit"},
       {"coils show none.npy -o a.png --columns 9", "--columns applies only with a picture in the terminal"},
       {"view none.npy -o a.png --color always", "--color applies only with a picture in the terminal"},
       {"nufft inverse none.h5 -o a.npy --lambda 1 --lambda-probes 3",
        "--lambda-probes applies only with --lambda gcv"},
       {"nufft adjoint samples.npy -t scan.h5 -o a.npy --center middle",
        "--center applies only with samples of a scan"},
       {"nufft adjoint scan.h5 -t scan.h5 -o a.npy", "--trajectory applies only with samples that are no scan"},
       {"dft adjoint scan.h5 -t scan.h5 -o a.npy", "--trajectory applies only with samples that are no scan"},
       {"filter samples.npy a.npy --resize 2 method=area align=centers",
        "resize: align applies only with a method that is not area"},
       {"filter --list --gaussian 1", "--list, --about and --reference do nothing else; leave the other options out"},
       {"filter --about median --flat",
        "--list, --about and --reference do nothing else; leave the other options out"}});
  expect_taken({"density none.h5 --method all --cell 2 --boundary hull", "view none.npy --columns 9",
                "nufft adjoint none.h5 -o a.npy --center middle", "coils estimate none.h5 -o m.npy --calibration 12"});
}

}  // namespace
}  // namespace whorl
