/*
 * No waste: an image that kernels read through a texture only, which is not seen.  It is sent anew
 * for every frame.
 */
#include "tests/advice/program.h"

enum { PIXELS = 16384, FRAMES = 4 };

struct view {
	float *image, *result; /* on the device */
	cudaTextureObject_t texture;
};

static float image[PIXELS], result[PIXELS];

static cudaTextureObject_t texture_of(float *device_image)
{
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
	struct cudaTextureDesc how = {.readMode = cudaReadModeElementType};
	cudaTextureObject_t texture;

	resource.res.linear.devPtr = device_image;
	resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	resource.res.linear.sizeInBytes = sizeof(image);
	CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	return texture;
}

static struct view view_new(void)
{
	struct view view;

	CHECK(cudaMalloc((void **)&view.image, sizeof(image)));
	CHECK(cudaMalloc((void **)&view.result, sizeof(result)));
	view.texture = texture_of(view.image);
	return view;
}

static void view_frame(const struct view *view, float by)
{
	CHECK(cudaMemcpy(view->image, image, sizeof(image), cudaMemcpyHostToDevice));
	LAUNCH(sample_texture, PIXELS / 256, 256, view->result, view->texture, by, PIXELS);
	CHECK(cudaMemcpy(result, view->result, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < PIXELS; i++)
		expect(result[i] == image[i] * by, "the result");
	print_checksum("result", result, sizeof(result));
}

static void view_free(const struct view *view)
{
	CHECK(cudaDestroyTextureObject(view->texture));
	CHECK(cudaFree(view->image));
	CHECK(cudaFree(view->result));
}

int main(void)
{
	struct view view = view_new();

	for (unsigned frame = 0; frame < FRAMES; frame++) {
		random_floats(image, PIXELS, frame);
		view_frame(&view, 0.75f * (float)(frame + 1));
	}
	view_free(&view);
	return 0;
}
