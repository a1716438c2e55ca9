/* advice/report_memory.c: see report_memory.h. */
#include "advice/report_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/page.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	PEAKS = 2, /* that are shown, as in the paper */
	SITES = 6, /* of each */
};

struct printing {
	const struct report_memory *report;
	const struct memory *memory;
	struct words_site *sites;
	FILE *out;
};

/* "cudaMalloc (vertex 1, main.c:8)" */
static char *site_words(const struct printing *printing, uint32_t site)
{
	return words_object(printing->report->profile, printing->sites, site);
}

static char *vertex_words(const struct printing *printing, uint32_t vertex)
{
	const struct profile *profile = printing->report->profile;
	uint32_t v = vertex == PROFILE_NO_VERTEX ? UINT32_MAX : graph_find(profile->graph, vertex);

	return v == UINT32_MAX ? xstrdup("an unknown call") : words_vertex(profile, v);
}

/* "12 API calls come", "1 kernel comes" */
static char *distance_words(const struct printing *printing, uint64_t distance)
{
	bool kernels = printing->report->options.rules == MEMORY_RULES_ARTEFACT;

	return xasprintf("%" PRIu64 " %s%s", distance, kernels ? "kernel" : "API call",
			 text_plural(distance, " comes", "s come"));
}

/* -- peaks -------------------------------------------------------------------------------- */

/* Bytes of the objects of one site at a peak. */
struct share {
	uint32_t site;
	uint64_t objects, bytes;
};

static int by_bytes(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->site > b->site) - (a->site < b->site);
}

