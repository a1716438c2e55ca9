/*
 * render/layout_layers.c: a layered layout of our own, for pictures that are too large for dot.
 *
 * Edges point from the earlier vertex to the later one whatever way the values flow, so the picture
 * has no cycles and time flows down.  Then, as Sugiyama does it: layers by longest path, bends
 * where an edge crosses a layer, barycentre sweeps for the order within layers, and for the
 * positions sweeps of least squares, which isotonic regression solves exactly for one layer.
 * layout_routes.c draws the edges then.
 *
 * host takes part in every copy: where it has many edges, they become stubs that are marked "host",
 * and the flows that only host connects stand beside each other.
 */
#include <math.h>
#include <stdlib.h>

#include "render/layout.h"
#include "render/layout_layers.h"
#include "render/layout_parts.h"
#include "util/memory.h"

static const double node_gap = 22, bend_gap = LAYERS_BEND_GAP, layer_gap = 44, widest_gap = 150;

enum {
	ORDER_SWEEPS = 12,
	POSITION_SWEEPS = 8,
	MOST_BENDS = 200000, /* of a picture; longer edges are drawn straight then */
	HOST_EDGES = 40,     /* of more, each is a stub */
	BEND_WEIGHT = 6,     /* of the segment between two bends: long edges should be straight */
};

/* Layers. */

bool layers_is_host(const struct layers *layers, uint32_t vertex)
{
	return layers->picture->vertices[vertex].shape == SHAPE_HOST;
}

static int compare_ids(const void *left, const void *right)
{
	const struct picture_vertex *a = *(const struct picture_vertex *const *)left;
	const struct picture_vertex *b = *(const struct picture_vertex *const *)right;

	return a->vertex->id < b->vertex->id ? -1 : a->vertex->id > b->vertex->id;
}

/* The vertices in program order, and in `rank` each one's place in it. */
static uint32_t *program_order(const struct picture *picture, uint32_t *rank)
{
	const struct picture_vertex **sorted = xcalloc(picture->vertex_count, sizeof(*sorted));
	uint32_t *order = xcalloc(picture->vertex_count, sizeof(*order));

	for (uint32_t i = 0; i < picture->vertex_count; i++)
		sorted[i] = &picture->vertices[i];
	qsort(sorted, picture->vertex_count, sizeof(*sorted), compare_ids);
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		order[i] = (uint32_t)(sorted[i] - picture->vertices);
		rank[order[i]] = i;
	}
	free(sorted);
	return order;
}

static void count_sort(const struct layers *layers, bool by_upper, struct neighbours *result)
{
	uint32_t *next;

	result->first = xcalloc(layers->node_count + 2, sizeof(*result->first));
	result->items = xcalloc(layers->link_count, sizeof(*result->items));
	for (uint32_t i = 0; i < layers->link_count; i++) {
		const struct link *link = &layers->links[i];

		result->first[(by_upper ? link->upper : link->lower) + 2]++;
	}
	next = result->first + 1;
	for (uint32_t i = 0; i <= layers->node_count; i++)
		result->first[i + 1] += result->first[i];
	for (uint32_t i = 0; i < layers->link_count; i++) {
		const struct link *link = &layers->links[i];

		result->items[next[by_upper ? link->upper : link->lower]++] = (struct neighbour){
			.node = by_upper ? link->lower : link->upper, .weight = link->weight};
	}
}

static void find_neighbours(struct layers *layers)
{
	count_sort(layers, true, &layers->below);
	count_sort(layers, false, &layers->above);
}

static void free_neighbours(struct layers *layers)
{
	free(layers->below.first);
	free(layers->below.items);
	free(layers->above.first);
	free(layers->above.items);
}

/*
 * Longest paths from the top; then what has no more above it than below, host left out, sinks as
 * far as it can: allocations and copies stand above their first use.
 */
