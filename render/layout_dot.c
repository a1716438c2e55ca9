/*
 * render/layout_dot.c: positions by Graphviz' dot algorithm, with its plugin linked in: no
 * configuration file, no pango.  Only numbers and our own labels get in, no text of the program.
 */
#include <graphviz/gvc.h>
#include <stdlib.h>

#include "render/layout.h"
#include "render/layout_parts.h"
#include "util/memory.h"

extern gvplugin_library_t gvplugin_dot_layout_LTX_library;

static const double points_per_inch = 72, nodesep = 0.35;

/* cgraph's prototypes lack const in the versions of Debian 12 and 13. */
static void set(void *object, const char *name, const char *format, double value)
{
	char text[32];

	snprintf(text, sizeof(text), format, value);
	agsafeset(object, (char *)name, text, "");
}

static void declare(Agraph_t *graph, int kind, const char *name, const char *value)
{
	agattr(graph, kind, (char *)name, (char *)value);
}

static Agraph_t *new_graph(enum layout_manner manner)
{
	Agraph_t *graph = agopen("picture", Agdirected, NULL);

	declare(graph, AGRAPH, "rankdir", "TB");
	declare(graph, AGRAPH, "margin", "");
	declare(graph, AGRAPH, "nodesep", "");
	set(graph, "nodesep", "%.2f", nodesep);
	declare(graph, AGRAPH, "ranksep", "0.4");
	if (manner ==
	    MANNER_QUICK) { /* only these two help, and only straight lines are safe with them */
		declare(graph, AGRAPH, "nslimit", "1");
		declare(graph, AGRAPH, "nslimit1", "1");
		declare(graph, AGRAPH, "splines", "line");
	}
	declare(graph, AGNODE, "label", "");
	declare(graph, AGNODE, "shape", "box");
	declare(graph, AGNODE, "fixedsize", "true");
	declare(graph, AGNODE, "width", "1");
	declare(graph, AGNODE, "height", "1");
	declare(graph, AGEDGE, "label", "");
	declare(graph, AGEDGE, "fontname", "Helvetica");
	declare(graph, AGEDGE, "fontsize", "12");
	declare(graph, AGEDGE, "dir", "forward");
	declare(graph, AGEDGE, "arrowsize", "1");
	declare(graph, AGEDGE, "weight", "1");
	declare(graph, AGEDGE, "style", "");
	declare(graph, AGEDGE, "minlen", "1");
	return graph;
}

static Agnode_t *add_vertex(Agraph_t *graph, const struct picture_vertex *vertex, uint32_t index)
{
	static const char *const shapes[SHAPE_COUNT] = {
		[SHAPE_BOX] = "box",  [SHAPE_CIRCLE] = "ellipse",  [SHAPE_OVAL] = "ellipse",
		[SHAPE_HOST] = "box", [SHAPE_DIAMOND] = "diamond", [SHAPE_OTHER] = "box",
	};
	char name[16];
	Agnode_t *node;

	snprintf(name, sizeof(name), "%u", index);
	node = agnode(graph, name, 1);
	agset(node, "shape", (char *)shapes[vertex->shape]);
	set(node, "width", "%.4f", vertex->width / points_per_inch);
	set(node, "height", "%.4f", vertex->height / points_per_inch);
	return node;
}

/* Earlier than in program order: drawn upwards, so that time flows down. */
static bool goes_back(const struct picture *picture, const struct picture_edge *edge)
{
	return picture->vertices[edge->to].vertex->id < picture->vertices[edge->from].vertex->id;
}

/*
 * Room for the loops at a vertex, which layout_loops() draws: an invisible neighbour on its right.
 * Were the loops dot's, it would lead other edges through them.
 */
static void add_loop_room(Agraph_t *graph, const struct picture_vertex *vertex, Agnode_t *node,
			  double reach, uint32_t index)
{
	double width = reach - vertex->width / 2 - nodesep * points_per_inch;
	char name[24];
	Agraph_t *pair;
	Agnode_t *room;
	Agedge_t *line;

	snprintf(name, sizeof(name), "cluster%u", index); /* nothing comes between the two */
	pair = agsubg(graph, name, 1);
	agset(pair, "margin", "0");
	room = agnode(graph, name, 1);
	agsubnode(pair, node, 1);
	agsubnode(pair, room, 1);
	set(room, "width", "%.4f", (width > 4 ? width : 4) / points_per_inch);
	set(room, "height", "%.4f", vertex->height / points_per_inch);
	line = agedge(pair, node, room, NULL, 1);
	agset(line, "minlen", "0");
	agset(line, "style", "invis");
	agset(line, "weight", "100");
}

