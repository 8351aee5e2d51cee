package sluice.sys;

import java.io.IOException;
import java.lang.module.ModuleReader;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.Arch;
import sluice.sys.call.Layout;
import sluice.sys.call.SignalActions;
import sluice.sys.call.SystemCall;
import sluice.sys.fabric.FabricEndpoint;
import sluice.sys.fabric.Libfabric;
import sluice.sys.mount.LoopDevice;
import sluice.sys.mount.Mounts;
import sluice.sys.uring.BufferRing;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.FuseUring;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.IoUringProbe;
import sluice.sys.uring.Opcode;
import sluice.sys.uring.Sqe;
import sluice.sys.xdp.ArpSocket;
import sluice.sys.xdp.Bpf;
import sluice.sys.xdp.Capabilities;
import sluice.sys.xdp.NetInterface;
import sluice.sys.xdp.NetNamespace;
import sluice.sys.xdp.RouteSocket;
import sluice.sys.xdp.TapDevice;
import sluice.sys.xdp.XdpDesc;
import sluice.sys.xdp.XdpRing;
import sluice.sys.xdp.XdpSocket;

/// Generates a C program that compiles only if this module's constants and layouts agree with the
/// system's headers.
///
/// Confined to the test's thread. By reflection, it finds every [Layout] of the module, every
/// system call, and every constant that is named after a kernel constant. The program consists of
/// `_Static_assert`s and does not have to run, so any cross compiler will do.
final class AbiProbe {
  private static final String HEADERS =
      """
      #define _GNU_SOURCE
      #include <stddef.h>
      #include <dirent.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <poll.h>
      #include <netinet/in.h>
      #include <netinet/tcp.h>
      #include <sys/epoll.h>
      #include <sys/eventfd.h>
      #include <sys/inotify.h>
      #include <sys/ioctl.h>
      #include <sys/mman.h>
      #include <sys/mount.h>
      #include <sys/prctl.h>
      #include <sys/resource.h>
      #include <sched.h>
      #include <sys/socket.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <sys/uio.h>
      #include <sys/un.h>
      #include <sys/vfs.h>
      #include <linux/audit.h>
      #include <linux/capability.h>
      #include <linux/membarrier.h>
      #include <linux/filter.h>
      #include <linux/ethtool.h>
      #include <linux/fuse.h>
      #include <linux/bpf.h>
      #include <linux/if.h>
      #include <linux/if_addr.h>
      #include <linux/if_arp.h>
      #include <linux/if_ether.h>
      #include <linux/if_packet.h>
      #include <linux/sockios.h>
      #include <linux/if_link.h>
      #include <linux/if_tun.h>
      #include <linux/if_xdp.h>
      #include <linux/io_uring.h>
      #include <linux/loop.h>
      #include <linux/magic.h>
      #include <linux/netlink.h>
      #include <linux/openat2.h>
      #include <linux/rtnetlink.h>
      #include <linux/seccomp.h>
      #include <linux/version.h>
      """;

  /// The headers of libfabric, which is a different package from the kernel's headers.
  private static final String FABRIC_HEADERS =
      """
      #include <stddef.h>
      #include <signal.h>
      #include <rdma/fabric.h>
      #include <rdma/fi_cm.h>
      #include <rdma/fi_domain.h>
      #include <rdma/fi_endpoint.h>
      #include <rdma/fi_eq.h>
      #include <rdma/fi_errno.h>
      #include <rdma/fi_tagged.h>
      """;