static void assign_layers(struct layers *layers, const uint32_t *order)
{
	struct node *nodes = layers->nodes;
	uint32_t count = layers->picture->vertex_count;

	for (uint32_t i = 0; i < count; i++) {
		const struct neighbours *below = &layers->below;

		for (uint32_t k = below->first[order[i]]; k < below->first[order[i] + 1]; k++) {
			struct node *next = &nodes[below->items[k].node];

			if (next->layer <= nodes[order[i]].layer)
				next->layer = nodes[order[i]].layer + 1;
		}
	}
	for (uint32_t i = count; i-- > 0;) {
		uint32_t v = order[i], lowest = UINT32_MAX, above = 0, below = 0;

		for (uint32_t k = layers->above.first[v]; k < layers->above.first[v + 1]; k++)
			above += !layers_is_host(layers, layers->above.items[k].node);
		for (uint32_t k = layers->below.first[v]; k < layers->below.first[v + 1]; k++) {
			uint32_t layer = nodes[layers->below.items[k].node].layer;

			lowest = layer < lowest ? layer : lowest;
			below++;
		}
		if (below && above <= below && !layers_is_host(layers, v))
			nodes[v].layer = lowest - 1;
	}
}

/* Numbers the layers through all parts, so that each belongs to one part. */
static void number_layers(struct layers *layers, uint32_t part_count)
{
	uint32_t *lowest = xcalloc(part_count + 1, sizeof(*lowest)), count = 0;

	for (uint32_t i = 0; i < layers->picture->vertex_count; i++) {
		uint32_t *part = &lowest[layers->part_of[i]];

		*part = layers->nodes[i].layer + 1 > *part ? layers->nodes[i].layer + 1 : *part;
	}
	for (uint32_t part = 0; part < part_count; part++) {
		uint32_t size = lowest[part];

		lowest[part] = count;
		count += size;
	}
	for (uint32_t i = 0; i < layers->picture->vertex_count; i++)
		layers->nodes[i].layer += lowest[layers->part_of[i]];
	layers->layer_count = count;
	free(lowest);
}

/* The longest edge that gets bends, so that there are not too many of them. */
static uint32_t longest_bent(const struct layers *layers, uint32_t *bends)
{
	for (uint32_t longest = layers->layer_count;; longest /= 2) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < layers->picture->edge_count; i++) {
			const struct route *route = &layers->routes[i];
			uint32_t length = layers->nodes[route->lower].layer -
					  layers->nodes[route->upper].layer;

			if (layers->stubs[i])
				continue;
			sum += length > 1 && length <= longest ? length - 1 : 0;
		}
		if (sum <= MOST_BENDS) {
			*bends = (uint32_t)sum;
			return longest;
		}
	}
}

static void add_bends(struct layers *layers)
{
	uint32_t bends, longest = longest_bent(layers, &bends);

	free(layers->links);
	layers->nodes = xreallocarray(layers->nodes, (size_t)layers->node_count + bends + 1,
				      sizeof(*layers->nodes));
	layers->links =
		xcalloc((size_t)layers->picture->edge_count + bends + 1, sizeof(*layers->links));
	layers->link_count = 0;
	for (uint32_t i = 0; i < layers->picture->edge_count; i++) {
		struct route *route = &layers->routes[i];
		uint32_t last = route->upper, layer = layers->nodes[last].layer;
		uint32_t length = layers->nodes[route->lower].layer - layer;

		if (route->upper == route->lower || layers->stubs[i])
			continue;
		route->bend = layers->node_count;
		route->bends = length <= longest ? length - 1 : 0;
		for (uint32_t k = 0; k < route->bends; k++) {
			uint32_t bend = layers->node_count++;
			double half = bend_gap / 2 + layers->picture->edges[i].width / 2;

			layers->nodes[bend] = (struct node){.left = half,
							    .right = half,
							    .layer = ++layer,
							    .vertex = UINT32_MAX};
			layers->links[layers->link_count++] = (struct link){
				.upper = last, .lower = bend, .weight = k ? BEND_WEIGHT : 2};
			last = bend;
		}
		layers->links[layers->link_count++] = (struct link){
			.upper = last, .lower = route->lower, .weight = route->bends ? 2 : 1};
	}
}

/* Order within the layers. */

