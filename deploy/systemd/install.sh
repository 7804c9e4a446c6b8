#!/bin/sh
# Installs the package hitherto-VERSION.tgz as a service, as root: `deploy/systemd/install.sh hitherto-0.2.0.tgz`. Run it again with
# a later version to update. `systemctl enable --now hitherto hitherto-backup.timer` starts it.
set -eu
here=$(dirname "$0")
npm install --global --omit=dev --ignore-scripts --no-audit --no-fund "$1"
install -m 755 "$here/hitherto-backup" /usr/local/bin/hitherto-backup
install -D -m 644 "$here/hitherto.sysusers" /etc/sysusers.d/hitherto.conf
install -D -m 644 "$here/hitherto.tmpfiles" /etc/tmpfiles.d/hitherto.conf
install -m 644 "$here"/hitherto.service "$here"/hitherto-backup.service "$here"/hitherto-backup.timer /etc/systemd/system/
systemd-sysusers hitherto.conf
systemd-tmpfiles --create hitherto.conf
systemctl daemon-reload
