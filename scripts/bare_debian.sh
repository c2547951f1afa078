# shellcheck shell=bash
# Bare roots of Debian 12, for scripts that prove something there; they read this file and define fail(). Needs root.

# The script again, with its options, in a mount namespace of its own: mounts made from here on end with it.
with_own_mounts() { # SCRIPT OPTION...
  [[ $(id -u) == 0 ]] || fail "debootstrap and chroot need root"
  command -v debootstrap >/dev/null || fail "debootstrap not found; run apt-get install debootstrap"
  [[ -n ${WHORL_OWN_MOUNTS:-} ]] || WHORL_OWN_MOUNTS=1 exec unshare --mount --propagation private "$@"
}

# FOLDER/base, made by debootstrap if it is not there yet. MIRROR: without it the one that this machine's apt uses.
bare_base() { # FOLDER [MIRROR]
  [[ ! -e $1/base/complete ]] || return 0
  local mirror=${2:-}
  if [[ -z $mirror ]]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
    [[ -n $mirror ]] || fail "this machine's apt has no bookworm source; give one with --mirror URL"
  fi
  rm -rf "$1/base"
  debootstrap --variant=minbase bookworm "$1/base" "$mirror" >"$1/debootstrap.log" ||
    fail "debootstrap failed, see $1/debootstrap.log"
  touch "$1/base/complete"
}

# A copy of FOLDER/base, with what it needs of this machine to reach the mirror: names, certificates and apt's network settings.
bare_copy() { # FOLDER COPY
  rm -rf --one-file-system "$2"
  cp -a "$1/base" "$2"
  cp -L /etc/resolv.conf /etc/hosts "$2/etc/"
  if [[ -d /etc/ssl/certs ]]; then mkdir -p "$2/etc/ssl" && cp -rL /etc/ssl/certs "$2/etc/ssl/"; fi
  apt-config dump Acquire | grep -vi '^Acquire::IndexTargets\|^Acquire::Changelogs' >"$2/etc/apt/apt.conf.d/00host"
  mount -t proc proc "$2/proc"
  mount --rbind /dev "$2/dev"
  if [[ -n ${WHORL_TEST_DATA:-} ]]; then
    mkdir -p "$2/measured"
    mount --bind "$WHORL_TEST_DATA" "$2/measured"
  fi
}

inside() { # ACCOUNT COPY COMMAND
  local home=/root
  [[ $1 == root ]] || home=/home/$1
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${WHORL_TEST_DATA:+WHORL_TEST_DATA=/measured} \
    chroot --userspec="$1:$1" "$2" bash -c "$3" </dev/null
}
