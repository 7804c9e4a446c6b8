#!/bin/bash
# A systemd of its own, in namespaces: its files are those of this machine below an overlay in memory, its network is the machine's.
#   systemd.sh start FOLDER         boots it, and waits until it runs; FOLDER/root has its files
#   systemd.sh run FOLDER COMMAND…  runs a command in it
#   systemd.sh stop FOLDER          powers it off, and removes it
set -eu
verb=$1 folder=$2
shift 2
group=hitherto-$(basename "$folder")
groups="/sys/fs/cgroup/systemd/$group /sys/fs/cgroup/unified/$group"

start() {
  mkdir "$folder/memory" "$folder/root"
  mount -t tmpfs tmpfs "$folder/memory"
  mkdir "$folder/memory/upper" "$folder/memory/work"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/memory/upper,workdir=$folder/memory/work" "$folder/root"
  local units=$folder/root/etc/systemd/system
  rm -rf "$units"/*.wants
  : > "$folder/root/etc/fstab"
  printf '[Unit]\nRequires=basic.target dbus.service\nAfter=basic.target dbus.service\nAllowIsolate=yes\n' > "$units/test.target"
  # What would change the machine's kernel, clock or devices.
  for unit in systemd-{udevd,udev-trigger,timesyncd,modules-load,sysctl,remount-fs,logind,networkd,resolved}.service \
    sys-kernel-{debug,tracing}.mount dev-{hugepages,mqueue}.mount sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount; do
    ln -sfn /dev/null "$units/$unit"
  done
  (
    for each in $groups; do mkdir -p "$each" && echo $BASHPID > "$each/cgroup.procs"; done
    cd "$folder/root"
    exec setsid unshare --mount --pid --fork --ipc --uts --cgroup --propagation private bash -ec '
      mount -t proc proc proc
      mount -t sysfs -o ro sysfs sys
      mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
      mkdir sys/fs/cgroup/systemd sys/fs/cgroup/unified
      mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
      mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
      for each in run tmp; do mount -t tmpfs tmpfs $each; done
      mount -t tmpfs -o mode=755 tmpfs dev
      for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
      mkdir dev/pts dev/shm
      mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
      mount -t tmpfs tmpfs dev/shm
      ln -s pts/ptmx dev/ptmx
      ln -s /proc/self/fd dev/fd
      exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        chroot . /lib/systemd/systemd --system --unit=test.target --show-status=no
    '
  ) > "$folder/log" 2>&1 < /dev/null &
  local outer=$! first=
  until [ -n "$first" ] && [ "$(cat "/proc/$first/comm")" = systemd ]; do
    sleep 0.1
    first=$(cat "/proc/$outer/task/$outer/children" | tr -d ' ')
  done
  echo "$first" > "$folder/pid"
  until [ "$(run systemctl is-system-running 2> /dev/null)" = running ]; do sleep 0.1; done
}

run() {
  nsenter -t "$(cat "$folder/pid")" -m -p -i -u -C --root --wd=/ \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 SYSTEMD_PAGER= \
    sh -c 'cd / && exec "$@"' sh "$@"
}

stop() {
  local pid
  pid=$(cat "$folder/pid")
  kill -s RTMIN+4 "$pid" 2> /dev/null || true
  for _ in $(seq 600); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
  kill -9 "$pid" 2> /dev/null && sleep 1
  umount "$folder/root" "$folder/memory"
  for each in $groups; do find "$each" -depth -type d -exec rmdir {} \; ; done
}

"$verb" "$@"
