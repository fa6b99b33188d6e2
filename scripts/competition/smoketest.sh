#!/bin/sh
# Does the unpacked archive work on this machine? One safe and one unsafe program.
set -eu
cd "$(dirname "$0")"
for want in safe unsafe; do
  got=$(bin/regatta verify --quiet --time 60s --property unreach-call "smoketest/$want.c" | tail -1) || true
  echo "$want.c: $got"
  case "$got" in "$want"*) ;; *) echo "smoke test: expected $want"; exit 1 ;; esac
done
echo "smoke test: passed"
