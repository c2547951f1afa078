// What the help of `whorl recon` ends with.
#pragma once

namespace whorl::cli {

inline constexpr const char* recon_examples = R"(Examples:
  whorl recon scan.h5 -o image.nii.gz --png image.png
                                        the default: prewhitened, coil maps estimated, CG-SENSE
  whorl recon scan.h5 -o image.nii.gz --regularize tv:medium
                                        few edges: total variation (docs/howto/regularization.md)
  whorl recon scan.h5 -o frames.nii.gz --spokes-per-frame 34 --frame-step 17 --movie frames.gif
                                        frames from continuous data, and a movie of them (docs/howto/frames.md)
  whorl recon scan.h5 --method gridding -o image.nii.gz
                                        density compensation, gridding, inverse FFT, root-sum-of-squares
  whorl recon scan.h5 -o image.nii.gz --iterations 50 --lambda 1e-3
                                        more iterations, and a stronger pull of noise towards zero
  whorl recon scan.h5 -o image.nii.gz --lambda auto --lambda-curve curve.png
                                        the weight that the data ask for, and the curve it was chosen on
  whorl recon scan.h5 -o image.nii.gz --maps-file maps.npy
                                        with the coil maps of a file (whorl coils estimate)
  whorl recon scan.h5 --method nlinv -o image.nii.gz --save-maps maps.npy
                                        image and coil maps together, without a calibration region (docs/howto/nlinv.md)
  whorl recon scan.h5 -o image.nii.gz --prior proton.nii.gz --lambda 0.5
                                        neighbors held alike, but for where the reference shows an edge
  whorl recon echoes.h5 -o components.nii.gz --spokes-per-frame 8 --subspace-from t2 --subspace-frames echoes.nii.gz
                                        few courses over the frames: images of their coefficients, and all frames
  whorl recon scan.h5 -o image.nii.gz --trajectory-from sequence.seq
                                        data without trajectory, played by a Pulseq sequence
  whorl recon scan.h5 -o image.h5 --complex
                                        the complex image, as ISMRMRD
  whorl recon scan.h5 -o image.dcm      DICOM: image.dcm of one slice, image_001.dcm and so on of several
  whorl recon scan.h5 -o image.nii.gz --bids
                                        echo time, field strength and more of the scan in image.json
  whorl recon scan.h5 -o image.nii.gz --transform exact --save-normal setup.npz
                                        exact sums, which take long; other scans with this trajectory
                                        take --normal setup.npz and skip the longest of them
  whorl recon scan.h5 -o image.nii.gz --stddev sigma.nii.gz --psf 64,64
                                        the noise of each voxel, and the resolution at one
  whorl recon *.h5 --output-dir images --png 'images/{}.png'
                                        many scans, one after another; {} stands for the name of each
  whorl recon scan.h5 -o image.nii.gz --filter 'magnitude | median 1'
                                        filtered on the device (whorl filter --list)
What was done, with what, and how long it took lies beside the image (image.nii.gz.json).)";

}  // namespace whorl::cli
