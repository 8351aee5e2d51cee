/// What packet drivers need of the kernel: TAP devices, sockets of AF_XDP, and programs and maps of
/// BPF; messages of rtnetlink and frames of ARP; and the capabilities that these take. For module
/// `net` alone.
@NullMarked
package sluice.sys.xdp;

import org.jspecify.annotations.NullMarked;