  /// The kernel constants by class: a pattern for the names of constants, and the prefix in C.
  private static final Map<Class<?>, Map<String, String>> CONSTANTS =
      Map.ofEntries(
          Map.entry(Errno.class, Map.of("E[A-Z0-9]+", "")),
          Map.entry(Opcode.class, Map.of("[A-Z0-9_]+", "IORING_OP_")),
          Map.entry(Cqe.class, Map.of("F_[A-Z_]+", "IORING_CQE_", "BUFFER_SHIFT", "IORING_CQE_")),
          Map.entry(Sqe.class, Map.of("(IOSQE|IORING)_[A-Z_]+", "")),
          Map.entry(
              IoUring.class,
              Map.of("(SETUP|ENTER|REGISTER|UNREGISTER|RSRC|ASYNC|OFF)_[A-Z0-9_]+", "IORING_")),
          Map.entry(BufferRing.class, Map.of("IOU_[A-Z_]+", "")),
          Map.entry(IoUringProbe.class, Map.of("IO_URING_OP_SUPPORTED", "")),
          Map.entry(
              Sockets.class,
              Map.of("(SOCK|SOL|SO|IPPROTO|TCP|IP|IPV6|MSG|SHUT)_[A-Z0-9_]+|FIONREAD", "")),
          Map.entry(GroupRequest.class, Map.of("MCAST_[A-Z_]+", "")),
          Map.entry(SocketAddresses.class, Map.of("AF_[A-Z0-9]+", "")),
          Map.entry(Epoll.class, Map.of("EPOLL[A-Z_]+", "")),
          Map.entry(PollFds.class, Map.of("POLL[A-Z]+", "")),
          Map.entry(EventFd.class, Map.of("EFD_[A-Z]+", "")),
          Map.entry(
              Files.class,
              Map.of("(AT|O|RESOLVE|RWF|SPLICE_F|POSIX_FADV|F|MFD)_[A-Z_]+", "", "SEEK_SET", "")),
          Map.entry(Statx.class, Map.of("STATX_[A-Z_]+|S_IF[A-Z]+", "")),
          Map.entry(StatFs.class, Map.of("[A-Z0-9_]+_MAGIC", "")),
          Map.entry(DirectoryEntries.class, Map.of("DT_[A-Z]+", "")),
          Map.entry(Inotify.class, Map.of("IN_[A-Z_]+", "")),
          Map.entry(Capabilities.class, Map.of("(PR|CAP|_LINUX)_[A-Z0-9_]+", "")),
          Map.entry(Membarrier.class, Map.of("MEMBARRIER_[A-Z_]+", "")),
          Map.entry(Seccomp.class, Map.of("(PR|SECCOMP|AUDIT)_[A-Z0-9_]+", "")),
          Map.entry(ResourceLimit.class, Map.of("RLIMIT_[A-Z]+", "")),
          Map.entry(Mounts.class, Map.of("(MS|MNT|UMOUNT|FUSE)_[A-Z_]+", "")),
          Map.entry(LoopDevice.class, Map.of("LO_[A-Z_]+|LOOP_[A-Z0-9_]+", "")),
          Map.entry(FuseUring.class, Map.of("FUSE_[A-Z_]+", "")),
          Map.entry(XdpSocket.class, Map.of("(XDP|AF|SOL)_[A-Z_]+", "")),
          Map.entry(XdpRing.class, Map.of("XDP_[A-Z_]+", "")),
          Map.entry(XdpDesc.class, Map.of("XDP_[A-Z_]+", "")),
          Map.entry(
              RouteSocket.class,
              Map.of("(AF_NETLINK|NETLINK|RTMGRP|NLM|NLMSG|RTM|IFLA|IFA|IFF)_?[A-Z0-9_]*", "")),
          Map.entry(ArpSocket.class, Map.of("(AF|ETH)_[A-Z_]+", "")),
          Map.entry(TapDevice.class, Map.of("(TUN|IFF_)[A-Z_]+", "")),
          Map.entry(NetInterface.class, Map.of("(SIOCG|SIOCE|ARPHRD_|ETHTOOL_)[A-Z]+", "")),
          Map.entry(WindowSize.class, Map.of("TIOC[A-Z]+", "")),
          Map.entry(NetNamespace.class, Map.of("CLONE_[A-Z]+", "")),
          Map.entry(Bpf.class, Map.of("(BPF|XDP)_[A-Z_]+", "")),
          Map.entry(Mapping.class, Map.of("(PROT|MAP|MADV)_[A-Z]+", "")));

  /// The Linux version whose headers first contain a name, as `major, minor`.
  private static final Map<String, String> SINCE =
      Map.ofEntries(
          Map.entry("IORING_REGISTER_PBUF_STATUS", "6, 8"),
          Map.entry("IOU_PBUF_RING_INC", "6, 12"),
          Map.entry("IORING_CQE_F_BUF_MORE", "6, 12"),
          Map.entry("__NR_cachestat", "6, 5"),
          Map.entry("struct io_sqring_offsets.user_addr", "6, 5"),
          Map.entry("struct io_cqring_offsets.user_addr", "6, 5"),
          Map.entry("struct io_uring_buf_reg.flags", "6, 4"),
          Map.entry("struct io_uring_sync_cancel_reg.opcode", "6, 6"),
          Map.entry("struct io_uring_sync_cancel_reg.pad", "6, 6"),
          Map.entry("struct io_uring_sync_cancel_reg.pad2", "6, 6"),
          Map.entry("struct io_uring_buf_status", "6, 8"),
          Map.entry("struct fuse_uring_cmd_req", "6, 14"),
          Map.entry("FUSE_IO_URING_CMD_REGISTER", "6, 14"),
          Map.entry("FUSE_IO_URING_CMD_COMMIT_AND_FETCH", "6, 14"),
          Map.entry("XDP_USE_SG", "6, 6"),
          Map.entry("XDP_PKT_CONTD", "6, 6"),
          Map.entry("struct cachestat", "6, 5"),
          Map.entry("struct cachestat_range", "6, 5"));

  /// The names that newer headers have dropped, with the version that dropped them.
  private static final Map<String, String> UNTIL =
      Map.of("struct io_uring_getevents_arg.pad", "6, 12");

  private final Arch arch;
  private final StringBuilder text;
  private int assertions;

  private AbiProbe(Arch arch, String headers) {
    this.arch = arch;
    text = new StringBuilder(headers);
  }

