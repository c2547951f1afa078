// The head phantom of Shepp and Logan.
#pragma once

#include "whorl/phantom/phantom.hpp"

namespace whorl {

/// Intensities of the head phantom: those of its paper, in which the tissue differs by 1 % only, or those with a
/// contrast that the eye can see.
enum class PhantomContrast { standard, modified };

/// The ten ellipses (dim 2) or ellipsoids (dim 3) of the head phantom. The y axis of the tables points up, which is
/// towards smaller y in an image; y and the angles are therefore mirrored here, and the picture looks as it is
/// printed. R2* and the field are not of the papers: those of bone, brain and ventricles at 3 T, roughly.
///
/// Throws  ValueError when dim is not 2 or 3
/// Source  2D: Shepp and Logan, "The Fourier reconstruction of a head section", IEEE Trans Nucl Sci 21:21 (1974);
///         modified by Toft, "The Radon transform: theory and implementation", PhD thesis, DTU (1996). 3D: Kak and
///         Slaney, "Principles of computerized tomographic imaging" (1988), p. 102; modified by Yu, Ye and Wang,
///         "Katsevich-type algorithms for variable radius spiral cone-beam CT", Proc SPIE 5535:550 (2004)
Phantom shepp_logan(int dim, PhantomContrast contrast);

}  // namespace whorl
