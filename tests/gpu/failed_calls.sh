#!/bin/bash
# Calls that fail on the GPU are listed as those on the emulated device are.
DEVICE=gpu exec tests/cli/collect_failed_calls.sh
