#!/bin/bash
# From CUPTI's callbacks and records to events with times, without a GPU: see tests/cupti/calls.c.
. tests/cupti/cases.bash
cases calls order waits memory copies sources graphs bounded threads devices passing failing touches no_touches arguments
