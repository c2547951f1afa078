// The library's filters, in the order of the documentation.
#include "filter/src/pipeline/filter_list.hpp"

namespace whorl::filters {

std::vector<FilterDescriptor> library_filters() {
  return {
      // Light and color
      gray_descriptor(),
      gray_world_descriptor(),
      autocontrast_descriptor(),
      equalize_descriptor(),
      clahe_descriptor(),
      threshold_descriptor(),
      window_descriptor(),
      gamma_descriptor(),
      scale_descriptor(),
      clip_descriptor(),
      invert_descriptor(),
      convert_descriptor(),
      // Smoothing, sharpening and edges
      gaussian_descriptor(),
      median_descriptor(),
      unsharp_descriptor(),
      custom_descriptor(),
      sobel_x_descriptor(),
      sobel_y_descriptor(),
      scharr_descriptor(),
      laplacian_descriptor(),
      canny_descriptor(),
      // Denoising and artifacts of scans
      bilateral_descriptor(),
      non_local_means_descriptor(),
      heat_descriptor(),
      perona_malik_descriptor(),
      gibbs_descriptor(),
      bias_descriptor(),
      // Morphology
      erode_descriptor(),
      dilate_descriptor(),
      open_descriptor(),
      close_descriptor(),
      gradient_descriptor(),
      tophat_descriptor(),
      blackhat_descriptor(),
      // Size and place
      resize_descriptor(),
      rotate_descriptor(),
      flip_descriptor(),
      crop_descriptor(),
      pad_descriptor(),
      align_descriptor(),
      register_descriptor(),
      // Complex images and coils
      magnitude_descriptor(),
      phase_descriptor(),
      real_descriptor(),
      imaginary_descriptor(),
      root_sum_of_squares_descriptor(),
  };
}

}  // namespace whorl::filters
