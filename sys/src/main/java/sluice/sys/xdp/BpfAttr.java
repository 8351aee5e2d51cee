package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `union bpf_attr`, which contains the arguments of `bpf(2)` in a separate structure
/// for each command. This class contains stateless offsets.
///
/// ```
///  BPF_MAP_CREATE       0 map_type  4 key_size  8 value_size  12 max_entries  16 map_flags
///  BPF_MAP_*_ELEM       0 map_fd    8 key      16 value       24 flags
///  BPF_PROG_LOAD        0 prog_type 4 insn_cnt  8 insns       16 license  24 log_level
///                      28 log_size 32 log_buf  40 kern_version  44 prog_flags  48 prog_name
///                      64 prog_ifindex  68 expected_attach_type
///  BPF_LINK_CREATE      0 prog_fd   4 target_ifindex  8 attach_type  12 flags
/// ```
///
/// ```c
/// union bpf_attr {
///   struct { __u32 map_type, key_size, value_size, max_entries, map_flags; … };
///   struct { __u32 map_fd; __aligned_u64 key; union { __aligned_u64 value, next_key; };
///            __u64 flags; };
///   struct { __u32 prog_type, insn_cnt; __aligned_u64 insns, license;
///            __u32 log_level, log_size; … };
///   struct { … __u32 prog_fd; union { __u32 target_fd, target_ifindex; }; … } link_create;
/// };
/// ```
final class BpfAttr {
  private static final String UNION = "union bpf_attr";
  static final Layout MAP_LAYOUT = Layout.of(UNION);
  static final int MAP_TYPE = MAP_LAYOUT.u32("map_type");
  static final int KEY_SIZE = MAP_LAYOUT.u32("key_size");
  static final int VALUE_SIZE = MAP_LAYOUT.u32("value_size");
  static final int MAX_ENTRIES = MAP_LAYOUT.u32("max_entries");

  static final Layout ELEMENT_LAYOUT = Layout.of(UNION);
  static final int MAP_FD = ELEMENT_LAYOUT.u32("map_fd");
  static final int KEY = ELEMENT_LAYOUT.u64("key");
  static final int VALUE = ELEMENT_LAYOUT.u64("value");

  static final Layout PROGRAM_LAYOUT = Layout.of(UNION);
  static final int PROG_TYPE = PROGRAM_LAYOUT.u32("prog_type");
  static final int INSN_CNT = PROGRAM_LAYOUT.u32("insn_cnt");
  static final int INSNS = PROGRAM_LAYOUT.u64("insns");
  static final int LICENSE = PROGRAM_LAYOUT.u64("license");
  static final int LOG_LEVEL = PROGRAM_LAYOUT.u32("log_level");
  static final int LOG_SIZE = PROGRAM_LAYOUT.u32("log_size");
  static final int LOG_BUF = PROGRAM_LAYOUT.u64("log_buf");
  static final int KERN_VERSION = PROGRAM_LAYOUT.u32("kern_version");
  static final int PROG_FLAGS = PROGRAM_LAYOUT.u32("prog_flags");
  static final int PROG_NAME = PROGRAM_LAYOUT.array("prog_name", 1, 16);
  static final int PROG_IFINDEX = PROGRAM_LAYOUT.u32("prog_ifindex");
  static final int EXPECTED_ATTACH_TYPE = PROGRAM_LAYOUT.u32("expected_attach_type");

  static final Layout LINK_LAYOUT = Layout.of(UNION);
  static final int PROG_FD = LINK_LAYOUT.u32("link_create.prog_fd");
  static final int TARGET_IFINDEX = LINK_LAYOUT.u32("link_create.target_ifindex");
  static final int ATTACH_TYPE = LINK_LAYOUT.u32("link_create.attach_type");
  static final int FLAGS = LINK_LAYOUT.u32("link_create.flags");

  /// The number of bytes that are passed to the kernel. They are sufficient for each of these
  /// commands, and the rest of the union is zero.
  static final int BYTES = 72;

  private BpfAttr() {}
}
