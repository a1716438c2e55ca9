/* Figure 3 as C++ with <<<>>>. */
#include "tests/programs/figure3_kernels.cu"
#include "tests/programs/figure3.c"
