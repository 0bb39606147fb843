#!/usr/bin/env bash
# Tests against real servers (databases, message queues, object stores). No part of Weir talks to a server yet, so there is
# nothing to start; each connector brings its test here.
set -euo pipefail
echo "no connector needs a server yet: nothing to test"
