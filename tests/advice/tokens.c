/*
 * A model that gives one token after the other.  For each, all tokens so far are sent, of which all
 * but the last are on the device already.
 */
#include "tests/advice/program.h"

enum { PROMPT = 4000, GIVEN = 16, LENGTH = PROMPT + GIVEN };

struct model {
	int *tokens, *next; /* on the device */
};

static int tokens[LENGTH];

static struct model model_new(void)
{
	struct model model;

	CHECK(cudaMalloc((void **)&model.tokens, LENGTH * sizeof(int)));
	CHECK(cudaMalloc((void **)&model.next, sizeof(int)));
	return model;
}

static int give_token(const struct model *model, int length)
{
	int next, first = FIX_1 && length > PROMPT ? length - 1 : 0;

	/* PLANT 1: redundant_values, copy_range, 240420 */
	CHECK(cudaMemcpy(model->tokens + first, tokens + first, (length - first) * sizeof(int),
			 cudaMemcpyHostToDevice));
	LAUNCH(next_token, 1, 256, model->next, model->tokens, length);
	CHECK(cudaMemcpy(&next, model->next, sizeof(next), cudaMemcpyDeviceToHost));
	return next;
}

static int token_on_host(int length)
{
	unsigned sum = 0;

	for (int i = 0; i < length; i++)
		sum += (unsigned)tokens[i] * (2 * (unsigned)i + 1);
	return (int)(sum % 50000);
}

int main(void)
{
	struct model model = model_new();
	unsigned state = 1;

	for (int i = 0; i < PROMPT; i++)
		tokens[i] = (int)(random_number(&state) % 50000);
	for (int length = PROMPT; length < LENGTH; length++) {
		int next = give_token(&model, length);

		expect(next == token_on_host(length), "the token");
		tokens[length] = next;
	}
	print_checksum("tokens", tokens, sizeof(tokens));
	CHECK(cudaFree(model.tokens));
	CHECK(cudaFree(model.next));
	return 0;
}
