#!/usr/bin/env bash
# Checks the format and the common mistakes of every source; with --fix, mends what it can.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! node scripts/in-step.mjs; then
  npm ci
fi
scripts/need.sh clang-format clang-format

mapfile -t c_sources < <(find c tests bench -name '*.[ch]' 2> /dev/null | sort)
if [[ ${1:-} == --fix ]]; then
  clang-format -i "${c_sources[@]}"
  npx --no-install prettier --write --log-level warn .
  npx --no-install eslint --fix .
else
  clang-format --dry-run --Werror "${c_sources[@]}"
  npx --no-install prettier --check --log-level warn .
  npx --no-install eslint .
fi
if command -v shellcheck > /dev/null; then
  shellcheck build.sh scripts/*.sh .ci/run
fi