static Agedge_t *add_edge(Agraph_t *graph, const struct picture *picture,
			  const struct picture_edge *edge, Agnode_t *const *nodes,
			  enum layout_manner manner)
{
	bool back = goes_back(picture, edge);
	char label[64];
	Agedge_t *line = agedge(graph, nodes[back ? edge->to : edge->from],
				nodes[back ? edge->from : edge->to], NULL, 1);

	if (back)
		agset(line, "dir", "back");
	set(line, "arrowsize", "%.2f", picture_arrow(edge) / 10);
	set(line, "weight", "%.0f", back ? 1 : edge->width);
	if (edge->label &&
	    manner != MANNER_QUICK) { /* one label gives every edge twice as many ranks */
		/*
		 * The built-in widths are Helvetica's: a sixth narrower than what is drawn.  The
		 * blanks make room for the half of a wide line.
		 */
		snprintf(label, sizeof(label), "%s    ", edge->label);
		agset(line, "label", label);
		set(line, "fontsize", "%.2f", RENDER_EDGE_FONT * 1.2);
	}
	return line;
}

static void put(FILE *out, double value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put_point(FILE *out, const struct layout_part *part, pointf point)
{
	put(out, part->x + point.x);
	put(out, part->y + part->height - point.y);
}

static void put_edge(FILE *out, const struct layout_part *part, const struct picture *picture,
		     const struct picture_edge *edge, Agedge_t *line)
{
	bool back = goes_back(picture, edge);
	const splines *curves = ED_spl(line);
	const bezier *curve = curves && curves->size > 0 ? &curves->list[0] : NULL;
	pointf straight[4];
	pointf tip, label;
	bezier replacement = {.list = straight, .size = 4};

	if (!curve || curve->size < 4) { /* dot gave up on this line */
		pointf from = ND_coord(agtail(line)), to = ND_coord(aghead(line));

		for (int i = 0; i < 4; i++)
			straight[i] = (pointf){from.x + (to.x - from.x) * i / 3,
					       from.y + (to.y - from.y) * i / 3};
		curve = &replacement;
	}
	tip = back ? (curve->sflag ? curve->sp : curve->list[0])
		   : (curve->eflag ? curve->ep : curve->list[curve->size - 1]);
	label = ED_label(line) && ED_label(line)->set ? ED_label(line)->pos
						      : curve->list[curve->size / 2];
	put(out, curve->size);
	put_point(out, part, tip);
	put_point(out, part, label);
	for (int i = 0; i < curve->size; i++)
		put_point(out, part, curve->list[back ? curve->size - 1 - i : i]);
}

int layout_by_dot(const struct picture *picture, enum layout_manner manner, FILE *out)
{
	static lt_symlist_t plugins[] = {
		{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
		{NULL, NULL},
	};
	Agnode_t **nodes = xcalloc(picture->vertex_count, sizeof(*nodes));
	Agedge_t **lines = xcalloc(picture->edge_count, sizeof(*lines));
	uint32_t *part_of = xcalloc(picture->vertex_count, sizeof(*part_of));
	uint32_t part_count = layout_find_parts(picture, NULL, part_of);
	struct layout_part *parts = xcalloc(part_count, sizeof(*parts));
	Agraph_t **graphs = xcalloc(part_count, sizeof(*graphs));
	double *reach = layout_loop_reach(picture);
	GVC_t *context = gvContextPlugins(plugins, 0);
	struct picture_point size;

	agseterr(AGMAX); /* its warnings are about means, not about the user's graph */
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		Agraph_t **graph = &graphs[part_of[i]];

		if (!*graph)
			*graph = new_graph(manner);
		nodes[i] = add_vertex(*graph, &picture->vertices[i], i);
	}
	for (uint32_t i = 0; i < picture->vertex_count; i++)
		if (reach[i] > 0 && manner == MANNER_BEST)
			add_loop_room(graphs[part_of[i]], &picture->vertices[i], nodes[i], reach[i],
				      i);
	for (uint32_t i = 0; i < picture->edge_count; i++)
		if (picture->edges[i].from != picture->edges[i].to || manner != MANNER_BEST)
			lines[i] = add_edge(graphs[part_of[picture->edges[i].from]], picture,
					    &picture->edges[i], nodes, manner);
	for (uint32_t i = 0; i < part_count; i++) {
		if (!context || gvLayout(context, graphs[i], "dot") != 0)
			return -1;
		parts[i].width = GD_bb(graphs[i]).UR.x;
		parts[i].height = GD_bb(graphs[i]).UR.y;
	}

	size = layout_place_parts(parts, part_count);
	put(out, size.x);
	put(out, size.y);
	for (uint32_t i = 0; i < picture->vertex_count; i++)
		put_point(out, &parts[part_of[i]], ND_coord(nodes[i]));
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];

		if (edge->from != edge->to)
			put_edge(out, &parts[part_of[edge->from]], picture, edge, lines[i]);
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
