#!/usr/bin/env bash
# need.sh COMMAND PACKAGE...: makes sure that a command is there. Where it is not, its packages are
# installed on Debian and Ubuntu (as root or with sudo); elsewhere the error says what to type.
set -euo pipefail

command=$1
shift
if command -v "$command" > /dev/null; then
  exit 0
fi

install=(apt-get install -y --no-install-recommends "$@")
if ! command -v apt-get > /dev/null; then
  echo "error: $command is not on the PATH. Install it, in the manner of: ${install[*]}" >&2
  exit 1
fi

as_root=()
if [[ $(id -u) != 0 ]]; then
  as_root=(sudo)
  # sudo may ask for a password only where there is somebody to ask.
  if ! command -v sudo > /dev/null || { ! [[ -t 0 ]] && ! sudo -n true 2> /dev/null; }; then
    echo "error: $command is not on the PATH. Type: sudo ${install[*]}" >&2
    exit 1
  fi
fi

echo "installing $* for the command $command"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" "${install[@]}"; } > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "error: $command could not be installed. Type: ${as_root[*]} ${install[*]}" >&2
  exit 1
fi
