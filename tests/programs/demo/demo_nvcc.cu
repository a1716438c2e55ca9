/* The demo as C++ with <<<>>>. */
#include "tests/programs/demo/kernels.cu"
#undef TILE
#include "tests/programs/demo/ongpu.c"
#include "tests/programs/demo/layers.c"
#include "tests/programs/demo/network.c"
#include "tests/programs/demo/demo.c"
