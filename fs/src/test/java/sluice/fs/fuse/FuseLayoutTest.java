package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.LinuxTools;

/// Compares the offsets and constants of FUSE with the system's headers.
@Timeout(120)
final class FuseLayoutTest {
  /// The structure for each prefix of our names, with the prefix of its members' names.
  private static final Map<String, String> STRUCTURES =
      Map.ofEntries(
          Map.entry("IN_", "fuse_in_header "),
          Map.entry("OUT_", "fuse_out_header "),
          Map.entry("INIT_", "fuse_init_out "),
          Map.entry("INIT_IN_", "fuse_init_in "),
          Map.entry("RING_HEADER_", "fuse_uring_req_header "),
          Map.entry("RING_ENTRY_", "fuse_uring_ent_in_out "),
          Map.entry("ATTR_OUT_", "fuse_attr_out attr_"),
          Map.entry("ATTR_", "fuse_attr "),
          Map.entry("ENTRY_", "fuse_entry_out entry_"),
          Map.entry("DIRENT_", "fuse_dirent "),
          Map.entry("STATFS_", "fuse_kstatfs "),
          Map.entry("SETATTR_", "fuse_setattr_in "),
          Map.entry("IO_", "fuse_write_in "),
          Map.entry("MKNOD_", "fuse_mknod_in "),
          Map.entry("MKDIR_", "fuse_mkdir_in "),
          Map.entry("CREATE_", "fuse_create_in "),
          Map.entry("LINK_", "fuse_link_in "),
          Map.entry("RENAME2_", "fuse_rename2_in "),
          Map.entry("RENAME_", "fuse_rename_in "),
          Map.entry("FSYNC_", "fuse_fsync_in "),
          Map.entry("ACCESS_", "fuse_access_in "),
          Map.entry("FALLOCATE_", "fuse_fallocate_in "),
          Map.entry("LSEEK_", "fuse_lseek_in "),
          Map.entry("FORGET_ONE_", "fuse_forget_one "),
          Map.entry("FORGET_", "fuse_forget_in "),
          Map.entry("BATCH_FORGET_", "fuse_batch_forget_in "),
          Map.entry("OPEN_OUT_", "fuse_open_out "),
          Map.entry("NOTICE_", "fuse_notify_inval_inode_out "));

  /// The members that have a different name in the headers.
  private static final Map<String, String> MEMBERS =
      Map.of(
          "INIT_CONGESTION", "congestion_threshold",
          "ENTRY_NODEID", "nodeid",
          "ENTRY_GENERATION", "generation",
          "ENTRY_ATTR_VALID", "attr_valid",
          "ENTRY_ATTR", "attr",
          "OPEN_OUT_FLAGS", "open_flags",
          "ATTR_OUT_ATTR", "attr",
          "FSYNC_FLAGS", "fsync_flags",
          "IO_FLAGS", "write_flags");

  @TempDir Path directory;

  @Test
  void numbersAreThoseOfTheHeader() throws Exception {
    LinuxTools.require("gcc");
    StringBuilder probe = new StringBuilder("#include <stddef.h>\n#include <linux/fuse.h>\n");
    int checks = 0;
    for (Field field : FuseLayout.class.getDeclaredFields()) {
      String name = field.getName();
      String expression = layout(name);
      if (expression != null) {
        checks += check(probe, expression, (Integer) field.get(null));
      }
    }
    for (Field field : FuseOpcode.class.getDeclaredFields()) {
      String name = field.getName();
      boolean ours = name.equals("MAJOR") || name.contains("MINOR") || name.equals("STATX");
      if (Modifier.isStatic(field.getModifiers()) && !ours) {
        boolean bare = name.startsWith("FOPEN") || name.startsWith("FATTR");
        String known = (bare ? "" : "FUSE_") + name;
        checks += check(probe, known, ((Number) field.get(null)).longValue());
      }
    }
    assertThat(checks).isGreaterThan(120);
    Path source = Files.writeString(directory.resolve("probe.c"), probe);
    LinuxTools.Said said =
        LinuxTools.run("gcc", "-std=gnu11", "-c", "-o", "/dev/null", source.toString());
    assertThat(said.output()).isEmpty();
  }

  private static int check(StringBuilder probe, String expression, long value) {
    boolean since614 =
        expression.contains("uring")
            || expression.endsWith("OVER_IO_URING")
            || expression.endsWith("ALLOW_MMAP"); // since 6.6
    probe
        .append(since614 ? "#ifdef FUSE_OVER_IO_URING\n" : "")
        .append("_Static_assert((")
        .append(expression)
        .append(") == ")
        .append(value)
        .append(", \"")
        .append(expression)
        .append("\");\n")
        .append(since614 ? "#endif\n" : "");
    return 1;
  }

  /// Returns the C expression for a name, null if the header has no name for it.
  private static @Nullable String layout(String name) {
    if (name.startsWith("STATX_") || name.startsWith("XATTR_") || name.equals("INIT_IN_BYTES")) {
      return null;
    }
    String longest = "";
    for (String prefix : STRUCTURES.keySet()) {
      if (name.startsWith(prefix) && prefix.length() > longest.length()) {
        longest = prefix;
      }
    }
    String structure = STRUCTURES.getOrDefault(longest, "");
    int space = structure.indexOf(' ');
    String type = "struct " + structure.substring(0, space);
    String rest = name.substring(longest.length());
    if (rest.equals("BYTES") || rest.equals("OUT_BYTES")) {
      return "sizeof(" + type + ")";
    }
    String prefix = structure.substring(space + 1);
    String own = rest.toLowerCase(Locale.ROOT).replace("time_nsec", "timensec");
    return "offsetof(" + type + ", " + MEMBERS.getOrDefault(name, prefix + own) + ")";
  }
}
