#!/usr/bin/env bash
# Init script of a cluster whose jobs are watched: puts the agent's jar on the driver's class path. A
# cluster library comes too late, since Spark loads listeners named in conf at its start. Put jar and
# script into the volume; STREAMPULSE_JARS, set in the cluster's environment, names its folder.
set -euo pipefail
jars=${STREAMPULSE_JARS:?set it to the folder of the volume with the agent\'s jar}
if [[ ${DB_IS_DRIVER:-TRUE} != TRUE ]]; then
  exit 0
fi
shopt -s nullglob
found=("$jars"/streampulse-listener-agent-*.jar)
if [[ ${#found[@]} -eq 0 ]]; then
  echo "install-agent.sh: there is no streampulse-listener-agent-*.jar in $jars" >&2
  exit 1
fi
# Of several versions the newest, so that an upgrade is a copy.
newest=$(printf '%s\n' "${found[@]}" | sort -V | tail -n 1)
cp "$newest" "${STREAMPULSE_CLASS_PATH:-/databricks/jars}/"
echo "install-agent.sh: $newest is on the driver's class path"
