package sluice.http.site;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A canonical path beneath a site's root: bytes without a leading or trailing slash, whose names
/// are never empty, `.` or `..` and contain no NUL. The root itself has no names.
///
/// Immutable, so any thread may use it. Names consist of bytes, as on Linux, and no character set
/// is assumed.
public final class SitePath {
  /// The directory of a descriptor, as a C string.
  public static final MemorySegment HERE = cString(new byte[] {'.'});

  public static final SitePath ROOT = new SitePath(new byte[0], new int[] {0}, true);

  private static final byte SLASH = '/';

  private final byte[] bytes;

  /// The start of each name, followed by the length plus 1. For the root this is only `{0}`.
  private final int[] starts;

  private final boolean trailingSlash;

  /// The C string, which is created on first use. If it is created twice concurrently, either
  /// result is valid.
  private volatile @Nullable MemorySegment text;

  private SitePath(byte[] bytes, int[] starts, boolean trailingSlash) {
    this.bytes = bytes;
    this.starts = starts;
    this.trailingSlash = trailingSlash;
  }

  /// Returns the path of percent-decoded text such as `/docs/a.html` or `/docs/`; the leading slash
  /// is optional.
  ///
  /// @throws IllegalArgumentException if the path is not canonical: an empty name, `.`, `..` or
  ///   NUL. Since requests are checked before, this is only a second line of defense.
  public static SitePath of(byte[] path, int from, int to) {
    Objects.checkFromToIndex(from, to, path.length);
    int begin = from < to && path[from] == SLASH ? from + 1 : from;
    boolean slash = begin == to || path[to - 1] == SLASH;
    int end = begin < to && slash ? to - 1 : to;
    byte[] bytes = Arrays.copyOfRange(path, begin, end);
    return bytes.length == 0 && begin == end && end == to
        ? ROOT
        : new SitePath(bytes, starts(bytes), slash);
  }

  /// Returns the path of text in UTF-8; see [#of(byte\[\], int, int)].
  public static SitePath of(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    return of(bytes, 0, bytes.length);
  }

  private static int[] starts(byte[] bytes) {
    int count = 1;
    for (byte b : bytes) {
      if (b == SLASH) {
        count++;
      } else if (b == 0) {
        throw new IllegalArgumentException("path has a NUL byte");
      }
    }
    int[] starts = new int[count + 1];
    int at = 1;
    for (int i = 0; i <= bytes.length; i++) {
      if (i == bytes.length || bytes[i] == SLASH) {
        checkName(bytes, starts[at - 1], i);
        starts[at++] = i + 1;
      }
    }
    return starts;
  }

  private static void checkName(byte[] bytes, int from, int to) {
    boolean dots =
        to - from <= 2
            && from < to
            && bytes[from] == '.'
            && (to - from == 1 || bytes[to - 1] == '.');
    if (from == to || dots) {
      throw new IllegalArgumentException(
          "path is not canonical: " + new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /// Returns the number of names, which is 0 for the root.
  public int names() {
    return starts.length - 1;
  }

  public boolean isRoot() {
    return starts.length == 1;
  }

  /// Returns true if the path was written with a trailing slash, as a directory. Always true for
  /// the root.
  public boolean trailingSlash() {
    return trailingSlash;
  }

  /// Returns the path relative to the root, as passed to the kernel. The array must not be
  /// modified.
  public byte[] bytes() {
    return bytes;
  }

  /// Returns the bytes as a C string in native memory.
  public MemorySegment cString() {
    MemorySegment made = text;
    if (made == null) {
      made = cString(bytes);
      text = made;
    }
    return made;
  }

  private static MemorySegment cString(byte[] bytes) {
    MemorySegment made = Arena.ofAuto().allocate(bytes.length + 1L);
    MemorySegment.copy(bytes, 0, made, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return made;
  }

  /// Returns the name at the given index.
  public byte[] name(int index) {
    return Arrays.copyOfRange(bytes, starts[index], starts[index + 1] - 1);
  }

  /// Returns the first `count` names as a path.
  public SitePath prefix(int count) {
    Objects.checkFromToIndex(0, count, names());
    if (count == 0) {
      return ROOT;
    }
    byte[] head = Arrays.copyOf(bytes, starts[count] - 1);
    return new SitePath(head, Arrays.copyOf(starts, count + 1), true);
  }

  /// Returns the path of a name in this directory.
  ///
  /// @throws IllegalArgumentException if `name` is not a single name
  public SitePath child(byte[] name) {
    byte[] joined = Arrays.copyOf(bytes, bytes.length + name.length + (isRoot() ? 0 : 1));
    int at = bytes.length;
    if (!isRoot()) {
      joined[at++] = SLASH;
    }
    System.arraycopy(name, 0, joined, at, name.length);
    int[] all = starts(joined);
    if (all.length != starts.length + 1) {
      throw new IllegalArgumentException("not one name");
    }
    return new SitePath(joined, all, false);
  }

  /// Returns this path with `suffix` appended to its last name, for example `.gz`.
  public SitePath withSuffix(String suffix) {
    byte[] more = suffix.getBytes(StandardCharsets.US_ASCII);
    byte[] joined = Arrays.copyOf(bytes, bytes.length + more.length);
    System.arraycopy(more, 0, joined, bytes.length, more.length);
    return new SitePath(joined, starts(joined), false);
  }

  /// Returns true if any name begins with a dot, except that the first may be `.well-known` (RFC
  /// 8615).
  boolean isHidden() {
    for (int i = 0; i < names(); i++) {
      boolean wellKnown = i == 0 && Arrays.equals(name(0), WELL_KNOWN);
      if (bytes[starts[i]] == '.' && !wellKnown) {
        return true;
      }
    }
    return false;
  }

  private static final byte[] WELL_KNOWN = ".well-known".getBytes(StandardCharsets.US_ASCII);

  @Override
  public boolean equals(Object other) {
    return other instanceof SitePath that
        && trailingSlash == that.trailingSlash
        && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "/"
        + new String(bytes, StandardCharsets.UTF_8)
        + (trailingSlash && !isRoot() ? "/" : "");
  }
}
