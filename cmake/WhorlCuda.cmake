# NVIDIA GPUs: built where the compiler is there (AUTO), or asked for (ON) and then required.
set(WHORL_WITH_CUDA AUTO CACHE STRING "Build for NVIDIA GPUs: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE WHORL_WITH_CUDA PROPERTY STRINGS AUTO ON OFF)

set(WHORL_CUDA OFF)
if(NOT WHORL_WITH_CUDA STREQUAL OFF)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # The GPU that is there; without one, every architecture that the toolkit and whorl know.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      file(GLOB WHORL_GPUS /dev/nvidia[0-9]*)
      if(WHORL_GPUS)
        set(CMAKE_CUDA_ARCHITECTURES native)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
      endif()
    endif()
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
      message(FATAL_ERROR "whorl: CUDA ${CMAKE_CUDA_COMPILER_VERSION} found, 12.8 or newer is needed; "
                          "-DWHORL_WITH_CUDA=OFF builds without")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(WHORL_CUDA ON)
  elseif(WHORL_WITH_CUDA STREQUAL ON)
    message(FATAL_ERROR "whorl: nvcc not found; add its folder to PATH or give -DCMAKE_CUDA_COMPILER=FILE")
  endif()
endif()

# One runtime for a program and the modules that it loads. A static whorl brings its own.
set(WHORL_CUDART CUDA::cudart_static)
if(WHORL_CUDA AND BUILD_SHARED_LIBS)
  set(WHORL_CUDART CUDA::cudart)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
endif()

# whorl_cuda_code(TARGET): how code for NVIDIA GPUs is compiled, and what it links.
# CMake 3.25 does not know C++20 for nvcc. Its front end warns (554) of ArrayRef's conversion to ArrayRef<const T>, which
# a requires clause leaves out where T is const already.
function(whorl_cuda_code target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-std=c++20 --expt-relaxed-constexpr -diag-suppress 554 -Xcompiler=-Wall,-Wextra>")
  target_link_libraries(${target} PRIVATE ${WHORL_CUDART} CUDA::cufft ${CMAKE_DL_LIBS})
endfunction()
