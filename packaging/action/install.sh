# Installs runlog from PyPI into a folder of its own and puts it on the PATH of the later steps.
# RUNLOG_VERSION   the version; empty: the newest, or a runlog that is already on the PATH
# $1               what pip installs instead, such as the path of a wheel (for tests)
# The environment of the job names no package and no index: an earlier step could set it.
set -euo pipefail

package=${1:-}
if [ -z "${RUNLOG_VERSION:-}$package" ] && command -v runlog >/dev/null; then
  runlog --version
  exit
fi
home=$RUNNER_TEMP/runlog-install
python3 -m venv "$home"
"$home/bin/python" -I -m pip --isolated install --quiet --disable-pip-version-check --no-deps \
  "${package:-runlog-cli${RUNLOG_VERSION:+==$RUNLOG_VERSION}}"
mkdir -p "$home/path"
ln -sf "$home/bin/runlog" "$home/path/runlog"
echo "$home/path" >> "$GITHUB_PATH"
"$home/path/runlog" --version
