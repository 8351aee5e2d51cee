package sluice.fs.ext2;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/// Generates lines for `kernel_tree.py` that often refer to existing names. Confined to the test's
/// thread.
final class RandomOperations {
  private static final HexFormat HEX = HexFormat.of();
  private static final String[] DIRECTORIES = {"", "d0/", "d1/", "d0/e/", "d1/e/", "d0/e/f/"};

  private final Random random;

  RandomOperations(long seed) {
    random = new Random(seed);
  }

  private static String hex(String text) {
    return text.isEmpty() ? "-" : HEX.formatHex(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private String name() {
    return switch (random.nextInt(24)) {
      case 0 -> "x".repeat(255);
      case 1 -> "y".repeat(256);
      case 2 -> "d0";
      case 3 -> "d1";
      case 4, 5 -> "e";
      case 6 -> "f";
      case 7 -> "long-name-" + "z".repeat(random.nextInt(200)) + random.nextInt(3);
      default -> "n" + random.nextInt(12);
    };
  }

  private String path() {
    return DIRECTORIES[random.nextInt(DIRECTORIES.length)] + name();
  }

  private long position() {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(100);
      case 1 -> random.nextInt(1 << 20);
      case 2 -> 1024L * random.nextInt(300);
      case 3 -> 4096L * 12 + random.nextInt(8192);
      case 4 -> 5_000_000L + random.nextInt(100_000);
      default -> random.nextInt(20_000);
    };
  }

  private int mode() {
    return random.nextInt(3) == 0 ? random.nextInt(010000) : 0777;
  }

  private String attribute() {
    String space = random.nextInt(5) == 0 ? "trusted." : "user.";
    return hex(random.nextInt(30) == 0 ? "odd.name" : space + "a" + random.nextInt(6));
  }

  private String value() {
    StringBuilder value = new StringBuilder();
    int length = random.nextInt(4) == 0 ? random.nextInt(900) : random.nextInt(40);
    for (int i = 0; i < length; i++) {
      value.append((char) (32 + random.nextInt(90)));
    }
    return hex(value.toString());
  }

  /// Returns the lines of one run.
  List<String> lines(int count) {
    List<String> lines = new ArrayList<>();
    for (String directory : DIRECTORIES) {
      if (!directory.isEmpty()) {
        lines.add("mkdir " + hex(directory.substring(0, directory.length() - 1)) + " 511");
      }
    }
    for (int i = 0; i < count; i++) {
      lines.add(line());
    }
    lines.add("become 0 0");
    return lines;
  }

  private String line() {
    String path = hex(path());
    return switch (random.nextInt(34)) {
      case 0, 1 -> "mkdir " + path + " " + mode();
      case 2, 3, 4, 5 -> "create " + path + " " + mode();
      case 6 -> "symlink " + path + " " + hex("t".repeat(1 + random.nextInt(120)));
      case 7 -> "mknod " + path + " " + (0x1000 | 0644) + " 0 0";
      case 8 -> "mknod " + path + " " + (0x2000 | 0600) + " 300 70000";
      case 9, 10 -> "link " + path + " " + hex(path());
      case 11, 12 -> "unlink " + path;
      case 13 -> "rmdir " + path;
      case 14, 15, 16 -> "rename " + path + " " + hex(path()) + " " + renameFlags();
      case 17, 18, 19, 20 ->
          "write "
              + path
              + " "
              + position()
              + " "
              + (1 + random.nextInt(random.nextInt(5) == 0 ? 100_000 : 5_000))
              + " "
              + random.nextInt(1 << 30);
      case 21 -> "read " + path + " " + position() + " " + random.nextInt(50_000);
      case 22, 23 -> "truncate " + path + " " + position();
      case 24 -> "punch " + path + " " + position() + " " + (1 + random.nextInt(200_000));
      case 25 -> "seek " + path + " " + position() + " " + random.nextInt(2);
      case 26 -> "chmod " + path + " " + mode();
      case 27 -> "chown " + path + " " + id() + " " + id();
      case 28, 29 ->
          "setxattr " + path + " " + attribute() + " " + value() + " " + random.nextInt(3);
      case 30 -> "removexattr " + path + " " + attribute();
      case 31 -> "getxattr " + path + " " + attribute();
      case 32 -> random.nextBoolean() ? "stat " + path : "list " + path;
      default ->
          random.nextInt(3) > 0
              ? "become 0 0"
              : "become " + (1000 + random.nextInt(2)) + " " + (1000 + random.nextInt(2));
    };
  }

  private int renameFlags() {
    int choice = random.nextInt(8);
    return choice < 2 ? choice + 1 : 0;
  }

  private int id() {
    return switch (random.nextInt(4)) {
      case 0 -> -1;
      case 1 -> 0;
      default -> 999 + random.nextInt(3);
    };
  }
}
