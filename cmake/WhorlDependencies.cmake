# Every library that whorl uses, found in one place.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(ISMRMRD REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

find_package(PkgConfig REQUIRED)
pkg_check_modules(FFTW REQUIRED IMPORTED_TARGET fftw3)
pkg_check_modules(FFTWF REQUIRED IMPORTED_TARGET fftw3f)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
find_package(Qhull REQUIRED CONFIG COMPONENTS qhull_r)

# Debian's NIFTIConfig.cmake fails unless the programs of another package (nifti-bin) are installed too; whorl needs none.
find_path(NIFTI_INCLUDE_DIR nifti1_io.h PATH_SUFFIXES nifti REQUIRED)
find_library(NIFTI_LIBRARY niftiio REQUIRED)

# Optional: what is missing is said in the summary, and by the command that needs it.
pkg_check_modules(MATIO IMPORTED_TARGET matio)
