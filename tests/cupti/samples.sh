#!/bin/bash
# From CUPTI's samples of stalls to records, without a GPU: see tests/cupti/samples.c.
. tests/cupti/cases.bash
cases samples added_up lost full failing ends
