#!/bin/sh
# Verifies who signed the installed packages. A registry that offers no keys, as a mirror may, cannot be asked: that is said
# and passes. A missing or wrong signature fails.
set -u
output=$(npm audit signatures 2>&1)
status=$?
printf '%s\n' "$output"
if [ "$status" -eq 0 ]; then exit 0; fi
case $output in
  *'a supported registry'*) ;;
  # Away from the forge the keys may be out of reach; there they are not.
  *'npm error network'*) if [ "${GITHUB_ACTIONS:-}" = true ]; then exit "$status"; fi ;;
  *) exit "$status" ;;
esac
echo 'warning: this registry offers no signing keys, so no signature was verified' >&2
