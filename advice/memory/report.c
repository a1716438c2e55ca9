/* advice/memory/report.c: see report.h. */
#include "advice/memory/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/memory/frequency.h"
#include "advice/memory/libraries.h"
#include "advice/memory/report_code.h"
#include "advice/memory/report_devices.h"
#include "advice/memory/report_pools.h"
#include "advice/memory/shares.h"
#include "advice/memory/words.h"
#include "advice/report/page.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	PEAKS = 2, /* that are shown, as in the paper */
	SITES = 6, /* of each */
	LIBRARIES = 6,
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

/* -- peaks -------------------------------------------------------------------------------- */

static void print_share(const struct printing *printing, const struct memory_share *share)
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
	struct memory_share *shares = memory_shares(printing->report->profile,
						    printing->memory->peaks, peak->place, &count);
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

/* -- libraries ---------------------------------------------------------------------------- */

static void print_library(const struct printing *printing, const struct memory_library *library)
{
	const char *slash = library->path ? strrchr(library->path, '/') : NULL;
	const char *name = slash ? slash + 1 : library->path;
	char *place = words_bytes(library->place_bytes), *bytes = words_bytes(library->bytes);
	char *text = xasprintf("%s; %s in all, %" PRIu64 " object%s",
			       name ? name : "allocated from an unknown place", bytes,
			       library->objects, text_plural(library->objects, "", "s"));

	page_field(printing->out, place, text);
	free(place);
	free(bytes);
	free(text);
}

static void print_libraries(const struct printing *printing)
{
	const struct memory *memory = printing->memory;
	struct memory_library *libraries;
	uint32_t count = memory_libraries(printing->report->profile, memory->peaks, memory->place,
					  &libraries);

	fputc('\n', printing->out);
	page_heading(printing->report->colour, printing->out,
		     "Who allocated what is there at peak 1");
	for (uint32_t i = 0; i < count && i < LIBRARIES; i++)
		print_library(printing, &libraries[i]);
	if (count > LIBRARIES) {
		char *more = xasprintf("... and %" PRIu32 " more librar%s", count - LIBRARIES,
				       text_plural(count - LIBRARIES, "y", "ies"));

		page_field(printing->out, "", more);
		free(more);
	}
	free(libraries);
}

/* -- findings ----------------------------------------------------------------------------- */

/* What a peak that would be `mended` is to the reader; a small part of it shows in no sum. */
static char *mended_words(uint64_t peak, uint64_t mended)
{
	char *before = words_bytes(peak), *after = words_bytes(mended);
	const char *changes = mended < peak ? "falls" : "rises";
	char *text, *by;

	if (mended == peak || mended == PROFILE_UNKNOWN) {
		text = xstrdup("does not lower the peak");
	} else if (strcmp(before, after) != 0) {
		text = xasprintf("peak %s to %s", changes, after);
	} else {
		by = words_bytes(mended < peak ? peak - mended : mended - peak);
		text = xasprintf("peak %s by %s", changes, by);
		free(by);
	}
	free(before);
	free(after);
	return text;
}

static void print_finding(const struct printing *printing, uint32_t index)
{
	const struct memory_finding *finding = &printing->memory->findings[index];
	const struct profile_finding *listed = &printing->report->profile->findings[index];
	const bool wastes = memory_is_wasted(finding->pattern);
	char *bytes = words_bytes(finding->bytes);
	char *lower = wastes ? mended_words(printing->memory->peak, finding->peak)
		      : finding->pattern == MEMORY_NONUNIFORM
			      ? frequency_title(finding)
			      : xasprintf("%" PRIu64 " of an object", finding->most);
	char *title = xasprintf(
		"%" PRIu32 ". %s: %s%s", index + 1, memory_patterns[finding->pattern].title, lower,
		printing->report->report->fresh && printing->report->report->fresh[index] ? ", new"
											  : "");
	char *site = site_words(printing, finding->site), *text;

	fputc('\n', printing->out);
	page_heading(printing->report->colour, printing->out, title);
	text = finding->objects > 1 ? xasprintf("%s, %" PRIu64 " of its objects, %s", site,
						finding->objects, bytes)
				    : xasprintf("%s, %s", site, bytes);
	page_field(printing->out, "object", text);
	free(text);
	page_field(printing->out, finding->objects > 1 ? "worst" : "seen", listed->evidence);
	if (wastes || finding->pattern == MEMORY_NONUNIFORM) {
		text = wastes ? memory_cost(printing->report, finding)
			      : frequency_histogram(printing->report->profile, finding);
		page_field(printing->out, wastes ? "costs" : "counts", text);
		free(text);
	}
	page_field(printing->out, "advice", listed->advice);
	free(bytes);
	free(lower);
	free(title);
	free(site);
}