static void fill_layers(struct layers *layers)
{
	uint32_t *next;

	layers->first = xcalloc(layers->layer_count + 2, sizeof(*layers->first));
	layers->order = xcalloc(layers->node_count + 1, sizeof(*layers->order));
	for (uint32_t i = 0; i < layers->node_count; i++)
		layers->first[layers->nodes[i].layer + 2]++;
	next = layers->first + 1;
	for (uint32_t i = 0; i <= layers->layer_count; i++)
		layers->first[i + 1] += layers->first[i];
	for (uint32_t i = 0; i < layers->node_count; i++)
		layers->order[next[layers->nodes[i].layer]++] = i;
}

/* Shoulder to shoulder, with the middle at 0. */
static void pack(struct layers *layers, uint32_t layer)
{
	double width = 0, x;

	for (uint32_t i = layers->first[layer]; i < layers->first[layer + 1]; i++)
		width += layers->nodes[layers->order[i]].left +
			 layers->nodes[layers->order[i]].right;
	x = -width / 2;
	for (uint32_t i = layers->first[layer]; i < layers->first[layer + 1]; i++) {
		struct node *node = &layers->nodes[layers->order[i]];

		node->x = x + node->left;
		x += node->left + node->right;
	}
}

/* Weighted mean of the neighbours' positions; *weight is 0 where there are none. */
static double mean(const struct layers *layers, const struct neighbours *neighbours, uint32_t node,
		   double *weight)
{
	double sum = 0;

	*weight = 0;
	for (uint32_t k = neighbours->first[node]; k < neighbours->first[node + 1]; k++) {
		const struct neighbour *other = &neighbours->items[k];

		sum += other->weight * layers->nodes[other->node].x;
		*weight += other->weight;
	}
	return *weight > 0 ? sum / *weight : layers->nodes[node].x;
}

struct place {
	double wish;
	uint32_t node, before; /* its place until now */
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->wish != b->wish)
		return a->wish < b->wish ? -1 : 1;
	return a->before < b->before ? -1 : a->before > b->before;
}

static void order_layer(struct layers *layers, const struct neighbours *neighbours, uint32_t layer,
			struct place *places)
{
	uint32_t first = layers->first[layer], count = layers->first[layer + 1] - first;
	double weight;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = layers->order[first + i];

		places[i] = (struct place){
			.wish = mean(layers, neighbours, node, &weight), .node = node, .before = i};
	}
	qsort(places, count, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < count; i++)
		layers->order[first + i] = places[i].node;
	pack(layers, layer);
}

static void order_layers(struct layers *layers)
{
	struct place *places = xcalloc(layers->node_count + 1, sizeof(*places));

	for (uint32_t layer = 0; layer < layers->layer_count; layer++)
		pack(layers, layer);
	for (int sweep = 0; sweep < ORDER_SWEEPS; sweep++) {
		if (sweep % 2 == 0)
			for (uint32_t layer = 1; layer < layers->layer_count; layer++)
				order_layer(layers, &layers->above, layer, places);
		else
			for (uint32_t layer = layers->layer_count; layer-- > 0;)
				order_layer(layers, &layers->below, layer, places);
	}
	free(places);
}

/* Positions. */

struct block {              /* nodes that stand shoulder to shoulder */
	double sum, weight; /* of the wishes for the first node's place */
	uint32_t count;
};

/*
 * The places nearest to the wishes (least squares) that keep order and distances: with the
 * distances subtracted this is isotonic regression, solved by pooling neighbours that collide.
 */
static void settle_layer(struct layers *layers, uint32_t layer, bool up, bool down,
			 struct block *blocks)
{
	uint32_t first = layers->first[layer], end = layers->first[layer + 1], count = 0,
		 at = first;
	double offset = 0;