static int by_site(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

/* Who has the bytes at this place, largest first; the caller frees. */
static struct share *shares_at(const struct printing *printing, uint64_t place, uint32_t *count)
{
	const struct peaks *peaks = printing->memory->peaks;
	const struct profile *profile = printing->report->profile;
	struct share *shares = xcalloc(peaks_count(peaks), sizeof(*shares));
	uint32_t used = 0, kept = 0;

	for (uint32_t i = 0; i < peaks_count(peaks); i++) {
		struct peaks_span span = peaks_span(peaks, i);

		if (peaks_holds(&span, place))
			shares[used++] = (struct share){
				profile->objects[peaks_lifetime(peaks, i)->object].site, 1,
				span.bytes};
	}
	if (used)
		qsort(shares, used, sizeof(*shares), by_site);
	for (uint32_t i = 0; i < used; i++) {
		if (kept && shares[kept - 1].site == shares[i].site) {
			shares[kept - 1].objects++;
			profile_add(&shares[kept - 1].bytes, shares[i].bytes);
		} else {
			shares[kept++] = shares[i];
		}
	}
	if (kept)
		qsort(shares, kept, sizeof(*shares), by_bytes);
	*count = kept;
	return shares;
}

static void print_share(const struct printing *printing, const struct share *share)
{
	char *bytes = words_bytes(share->bytes), *site = site_words(printing, share->site);
	char *text = share->objects > 1 ? xasprintf("%s, %" PRIu64 " objects", site, share->objects)
					: xstrdup(site);

	page_field(printing->out, bytes, text);
	free(bytes);
	free(site);
	free(text);
}

static void print_peak(const struct printing *printing, uint32_t number,
		       const struct peaks_peak *peak)
{
	uint32_t count;
	struct share *shares = shares_at(printing, peak->place, &count);
	char *bytes = words_bytes(peak->bytes);
	char *title = xasprintf("Peak %" PRIu32 ": %s, at API call %" PRIu64, number, bytes,
				peak->place / 2 + 1);

	fputc('\n', printing->out);
	page_heading(printing->report->colour, printing->out, title);
	for (uint32_t i = 0; i < count && i < SITES; i++)
		print_share(printing, &shares[i]);
	if (count > SITES) {
		char *more = xasprintf("... and %" PRIu32 " more allocations", count - SITES);

		page_field(printing->out, "", more);
		free(more);
	}
	free(shares);
	free(bytes);
	free(title);
}

static void print_peaks(const struct printing *printing)
{
	struct peaks_peak highest[PEAKS];
	uint32_t count = peaks_highest(printing->memory->peaks, highest, PEAKS);

	for (uint32_t i = 0; i < count; i++)
		print_peak(printing, i + 1, &highest[i]);
}

/* -- findings ----------------------------------------------------------------------------- */

/* Of an object that is not all accessed, or by slices; caller frees. */
static char *access_evidence(const struct printing *printing, const struct memory_finding *finding)
{
	const struct profile *profile = printing->report->profile;
	const struct access_facts *facts = &finding->access;
	const uint64_t size = profile->objects[finding->worst->object].size;
	char *used, *share, *unused, *largest, *kernel, *text;

	if (finding->pattern == MEMORY_STRUCTURED) {
		largest = words_bytes(facts->slices->largest_bytes);
		kernel = vertex_words(printing, facts->slices->vertex);
		text = xasprintf("Each of the %" PRIu64 " launches of %s accesses a slice of its "
				 "own, of %s at most; no two launches of any kernel overlap.",
				 facts->slices->launches, kernel, largest);
		free(largest);
		free(kernel);
		return text;
	}
	used = words_bytes(facts->accessed->bytes);
	share = words_percent(facts->accessed->bytes, size);
	unused = words_bytes(access_unused(profile, facts->accessed));
	largest = words_bytes(facts->accessed->largest_bytes);
	text = xasprintf("%s of it, %s, is accessed; the other %s are in %" PRIu64
			 " chunk%s, the largest of %s (fragmentation %.0f%%).",
			 share, used, unused, facts->accessed->chunks,
			 text_plural(facts->accessed->chunks, "", "s"), largest,
			 100 * access_fragmentation(profile, facts->accessed));
	free(used);
	free(share);
	free(unused);
	free(largest);
	return text;
}

static char *access_advice(const struct printing *printing, const struct memory_finding *finding)
{
	const struct access_facts *facts = &finding->access;
	const struct profile_accessed *accessed = facts->accessed;
	const uint64_t size = printing->report->profile->objects[finding->worst->object].size;
	char *kernel, *bytes, *text;

	if (finding->pattern == MEMORY_STRUCTURED) {
		bytes = words_bytes(facts->slice_bytes);
		kernel = vertex_words(printing, facts->slices->vertex);
		text = xasprintf("Allocate %s for a slice, and use them again for each launch of "
				 "%s, if what it leaves in one is not needed any more by then.",
				 bytes, kernel);
		free(kernel);
		free(bytes);
		return text;
	}
	bytes = words_bytes(accessed->largest_offset);
	if (accessed->largest_offset + accessed->largest_bytes == size)
		text = xasprintf("Allocate its first %s only.", bytes);
	else
		text = xasprintf("Allocate it without the chunk, which begins %s into it.", bytes);
	free(bytes);
	return text;
}

/* What was seen of the worst object; caller frees. */
static char *evidence(const struct printing *printing, const struct memory_finding *finding)
{
	const struct profile_lifetime *worst = finding->worst;
	char *distance = distance_words(printing, finding->most);
	char *first = vertex_words(printing, worst->first_vertex);
	char *last = vertex_words(printing, worst->last_vertex);
	char *from = vertex_words(printing, worst->idle_from_vertex);
	char *to = vertex_words(printing, worst->idle_to_vertex);
	char *other = finding->pattern == MEMORY_REDUNDANT ? site_words(printing, finding->reuses)
							   : xstrdup("");
	const bool freed = worst->freed.call != PROFILE_UNKNOWN;
	char *text = NULL;

	switch (finding->pattern) {
	case MEMORY_UNUSED:
		text = xasprintf("No API call accesses it%s.", freed ? ", until it is freed" : "");
		break;
	case MEMORY_LEAK:
		text = worst->accesses ? xasprintf("It is never freed; %s after the last access, "
						   "by %s.",
						   distance, last)
				       : xstrdup("It is never freed.");
		break;
	case MEMORY_EARLY:
		text = xasprintf("%s between its allocation and the first access, by %s.", distance,
				 first);
		break;
	case MEMORY_LATE:
		text = xasprintf("%s between the last access, by %s, and its release.", distance,
				 last);
		break;
	case MEMORY_REDUNDANT:
		text = xasprintf("When it is first accessed, by %s, memory of that size is not "
				 "needed any more: %s.",
				 first, other);
		break;
	case MEMORY_IDLE:
		text = xasprintf("%s between two accesses, by %s and by %s.", distance, from, to);
		break;
	default:
		text = access_evidence(printing, finding);
	}
	free(distance);
	free(first);
	free(last);
	free(from);
	free(to);
	free(other);
	return text;
}

static char *advice(const struct printing *printing, const struct memory_finding *finding)
{
	const struct profile_lifetime *worst = finding->worst;
	char *first = vertex_words(printing, worst->first_vertex);
	char *last = vertex_words(printing, worst->last_vertex);
	char *from = vertex_words(printing, worst->idle_from_vertex);
	char *to = vertex_words(printing, worst->idle_to_vertex);
	char *text = NULL;

	switch (finding->pattern) {
	case MEMORY_UNUSED:
		text = xstrdup("Delete the allocation, or make it only where it is used.");
		break;
	case MEMORY_LEAK:
		text = worst->accesses ? xasprintf("Free it after %s.", last)
				       : xstrdup("Free it, or do not allocate it.");
		break;
	case MEMORY_EARLY:
		text = xasprintf("Allocate it right before %s.", first);
		break;
	case MEMORY_LATE:
		text = xasprintf("Free it right after %s.", last);
		break;
	case MEMORY_REDUNDANT:
		text = xstrdup("Use that memory again instead of allocating more.");
		break;
	case MEMORY_IDLE:
		text = xasprintf("Where memory is short: free it after %s, and bring it back, from "
				 "the host or computed anew, before %s.",
				 from, to);
		break;
	default:
		text = access_advice(printing, finding);
	}
	free(first);
	free(last);
	free(from);
	free(to);
	return text;
}

static void print_finding(const struct printing *printing, uint32_t index)
{
	const struct memory_finding *finding = &printing->memory->findings[index];
	char *peak = words_bytes(finding->peak), *bytes = words_bytes(finding->bytes);
	char *lower = finding->peak < printing->memory->peak ? xasprintf("peak falls to %s", peak)
							     : xstrdup("does not lower the peak");
	char *title = xasprintf("%" PRIu32 ". %s: %s", index + 1,
				memory_pattern_titles[finding->pattern], lower);
	char *site = site_words(printing, finding->site), *text;

	fputc('\n', printing->out);
	page_heading(printing->report->colour, printing->out, title);
	text = finding->objects > 1 ? xasprintf("%s, %" PRIu64 " of its objects, %s", site,
						finding->objects, bytes)
				    : xasprintf("%s, %s", site, bytes);
	page_field(printing->out, "object", text);
	free(text);
	text = evidence(printing, finding);
	page_field(printing->out, finding->objects > 1 ? "worst" : "seen", text);
	free(text);
	text = advice(printing, finding);
	page_field(printing->out, "advice", text);
	free(text);
	free(peak);
	free(bytes);
	free(lower);
	free(title);
	free(site);
}

static void print_findings(const struct printing *printing)
{
	const struct memory *memory = printing->memory;
	uint32_t count = memory->finding_count, shown = count, lower = 0;
	FILE *out = printing->out;

	if (printing->report->top && printing->report->top < count)
		shown = (uint32_t)printing->report->top;
	for (uint32_t i = 0; i < count; i++)
		lower += memory->findings[i].peak < memory->peak;
	fputc('\n', out);
	if (!count) {
		page_wrap(out, 0, "No findings: all memory is needed for as long as it is there.");
		return;
	}
	fprintf(out, "%" PRIu32 " finding%s, %" PRIu32 " of which lower the peak, most first\n",
		count, text_plural(count, "", "s"), lower);
	for (uint32_t i = 0; i < shown; i++)
		print_finding(printing, i);
	if (shown < count)
		fprintf(out, "\n%" PRIu32 " more: --top 0 shows all\n", count - shown);
}

/* -- the whole ---------------------------------------------------------------------------- */

/* What is not said of which parts of objects are accessed. */
static void print_accesses(const struct memory *memory, FILE *out)
{
	char *text;

	if (!memory->follows_accesses) {
		fputs("  ", out);
		page_wrap(out, 2,
			  "which parts of objects are accessed was not recorded: vflow collect "
			  "--passes flow,access");
		return;
	}
	if (memory->scattered) {
		text = xasprintf("of %" PRIu64
				 " more object%s little is accessed, but what is left "
				 "over is scattered: hard to save",
				 memory->scattered, text_plural(memory->scattered, "", "s"));
		fputs("  ", out);
		page_wrap(out, 2, text);
		free(text);
	}
	if (memory->not_followed) {
		text = xasprintf("of %" PRIu64 " object%s it is not known which parts are accessed",
				 memory->not_followed, text_plural(memory->not_followed, "", "s"));
		fputs("  ", out);
		page_wrap(out, 2, text);
		free(text);
	}
}

static void print_header(const struct printing *printing)
{
	const struct profile *profile = printing->report->profile;
	const struct memory *memory = printing->memory;
	char *title =
		xasprintf("vflow report --memory: %s", profile->command ? profile->command : "");
	char *peak = words_bytes(memory->peak), *mended = words_bytes(memory->peak_mended);
	char *moved = words_bytes(memory->peak_moved), *text;
	FILE *out = printing->out;

	page_heading(printing->report->colour, out, title);
	text = xasprintf("%" PRIu64 " object%s in memory of the device, at most %s at a time; %s "
			 "if each were there from its first access to its last, %s if what is idle "
			 "were not there either",
			 memory->objects, text_plural(memory->objects, "", "s"), peak, mended,
			 moved);
	fputs("  ", out);
	page_wrap(out, 2, text);
	free(text);
	fprintf(out, "  rules: %s\n",
		printing->report->options.rules == MEMORY_RULES_ARTEFACT
			? "of the paper's scripts: only kernels in between count"
			: "of the paper: every API call in between counts");
	if (profile->process_count > 1)
		fprintf(out,
			"  process %" PRIu32 " of %" PRIu32 ": the one with the highest peak\n",
			memory->process + 1, profile->process_count);
	if (memory->unseen) {
		text = xasprintf("%" PRIu64 " object%s may have been accessed by what was not "
				 "analysed: of these it is only said that they were never freed",
				 memory->unseen, text_plural(memory->unseen, "", "s"));
		fputs("  ", out);
		page_wrap(out, 2, text);
		free(text);
	}
	print_accesses(memory, out);
	free(title);
	free(peak);
	free(mended);
	free(moved);
}

void report_memory_print(const struct report_memory *report, FILE *out)
{
	struct memory *memory = memory_new(report->profile, &report->options);
	struct printing printing = {.report = report, .memory = memory, .out = out};

	if (!memory) {
		page_wrap(
			out, 0,
			report->profile->lifetime_count
				? "No memory of the device was allocated."
				: "The profile does not say when memory was accessed: nothing was "
				  "allocated, or an older vflow made it.");
		return;
	}
	printing.sites = words_sites(report->profile);
	print_header(&printing);
	print_peaks(&printing);
	print_findings(&printing);
	free(printing.sites);
	memory_free(memory);
}

char *report_memory_line(const struct profile *profile)
{
	struct memory_options options = MEMORY_DEFAULTS;
	struct memory *memory;
	char *peak, *mended, *text;

	options.peaks_only = true;
	memory = memory_new(profile, &options);
	if (!memory)
		return NULL;
	peak = words_bytes(memory->peak);
	mended = words_bytes(memory->peak_mended);
	/* of a tenth less or more there is something to read */
	text = memory->peak - memory->peak_mended >= memory->peak / 10 + 1
		       ? xasprintf("memory: peak %s, %s if objects were there only while "
				   "needed: vflow report --memory",
				   peak, mended)
		       : xasprintf("memory: peak %s", peak);
	memory_free(memory);
	free(peak);
	free(mended);
	return text;
}
