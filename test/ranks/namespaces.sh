#!/bin/sh
# Runs `whorl recon` on two hosts that are network namespaces of this machine, joined by a pair of virtual cards, with messages
# over TCP alone; compares the image with that of one process.
#
#   namespaces.sh WHORL MPIEXEC SCAN FOLDER
#
# Exit code 77: not run, because this machine permits no namespaces.
set -eu
whorl=$1 mpiexec=$2 scan=$3 folder=$4
a=whorl-a-$$ b=whorl-b-$$

skip() {
  echo "SKIPPED: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "network namespaces need root"
command -v ip >/dev/null || skip "no 'ip' command (Debian: iproute2)"
ip netns add "$a" 2>/dev/null || skip "this machine permits no network namespaces"
trap 'ip netns del $a 2>/dev/null; ip netns del $b 2>/dev/null; rm -f "$folder/agent-$$"' EXIT
ip netns add "$b"
ip link add wa$$ type veth peer name wb$$ 2>/dev/null || skip "this machine permits no virtual network cards"
ip link set wa$$ netns "$a"
ip link set wb$$ netns "$b"
ip -n "$a" addr add 10.77.0.1/24 dev wa$$
ip -n "$b" addr add 10.77.0.2/24 dev wb$$
for host in "$a" "$b"; do ip -n "$host" link set lo up; done
ip -n "$a" link set wa$$ up
ip -n "$b" link set wb$$ up

# In the place of ssh: the command line, in the other namespace, under another name of the machine.
cat >"$folder/agent-$$" <<AGENT
#!/bin/sh
shift
exec ip netns exec $b unshare --uts sh -c "hostname whorl-b; \$*"
AGENT
chmod +x "$folder/agent-$$"

"$whorl" recon -q "$scan" --device cpu --complex -o "$folder/one.npy"
ip netns exec "$a" "$mpiexec" --allow-run-as-root --oversubscribe -n 2 --host 10.77.0.1,10.77.0.2 \
  --mca plm_rsh_agent "$folder/agent-$$" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
  --mca oob_tcp_if_include 10.77.0.0/24 \
  "$whorl" recon -q "$scan" --device cpu --complex -o "$folder/two.npy"
cmp "$folder/one.npy" "$folder/two.npy"
received=$(ip netns exec "$b" cat /sys/class/net/wb$$/statistics/rx_bytes)
[ "$received" -gt 3000 ] || {
  echo "the second host received $received bytes: it took no part"
  exit 1
}
echo "two hosts, the bits of one process; the second received $received bytes"