	for (uint32_t i = first; i < end; i++) {
		struct node *node = &layers->nodes[layers->order[i]];
		double above = 0, below = 0, wish = 0, weight;
		struct block block;

		offset += node->left;
		if (up)
			wish = mean(layers, &layers->above, layers->order[i], &above) * above;
		if (down)
			wish += mean(layers, &layers->below, layers->order[i], &below) * below;
		weight = above + below;
		if (weight <= 0) { /* stays where it is unless pushed */
			weight = 0.01;
			wish = node->x * weight;
		}
		block = (struct block){.sum = wish - offset * weight, .weight = weight, .count = 1};
		while (count && blocks[count - 1].sum * block.weight >=
					block.sum * blocks[count - 1].weight) {
			count--;
			block.sum += blocks[count].sum;
			block.weight += blocks[count].weight;
			block.count += blocks[count].count;
		}
		blocks[count++] = block;
		offset += node->right;
	}
	offset = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < blocks[i].count; k++) {
			struct node *node = &layers->nodes[layers->order[at++]];

			node->x = blocks[i].sum / blocks[i].weight + offset + node->left;
			offset += node->left + node->right;
		}
}

static void settle(struct layers *layers)
{
	struct block *blocks = xcalloc(layers->node_count + 1, sizeof(*blocks));

	for (int sweep = 0; sweep < POSITION_SWEEPS; sweep++) {
		bool last = sweep >= POSITION_SWEEPS - 2;

		for (uint32_t layer = 0; layer < layers->layer_count; layer++)
			settle_layer(layers, layer, true, last, blocks);
		for (uint32_t layer = layers->layer_count; layer-- > 0;)
			settle_layer(layers, layer, last, true, blocks);
	}
	free(blocks);
}

/* Heights: flat slopes are hard to follow, so that layers with wide strides get more room. */
static void stack_layers(struct layers *layers)
{
	double *gap = xcalloc(layers->layer_count + 1, sizeof(*gap)), y = 0;

	layers->top = xcalloc(layers->layer_count + 1, sizeof(*layers->top));
	layers->height = xcalloc(layers->layer_count + 1, sizeof(*layers->height));
	for (uint32_t i = 0; i < layers->picture->vertex_count; i++) {
		double *height = &layers->height[layers->nodes[i].layer];

		*height = fmax(*height, layers->picture->vertices[i].height);
	}
	for (uint32_t i = 0; i < layers->link_count; i++) {
		const struct node *upper = &layers->nodes[layers->links[i].upper];
		double stride = fabs(upper->x - layers->nodes[layers->links[i].lower].x);

		gap[upper->layer] = fmax(gap[upper->layer], stride);
	}
	for (uint32_t layer = 0; layer < layers->layer_count; layer++) {
		layers->top[layer] = y;
		layers->height[layer] = ceil(layers->height[layer]);
		y += layers->height[layer] + round(fmin(widest_gap, layer_gap + 0.08 * gap[layer]));
	}
	free(gap);
}

/* Moves each part to its place on the page; returns the page's size. */
static struct picture_point place_parts(struct layers *layers, uint32_t part_count)
{
	struct layout_part *parts = xcalloc(part_count, sizeof(*parts));
	double *left = xcalloc(part_count, sizeof(*left)),
	       *right = xcalloc(part_count, sizeof(*right));
	double *top = xcalloc(part_count, sizeof(*top)),
	       *bottom = xcalloc(part_count, sizeof(*bottom));
	uint32_t *part_of_layer = xcalloc(layers->layer_count + 1, sizeof(*part_of_layer));
	struct picture_point size;

	for (uint32_t i = 0; i < part_count; i++)
		left[i] = top[i] = INFINITY, right[i] = bottom[i] = -INFINITY;
	for (uint32_t i = 0; i < layers->picture->vertex_count; i++)
		part_of_layer[layers->nodes[i].layer] = layers->part_of[i];
	for (uint32_t i = 0; i < layers->node_count; i++) {
		const struct node *node = &layers->nodes[i];
		uint32_t part = part_of_layer[node->layer];

		left[part] = fmin(left[part], node->x - node->left);
		right[part] = fmax(right[part], node->x + node->right);
		top[part] = fmin(top[part], layers->top[node->layer]);
		bottom[part] =
			fmax(bottom[part], layers->top[node->layer] + layers->height[node->layer]);
	}
	for (uint32_t i = 0; i < part_count; i++) {
		parts[i].width = right[i] - left[i];
		parts[i].height = bottom[i] - top[i];
	}
	size = layout_place_parts(parts, part_count);
	for (uint32_t i = 0; i < layers->node_count; i++) {
		uint32_t part = part_of_layer[layers->nodes[i].layer];

		layers->nodes[i].x += parts[part].x - left[part];
	}
	for (uint32_t layer = 0; layer < layers->layer_count; layer++)
		layers->top[layer] += parts[part_of_layer[layer]].y - top[part_of_layer[layer]];
	free(parts);
	free(left);
	free(right);
	free(top);
	free(bottom);
	free(part_of_layer);
	return size;
}

