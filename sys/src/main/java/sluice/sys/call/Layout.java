package sluice.sys.call;

import java.util.ArrayList;
import java.util.List;

/// The member offsets of a C structure, computed as by a C compiler: each member is at the next
/// multiple of its alignment, and the size is rounded up to the largest alignment.
///
/// Built once by the class initializer of the structure's class and read-only afterwards. A
/// structure class declares its members in C order and keeps the returned offsets in constants; the
/// ABI test compares the [#members] of every layout with the system's headers.
public final class Layout {
  /// A member: its C name, its offset and its size in bytes.
  public record Member(String name, int offset, int sizeBytes) {}

  private final String structure;
  private final boolean packed;
  private final List<Member> members = new ArrayList<>();
  private int end;
  private int alignment = 1;

  private Layout(String structure, boolean packed) {
    this.structure = structure;
    this.packed = packed;
  }

  /// Returns an empty layout.
  ///
  /// @param structure its name in C, such as `struct iovec`
  public static Layout of(String structure) {
    return new Layout(structure, false);
  }

  /// Returns an empty layout without padding.
  public static Layout packed(String structure) {
    return new Layout(structure, true);
  }

  public String structure() {
    return structure;
  }

  public List<Member> members() {
    return List.copyOf(members);
  }

  public int u8(String name) {
    return array(name, 1, 1);
  }

  public int u16(String name) {
    return array(name, 2, 1);
  }

  public int u32(String name) {
    return array(name, 4, 1);
  }

  public int u64(String name) {
    return array(name, 8, 1);
  }

  /// Declares a member that is an array, or a nested structure with elements of `elementBytes`
  /// alignment.
  ///
  /// @return its offset in bytes
  public int array(String name, int elementBytes, int count) {
    int align = packed ? 1 : elementBytes;
    int offset = roundUp(end, align);
    alignment = Math.max(alignment, align);
    end = offset + elementBytes * count;
    members.add(new Member(name, offset, elementBytes * count));
    return offset;
  }

  /// Reserves space for unused members, up to `bytes`.
  public void padTo(int bytes) {
    end = bytes;
  }

  /// Returns the value of `sizeof` for the members declared so far.
  public int sizeBytes() {
    return roundUp(end, alignment);
  }

  private static int roundUp(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
