/* render/pprof_labels.c: see pprof_labels.h. */
#include "render/pprof_labels.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static void add(struct pprof_label_list *list, struct pprof_label label)
{
	/* most rows say what the one before said */
	if (list->count && !memcmp(&list->items[list->count - 1], &label, sizeof(label)))
		return;
	ARRAY_RESERVE(list->items, list->count, list->capacity);
	list->items[list->count++] = label;
}

static int order(const void *left, const void *right)
{
	const struct pprof_label *a = left, *b = right;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void settle(struct pprof_label_list *list)
{
	uint32_t count = list->count;

	if (count)
		qsort(list->items, count, sizeof(*list->items), order);
	list->count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!i || order(&list->items[i], &list->items[list->count - 1]) != 0)
			list->items[list->count++] = list->items[i];
}

static void add_stream(struct pprof_label_list *list, const struct graph *graph, uint32_t id,
		       uint32_t device, uint32_t stream)
{
	uint32_t vertex = id == PROFILE_NO_VERTEX ? graph->vertex_count : graph_find(graph, id);

	if (vertex < graph->vertex_count)
		add(list, (struct pprof_label){vertex, device, stream});
}

void pprof_labels_find(struct pprof_labels *labels, const struct picture *picture)
{
	const struct profile *profile = picture->profile;
	const struct graph *graph = picture->graph;

	*labels = (struct pprof_labels){0};
	for (uint32_t i = 0; i < graph->edge_count; i++)
		if (graph->edges[i].fields & EDGE_OBJECT)
			add(&labels->objects,
			    (struct pprof_label){graph->edges[i].to, 0, graph->edges[i].object});
	for (uint32_t i = 0; profile && i < profile->event_rows; i++)
		add_stream(&labels->streams, graph, profile->events[i].vertex,
			   profile->events[i].device, profile->events[i].stream);
	for (uint32_t i = 0; profile && i < profile->gpu_time_count; i++)
		add_stream(&labels->streams, graph, profile->gpu_times[i].vertex,
			   profile->gpu_times[i].device, profile->gpu_times[i].stream);
	settle(&labels->objects);
	settle(&labels->streams);
}

uint32_t pprof_labels_of(struct pprof_label_list *list, uint32_t vertex,
			 const struct pprof_label **labels)
{
	uint32_t first;

	while (list->next < list->count && list->items[list->next].vertex < vertex)
		list->next++;
	first = list->next;
	*labels = list->items ? list->items + first : NULL;
	while (list->next < list->count && list->items[list->next].vertex == vertex)
		list->next++;
	return list->next - first < PPROF_LABELS_MOST ? list->next - first : PPROF_LABELS_MOST;
}

void pprof_labels_release(struct pprof_labels *labels)
{
	free(labels->objects.items);
	free(labels->streams.items);
}
