/*
 * No waste: the elements of a line add their loads to the nodes at their ends, those of even number
 * first and then the odd ones, so that no two threads add to one node.  Every node is added to
 * twice; the nodes must begin with zeros.
 */
#include "tests/advice/program.h"

enum { ELEMENTS = 16384, NODES = ELEMENTS + 1, COLOURS = 2, CASES = 3 };

static float loads[ELEMENTS], nodes[NODES], expected[NODES];

static void assemble_loads(float *device_nodes, float *device_loads)
{
	int count = ELEMENTS / COLOURS;

	CHECK(cudaMemcpy(device_loads, loads, sizeof(loads), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(device_nodes, 0, sizeof(nodes)));
	for (int colour = 0; colour < COLOURS; colour++)
		LAUNCH(assemble, count / 256, 256, device_nodes, device_loads, colour, count);
	CHECK(cudaMemcpy(nodes, device_nodes, sizeof(nodes), cudaMemcpyDeviceToHost));
}

static void assemble_on_host(void)
{
	memset(expected, 0, sizeof(expected));
	for (int colour = 0; colour < COLOURS; colour++)
		for (int element = colour; element < ELEMENTS; element += COLOURS) {
			expected[element] += loads[element] * 0.25f;
			expected[element + 1] += loads[element] * 0.75f;
		}
}

int main(void)
{
	float *device_nodes, *device_loads;

	CHECK(cudaMalloc((void **)&device_nodes, sizeof(nodes)));
	CHECK(cudaMalloc((void **)&device_loads, sizeof(loads)));
	for (unsigned i = 0; i < CASES; i++) {
		random_floats(loads, ELEMENTS, i);
		assemble_loads(device_nodes, device_loads);
		assemble_on_host();
		expect_floats(nodes, expected, NODES, "nodes");
		print_checksum("nodes", nodes, sizeof(nodes));
	}
	CHECK(cudaFree(device_nodes));
	CHECK(cudaFree(device_loads));
	return 0;
}