  static AbiProbe of(Arch arch) throws IOException, ReflectiveOperationException {
    AbiProbe probe = new AbiProbe(arch, HEADERS);
    for (Layout layout : layouts()) {
      if (!isOfFabric(layout)) {
        probe.layout(layout);
      }
    }
    probe.layout(EpollEvents.layout(arch));
    for (SystemCall call : SystemCall.values()) {
      String name = "__NR_" + call.name().toLowerCase(Locale.ROOT);
      probe.assertThat(name, name, call.number(arch));
    }
    for (var entry : CONSTANTS.entrySet()) {
      probe.constants(entry.getKey(), entry.getValue());
    }
    probe.assertThat("O_DIRECT", "O_DIRECT", OpenFlags.direct(arch));
    probe.assertThat("O_DIRECTORY", "O_DIRECTORY", OpenFlags.directory(arch));
    probe.assertThat("O_NOFOLLOW", "O_NOFOLLOW", OpenFlags.noFollow(arch));
    return probe;
  }

  /// Returns a probe that compares the constants and layouts of libfabric.
  static AbiProbe ofFabric() throws IOException, ReflectiveOperationException {
    AbiProbe probe = new AbiProbe(Arch.current(), FABRIC_HEADERS);
    for (Layout layout : layouts()) {
      if (isOfFabric(layout)) {
        probe.layout(layout);
      }
    }
    probe.constants(FabricEndpoint.class, Map.of("FI_[A-Z0-9_]+", ""));
    probe.constants(Libfabric.class, Map.of("FI_[A-Z0-9_]+", ""));
    probe.constants(SignalActions.class, Map.of("SIG[A-Z]+", ""));
    return probe;
  }

  private static boolean isOfFabric(Layout layout) {
    return layout.structure().matches("struct (fi_|fid).*");
  }

  String text() {
    return text.toString();
  }

  int assertions() {
    return assertions;
  }

  /// Returns every layout of the module, except the layout that differs between architectures.
  private static List<Layout> layouts() throws IOException, ReflectiveOperationException {
    Module module = Layout.class.getModule();
    List<String> names;
    try (ModuleReader reader =
        module
            .getLayer()
            .configuration()
            .findModule(module.getName())
            .orElseThrow()
            .reference()
            .open()) {
      names =
          reader.list().filter(name -> name.matches("sluice/sys/(\\w+/)?\\w+\\.class")).toList();
    }
    List<Layout> layouts = new ArrayList<>();
    for (String name : names) {
      Class<?> type = Class.forName(name.replace(".class", "").replace('/', '.'));
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers())
            && field.getType() == Layout.class
            && type != EpollEvents.class) {
          field.setAccessible(true);
          layouts.add((Layout) field.get(null));
        }
      }
    }
    return layouts;
  }

  private void layout(Layout layout) {
    String structure = layout.structure();
    String since = SINCE.get(structure);
    begin(since, null);
    if (!structure.startsWith("union ")) { // the size of a union is that of its largest member
      assertThat(null, "sizeof(" + structure + ")", layout.sizeBytes());
    }
    for (Layout.Member member : layout.members()) {
      String name = structure + "." + member.name();
      begin(SINCE.get(name), UNTIL.get(name));
      String place = structure + ", " + member.name();
      assertThat(null, "offsetof(" + place + ")", member.offset());
      assertThat(
          null, "sizeof(((" + structure + " *) 0)->" + member.name() + ")", member.sizeBytes());
      end(SINCE.get(name) != null || UNTIL.get(name) != null);
    }
    end(since != null);
  }

  private void constants(Class<?> type, Map<String, String> words)
      throws ReflectiveOperationException {
    for (Field field : type.getDeclaredFields()) {
      boolean number = field.getType() == int.class || field.getType() == long.class;
      if (!number || !Modifier.isStatic(field.getModifiers()) || differs(field.getName())) {
        continue;
      }
      for (var word : words.entrySet()) {
        Matcher matcher = Pattern.compile(word.getKey()).matcher(field.getName());
        if (matcher.matches() && !Modifier.isPrivate(field.getModifiers())) {
          String name = word.getValue() + field.getName();
          field.setAccessible(true);
          assertThat(name, name, ((Number) field.get(null)).longValue());
        }
      }
    }
  }

  private static boolean differs(String name) {
    return name.equals("O_DIRECT") || name.equals("O_DIRECTORY") || name.equals("O_NOFOLLOW");
  }

  private void assertThat(@Nullable String guard, String expression, long value) {
    String since = guard == null ? null : SINCE.get(guard);
    begin(since, null);
    text.append("_Static_assert((unsigned int) (")
        .append(expression)
        .append(") == ")
        .append(Integer.toUnsignedString((int) value))
        .append("U, \"")
        .append(arch)
        .append(": ")
        .append(expression)
        .append("\");\n");
    end(since != null);
    assertions++;
  }

  private void begin(@Nullable String since, @Nullable String until) {
    if (since != null) {
      text.append("#if LINUX_VERSION_CODE >= KERNEL_VERSION(").append(since).append(", 0)\n");
    } else if (until != null) {
      text.append("#if LINUX_VERSION_CODE < KERNEL_VERSION(").append(until).append(", 0)\n");
    }
  }

  private void end(boolean guarded) {
    if (guarded) {
      text.append("#endif\n");
    }
  }
}
