package sluice.sys.call;

import java.util.ArrayList;
import java.util.List;

/// The member offsets of a C structure, which are computed in the same way as by a C compiler: each
/// member is placed at the next multiple of its alignment, and the size is rounded up to a multiple
/// of the largest alignment.
///
/// A layout is built once by the class initializer of the structure's class, and is read-only
/// afterwards. A structure class declares its members in the order of the C declaration and stores
/// the returned offsets in constants. The ABI test compares the [#members] of every layout with the
/// headers of the system.
public final class Layout {
  /// A member, with its C name, its offset and its size in bytes.
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
  /// @param structure the name of the structure in C, such as `struct iovec`
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

  /// Declares a member that is an array, or a nested structure whose alignment is `elementBytes`.
  ///
  /// @return the offset of the member in bytes
  public int array(String name, int elementBytes, int count) {
    int align = packed ? 1 : elementBytes;
    int offset = roundUp(end, align);
    alignment = Math.max(alignment, align);
    end = offset + elementBytes * count;
    members.add(new Member(name, offset, elementBytes * count));
    return offset;
  }

  /// Reserves space for unused members up to an offset of `bytes`.
  public void padTo(int bytes) {
    end = bytes;
  }

  /// Returns the value of `sizeof` for the members that have been declared so far.
  public int sizeBytes() {
    return roundUp(end, alignment);
  }

  private static int roundUp(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