/*
 * What several give together may be more than any gives alone: then each is worth a look.  `best`:
 * the lowest peak that one gives.
 */
static void print_count(const struct memory *memory, uint32_t count, uint32_t lower, uint64_t best,
			FILE *out)
{
	char *alone = lower ? xasprintf("%" PRIu32 " lower%s the peak alone, most first", lower,
					text_plural(lower, "s", ""))
			    : xstrdup("none lowers the peak alone");
	char *less = words_bytes(memory->peak - memory->peak_moved);
	char *part = words_percent(memory->peak - memory->peak_moved, memory->peak);
	char *all = memory->peak_moved < best
			    ? xasprintf("; all together lower it by %s, %s", less, part)
			    : xstrdup(lower ? "" : ", nor do all together");
	char *text = xasprintf("%" PRIu32 " finding%s; %s%s", count, text_plural(count, "", "s"),
			       alone, all);

	page_wrap(out, 0, text);
	free(alone);
	free(less);
	free(part);
	free(all);
	free(text);
}

static void print_findings(const struct printing *printing)
{
	const struct memory *memory = printing->memory;
	const struct report *report = printing->report->report;
	uint32_t count = report_count(report), shown = report_shown(report), left = shown;
	uint32_t all = count, lower = 0;
	uint64_t best = memory->peak;
	FILE *out = printing->out;

	for (uint32_t i = report_next(report, 0, &all); i < memory->finding_count;
	     i = report_next(report, i + 1, &all)) {
		lower += memory->findings[i].peak < memory->peak;
		if (memory->findings[i].peak < best)
			best = memory->findings[i].peak;
	}
	fputc('\n', out);
	if (!count) {
		page_wrap(out, 0,
			  memory->finding_count ? report_none(report)
			  : memory->unseen      ? "No findings in what is known."
						: "No findings: all memory is needed for as long "
						  "as it is there.");
		return;
	}
	print_count(memory, count, lower, best, out);
	for (uint32_t i = report_next(report, 0, &left); i < memory->finding_count;
	     i = report_next(report, i + 1, &left))
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
	if (profile_is_by_arguments(profile)) {
		fputs("  ", out);
		page_wrap(out, 2,
			  "kernels count as accessing each object that they are given: whether "
			  "they do, and what else they reach, is not known");
	}
	if (!memory->sees_accesses) {
		fputs("  ", out);
		page_wrap(out, 2,
			  "what accesses objects was not recorded: of them it is only said that "
			  "they were never freed (vflow collect --passes flow)");
	} else if (memory->unseen) {
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

static void print_none(const struct profile *profile, FILE *out)
{
	char *text = profile->lifetime_count
			     ? xstrdup("No memory of the device was allocated.")
			     : xasprintf("The profile does not say when memory was accessed: %s.",
					 profile_lacks_lifetimes(profile));

	page_wrap(out, 0, text);
	free(text);
}

void report_memory_print(const struct report_memory *report, FILE *out)
{
	struct printing printing = {.report = report, .memory = report->memory, .out = out};

	if (!report->memory) {
		print_none(report->profile, out);
		return;
	}
	printing.sites = words_sites(report->profile);
	print_header(&printing);
	print_peaks(&printing);
	print_libraries(&printing);
	report_devices_print(report, printing.memory->process, out);
	report_pools_print(report, printing.memory->process, out);
	report_code_print(report, printing.memory->process, out);
	print_findings(&printing);
	report_text_suppressed(report->report, out);
	free(printing.sites);
}

uint64_t report_memory_peak(const struct profile *profile)
{
	struct memory_options options = MEMORY_DEFAULTS;
	struct memory *memory;
	uint64_t peak;

	options.peaks_only = true;
	memory = memory_new(profile, &options);
	peak = memory ? memory->peak : PROFILE_UNKNOWN;
	memory_free(memory);
	return peak;
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
