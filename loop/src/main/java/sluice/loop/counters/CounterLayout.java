package sluice.loop.counters;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/// The layout of a counters file, version 1. A file is written by one process and read by any
/// number of others.
///
/// ```
///    0  u64 magic                     written last, with release: until then the file is not ready
///    8  u32 version                   1
///   12  u32 capacity                  counters there is room for
///   16  u64 pid
///   24  u64 opened, ms since 1970
///   32  u32 count                     counters that exist; only grows
///   36  u32 length of the description, in bytes
///   40  …   description, UTF-8        at most 472 bytes
///  512  capacity × 128                label slots:  u32 length · u32 kind · UTF-8 bytes
///    …  capacity × 128                value slots:  u64 value · padding
/// ```
///
/// Each value occupies 128 bytes, which are two cache lines, because processors prefetch lines in
/// pairs. Therefore two loops that update counters never share a line. Numbers are in the machine's
/// byte order. A file with the opposite byte order fails the magic check.
///
/// | field         | writer                        | read mode | write mode |
/// |---------------|-------------------------------|-----------|------------|
/// | magic         | the thread that opens it      | acquire   | release    |
/// | count         | holder of the writer's lock   | acquire   | release    |
/// | description   | holder of the writer's lock   | plain     | plain, its length release |
/// | label slot    | holder of the lock, once      | plain     | plain, before count |
/// | value         | the one thread that owns it   | opaque    | opaque     |
///
/// A reader in another process copies the file with `read(2)`, see [CounterFile].
final class CounterLayout {
  static final long MAGIC = 0x31_45_43_49_55_4C_53_00L; // "\0SLUICE1" on a little-endian machine
  static final int VERSION = 1;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 8;
  static final int CAPACITY_OFFSET = 12;
  static final int PID_OFFSET = 16;
  static final int OPENED_OFFSET = 24;
  static final int COUNT_OFFSET = 32;
  static final int DESCRIPTION_LENGTH_OFFSET = 36;
  static final int DESCRIPTION_OFFSET = 40;
  static final int HEADER_BYTES = 512;
  static final int DESCRIPTION_MAX_BYTES = HEADER_BYTES - DESCRIPTION_OFFSET;

  static final int LABEL_SLOT_BYTES = 128;
  static final int LABEL_LENGTH_OFFSET = 0;
  static final int LABEL_KIND_OFFSET = 4;
  static final int LABEL_TEXT_OFFSET = 8;
  static final int LABEL_MAX_BYTES = LABEL_SLOT_BYTES - LABEL_TEXT_OFFSET;

  static final int VALUE_SLOT_BYTES = 128;

  static final int KIND_COUNTER = 1;
  static final int KIND_GAUGE = 2;

  /// The maximum capacity. It limits the size of a file to less than 16 MiB, so that a reader never
  /// allocates more for a hostile file.
  static final int CAPACITY_MAX = 65_536;

  static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private CounterLayout() {}

  static int labelOffset(int index) {
    return HEADER_BYTES + index * LABEL_SLOT_BYTES;
  }

  static int valueOffset(int capacity, int index) {
    return HEADER_BYTES + capacity * LABEL_SLOT_BYTES + index * VALUE_SLOT_BYTES;
  }

  static int fileBytes(int capacity) {
    return valueOffset(capacity, capacity);
  }
}
