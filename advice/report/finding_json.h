/* advice/report/finding_json.h: findings and operations as JSON; vflow-report(1) names members. */
#ifndef VFLOW_ADVICE_REPORT_FINDING_JSON_H
#define VFLOW_ADVICE_REPORT_FINDING_JSON_H

#include "graph/profile/profile.h"
#include "util/json.h"

/* A member of an object, unless the value is PROFILE_UNKNOWN. */
void json_known(struct json *json, const char *name, uint64_t value);
/* A member that is the operation; none where the index is UINT32_MAX or the host's. */
void operation_json(struct json *json, const char *name, const struct profile *profile,
		    uint32_t vertex_index);
/* Members of the object that the caller begins and ends. */
void finding_json(struct json *json, const struct profile *profile, uint32_t finding);

#endif
