# Installs runlog from PyPI into a folder of its own and puts it on the PATH of the later steps.
# RUNLOG_VERSION   the version; empty: the newest, or a runlog that is already on the PATH
# RUNLOG_PACKAGE   what pip installs instead, such as the path of a wheel (for tests)
set -euo pipefail

if [ -z "${RUNLOG_VERSION:-}${RUNLOG_PACKAGE:-}" ] && command -v runlog >/dev/null; then
  runlog --version
  exit
fi
home=$RUNNER_TEMP/runlog-install
python3 -m venv "$home"
"$home/bin/pip" install --quiet --disable-pip-version-check --no-deps \
  "${RUNLOG_PACKAGE:-runlog-cli${RUNLOG_VERSION:+==$RUNLOG_VERSION}}"
mkdir -p "$home/path"
ln -sf "$home/bin/runlog" "$home/path/runlog"
echo "$home/path" >> "$GITHUB_PATH"
"$home/path/runlog" --version