static void add_nodes(struct layers *layers, const uint32_t *rank)
{
	const struct picture *picture = layers->picture;

	layers->nodes = xcalloc(picture->vertex_count, sizeof(*layers->nodes));
	layers->node_count = picture->vertex_count;
	layers->routes = xcalloc(picture->edge_count, sizeof(*layers->routes));
	layers->links = xcalloc(picture->edge_count, sizeof(*layers->links));
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		double half = picture->vertices[i].width / 2 + node_gap / 2;

		layers->nodes[i] = (struct node){
			.left = half,
			.right = fmax(half, layers->loop_reach[i] + node_gap / 2),
			.vertex = i,
		};
	}
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		uint32_t from = picture->edges[i].from, to = picture->edges[i].to;
		bool back = rank[from] > rank[to];
		struct route *route = &layers->routes[i];

		*route = (struct route){.upper = back ? to : from, .lower = back ? from : to};
		if (layers->stubs[i] && layers_is_host(layers, route->lower))
			*route = (struct route){.upper = route->lower, .lower = route->upper};
		if (from != to && !layers->stubs[i])
			layers->links[layers->link_count++] = (struct link){
				.upper = route->upper, .lower = route->lower, .weight = 1};
	}
}

/* Which edges are drawn as stubs: host's, when it has too many.  The caller frees. */
static bool *find_stubs(const struct picture *picture)
{
	bool *stubs = xcalloc(picture->edge_count, sizeof(*stubs));
	uint32_t count = 0;

	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];

		stubs[i] = (picture->vertices[edge->from].shape == SHAPE_HOST) !=
			   (picture->vertices[edge->to].shape == SHAPE_HOST);
		count += stubs[i];
	}
	for (uint32_t i = 0; count <= HOST_EDGES && i < picture->edge_count; i++)
		stubs[i] = false;
	return stubs;
}

void layout_by_layers(struct picture *picture)
{
	bool *stubs = find_stubs(picture);
	uint32_t *part_of = xcalloc(picture->vertex_count, sizeof(*part_of));
	uint32_t *rank = xcalloc(picture->vertex_count, sizeof(*rank));
	uint32_t part_count = layout_find_parts(picture, stubs, part_of);
	uint32_t *order = program_order(picture, rank);
	double *loop_reach = layout_loop_reach(picture);
	struct layers layers = {
		.picture = picture, .loop_reach = loop_reach, .part_of = part_of, .stubs = stubs};
	struct picture_point size;

	add_nodes(&layers, rank);
	find_neighbours(&layers);
	assign_layers(&layers, order);
	free_neighbours(&layers);
	number_layers(&layers, part_count);
	add_bends(&layers);
	find_neighbours(&layers);
	fill_layers(&layers);
	order_layers(&layers);
	settle(&layers);
	stack_layers(&layers);
	size = place_parts(&layers, part_count);
	picture->width = size.x;
	picture->height = size.y;
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		const struct node *node = &layers.nodes[i];

		picture->vertices[i].at = (struct picture_point){
			node->x, layers.top[node->layer] + layers.height[node->layer] / 2};
	}
	layers_draw_edges(&layers, picture);
	free_neighbours(&layers);
	free(layers.nodes);
	free(layers.routes);
	free(layers.links);
	free(layers.first);
	free(layers.order);
	free(layers.top);
	free(layers.height);
	free(loop_reach);
	free(stubs);
	free(part_of);
	free(order);
	free(rank);
}
