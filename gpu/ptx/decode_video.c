/*
 * gpu/ptx/decode_video.c: the video instructions, on bytes and halves of registers.
 *
 *     vadd.s32.u32.s32.sat.min d, a.b0, b.h1, c;   vabsdiff4.u32.u32.u32.add d, a.b3210, b, c;
 */
#include "gpu/ptx/decode.h"

static const struct {
	const char *name;
	enum ptx_video_operation operation;
} operations[] = {
	{"vadd", PTX_VADD}, {"vsub", PTX_VSUB},   {"vabsdiff", PTX_VABSDIFF}, {"vmin", PTX_VMIN},
	{"vmax", PTX_VMAX}, {"vavrg", PTX_VAVRG}, {"vset", PTX_VSET},         {"vshl", PTX_VSHL},
	{"vshr", PTX_VSHR}, {"vmad", PTX_VMAD},
};

static bool equals(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

static bool name_operation(struct ptx_video *video, const char *text, size_t length)
{
	video->parts = 1;
	if (length && (text[length - 1] == '2' || text[length - 1] == '4'))
		video->parts = (uint8_t)(text[--length] - '0');
	for (size_t n = 0; n < sizeof(operations) / sizeof(*operations); n++)
		if (equals(text, length, operations[n].name)) {
			video->operation = operations[n].operation;
			return true;
		}
	return false;
}

static bool read_word(struct ptx_video *video, unsigned *types, const char *text, size_t length)
{
	static const struct {
		const char *word;
		enum ptx_modifier modifier;
	} comparisons[] = {{"eq", PTX_MOD_EQ}, {"ne", PTX_MOD_NE}, {"lt", PTX_MOD_LT},
			   {"le", PTX_MOD_LE}, {"gt", PTX_MOD_GT}, {"ge", PTX_MOD_GE}},
	  seconds[] = {{"add", PTX_MOD_ADD}, {"min", PTX_MOD_MIN}, {"max", PTX_MOD_MAX}};
	bool *const signs[] = {&video->signed_d, &video->signed_a, &video->signed_b};

	if (equals(text, length, "u32") || equals(text, length, "s32")) {
		if (*types == 3)
			return false;
		*signs[(*types)++] = *text == 's';
		return true;
	}
	for (size_t n = 0; n < sizeof(comparisons) / sizeof(*comparisons); n++)
		if (equals(text, length, comparisons[n].word)) {
			video->compare = (uint8_t)comparisons[n].modifier;
			return video->operation == PTX_VSET;
		}
	for (size_t n = 0; n < sizeof(seconds) / sizeof(*seconds); n++)
		if (equals(text, length, seconds[n].word)) {
			video->second = (uint8_t)seconds[n].modifier;
			return video->parts == 1 || video->second == PTX_MOD_ADD;
		}
	if (equals(text, length, "sat"))
		return video->saturates = true;
	if (equals(text, length, "po"))
		return video->plus_one = true;
	if (equals(text, length, "clamp"))
		return video->clamps = true;
	if (equals(text, length, "shr7") || equals(text, length, "shr15"))
		return (video->shift = text[3] == '7' ? 7 : 15) != 0;
	return equals(text, length, "wrap");
}

static bool read_words(struct ptx_video *video, const struct ptx_token *opcode)
{
	const char *end = opcode->text + opcode->length, *at = opcode->text, *stop;
	unsigned types = 0;

	video->second = video->compare = PTX_MODIFIER_COUNT;
	for (bool first = true;; first = false, at = stop + 1) {
		size_t length;

		stop = memchr(at, '.', (size_t)(end - at));
		length = stop ? (size_t)(stop - at) : (size_t)(end - at);
		if (first ? !name_operation(video, at, length)
			  : !read_word(video, &types, at, length))
			return false;
		if (!stop)
			break;
	}
	if (video->operation == PTX_VSET) { /* its result has no type */
		video->signed_b = video->signed_a;
		video->signed_a = video->signed_d;
		video->signed_d = false;
		return types == 2 && video->compare != PTX_MODIFIER_COUNT;
	}
	return types == 3;
}

/* Cuts the selector off "%r1.h1"; no selector: length 0. */
static void cut_selector(struct operand *operand, const char **selector, size_t *length)
{
	struct ptx_token *token = &operand->first.token;
	const char *dot = NULL;

	*length = 0;
	if (operand->kind != OPERAND_NAME)
		return;
	for (size_t n = 1; n < token->length; n++)
		if (token->text[n] == '.')
			dot = token->text + n;
	if (!dot || (dot[1] != 'b' && dot[1] != 'h'))
		return;
	*selector = dot + 1;
	*length = (size_t)(token->text + token->length - dot - 1);
	token->length = (size_t)(dot - token->text);
}

/* "b2", "h1": what is taken of a register */
static bool select_one(const char *text, size_t length, uint8_t *selected)
{
	unsigned number = length == 2 ? (unsigned)(text[1] - '0') : 9;

	if (!length)
		return true;
	*selected = (uint8_t)((*text == 'b' ? PTX_BYTE : PTX_HALF) + number);
	return number < (*text == 'b' ? 4 : 2);
}

/* "b7654", "h10": a part for each part of the result, the last one first */
static bool select_parts(const char *text, size_t length, unsigned parts, uint8_t selected[4])
{
	if (!length)
		return true;
	if (length != parts + 1 || *text != (parts == 4 ? 'b' : 'h'))
		return false;
	for (unsigned n = 0; n < parts; n++) {
		unsigned number = (unsigned)(text[length - 1 - n] - '0');

		if (number >= 2 * parts)
			return false;
		selected[n] = (uint8_t)number;
	}
	return true;
}

static bool read_mask(const char *text, size_t length, unsigned parts, uint8_t *mask)
{
	if (!length)
		return true;
	*mask = 0;
	for (size_t n = 1; n < length; n++) {
		unsigned number = (unsigned)(text[n] - '0');

		if (number >= parts)
			return false;
		*mask |= (uint8_t)(1u << number);
	}
	return *text == (parts == 4 ? 'b' : 'h');
}

static bool read_selectors(struct statement *s, struct ptx_video *video)
{
	const char *text[3] = {0};
	size_t length[3];

	for (unsigned n = 0; n < 3; n++)
		cut_selector(&s->operands[n], &text[n], &length[n]);
	if (video->parts == 1)
		return select_one(text[0], length[0], &video->select_d) &&
		       select_one(text[1], length[1], &video->select_a[0]) &&
		       select_one(text[2], length[2], &video->select_b[0]) &&
		       /* merging needs c */
		       (s->count == 4 || (!video->select_d && video->second == PTX_MODIFIER_COUNT));
	for (unsigned n = 0; n < video->parts; n++) {
		video->select_a[n] = (uint8_t)n;
		video->select_b[n] = (uint8_t)(video->parts + n);
	}
	video->mask = (uint8_t)((1u << video->parts) - 1);
	return s->count == 4 && read_mask(text[0], length[0], video->parts, &video->mask) &&
	       select_parts(text[1], length[1], video->parts, video->select_a) &&
	       select_parts(text[2], length[2], video->parts, video->select_b);
}

enum outcome ptx_decode_video(struct statement *s)
{
	struct ptx_instruction *i = s->i;
	struct ptx_video video;
	uint32_t words[PTX_VIDEO_EXTRAS] = {0}, *const refs[] = {&i->a, &i->b, &i->c};

	memset(&video, 0, sizeof(video));
	if (!read_words(&video, &s->opcode) || s->count < 3 || s->count > 4 ||
	    (video.operation == PTX_VMAD && s->count != 4) || !read_selectors(s, &video))
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < s->count; n++) {
		struct operand *operand = &s->operands[n];

		if (operand->kind > OPERAND_NAME || operand->inverted || operand->has_second ||
		    operand->offset)
			return UNKNOWN_FORM;
		if (operand->kind == OPERAND_NAME && operand->first.negative) {
			if (video.operation != PTX_VMAD || !n)
				return UNKNOWN_FORM;
			if (n == 3)
				video.negative_c = true;
			else
				video.negative_product = !video.negative_product;
			operand->first.negative = false;
		}
		if (n)
			TRY(ptx_source(s, &operand->first, 0, PTX_U32, refs[n - 1]));
		else
			TRY(ptx_destination(s, &operand->first, &i->d));
	}
	memcpy(words, &video, sizeof(video));
	i->extra = s->parser->module->extra_count;
	for (size_t n = 0; n < PTX_VIDEO_EXTRAS; n++)
		if (ptx_add_extra(s->parser, words[n]))
			return FAILED;
	return OK;
}
