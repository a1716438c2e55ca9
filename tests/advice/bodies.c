/*
 * No waste worth a change: bodies of two doubles and a number.  Position and velocity of each body
 * change, its number is written back as it was: 4 of the 20 bytes.
 */
#include "tests/advice/program.h"

enum { BODIES = 4096, STEPS = 6 };

struct body {
	double position, velocity;
	int id;
};

static struct body bodies[BODIES];
static double expected_position[BODIES], expected_velocity[BODIES];

static void draw_bodies(void)
{
	unsigned state = 5;

	for (int i = 0; i < BODIES; i++) {
		bodies[i].position = random_number(&state) / 16.0;
		bodies[i].velocity = 1 + random_number(&state) / 1024.0;
		bodies[i].id = 1000 + i;
		expected_position[i] = bodies[i].position;
		expected_velocity[i] = bodies[i].velocity;
	}
}

static void drift_bodies(struct body *device_bodies, double time)
{
	LAUNCH(drift, BODIES / 256, 256, device_bodies, time, BODIES);
	for (int i = 0; i < BODIES; i++) {
		expected_position[i] += expected_velocity[i] * time;
		expected_velocity[i] *= 0.75;
	}
}

static void check_bodies(void)
{
	for (int i = 0; i < BODIES; i++) {
		double error = bodies[i].position - expected_position[i];

		expect(fabs(error) < 1e-6 * expected_position[i], "positions");
		error = bodies[i].velocity - expected_velocity[i];
		expect(fabs(error) < 1e-6 * expected_velocity[i], "velocities");
		expect(bodies[i].id == 1000 + i, "ids");
	}
	print_checksum("bodies", bodies, sizeof(bodies));
}

int main(void)
{
	struct body *device_bodies;

	draw_bodies();
	CHECK(cudaMalloc((void **)&device_bodies, sizeof(bodies)));
	CHECK(cudaMemcpy(device_bodies, bodies, sizeof(bodies), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++)
		drift_bodies(device_bodies, 0.5);
	CHECK(cudaMemcpy(bodies, device_bodies, sizeof(bodies), cudaMemcpyDeviceToHost));
	check_bodies();
	CHECK(cudaFree(device_bodies));
	return 0;
}
