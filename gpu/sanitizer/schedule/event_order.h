/*
 * gpu/sanitizer/schedule/event_order.h: what calls come after and wait for: records ORDER, STREAM
 * and WAIT, from the program's streams and events.
 *
 * Waits take no time here: how long they were is not known in this run.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_EVENT_ORDER_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_EVENT_ORDER_H

#include "gpu/nvidia/streams.h"
#include "gpu/sanitizer/schedule/api_call.h"

/* The sink as providers use it, which tells `to` the records after the end of a call.  Once. */
const struct gpu_sink *order_start(const struct gpu_sink *to);

/* Whether the driver's function, of this callback, is about streams or events.  Any thread may ask.
 */
bool order_concerns(uint32_t id, const char *function, const void *parameters);
/*
 * Such a function has succeeded; `parameters` as the Sanitizer lays them out.  Calls the driver;
 * the lock of calls.c need not be held.
 */
void order_note(uint32_t id, const char *function, const void *parameters);
/* With the lock of calls.c, on the call's thread: its device and stream, before its event begins.
 */
void order_number(struct gpu_call *call, CUstream stream, const struct api_call *api_call,
		  struct stream_facts *facts);
/* The call's event has begun; the same operands. */
void order_begun(const struct gpu_call *call, CUstream stream, const struct stream_facts *facts,
		 const struct api_call *api_call);

#endif
