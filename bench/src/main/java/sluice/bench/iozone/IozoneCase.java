package sluice.bench.iozone;

import java.util.ArrayList;
import java.util.List;

/// A point of the surfaces: an operation on a file of a length in records of a length. Immutable.
///
/// @param operation the timed operation
/// @param sync true if the timed part ends with fsync
/// @param fileBytes a multiple of the record
/// @param recordBytes bytes of one read or write
record IozoneCase(IozoneOperation operation, boolean sync, long fileBytes, int recordBytes) {
  /// The length from which a file is removed between measurements, and images are large.
  static final long LARGE_BYTES = 1L << 30;

  private static final int KB = 1 << 10;
  private static final int SMALLEST = 4 * KB;
  private static final int[] SMALL = {
    SMALLEST, 8 * KB, 16 * KB, 32 * KB, 64 * KB, 128 * KB, 256 * KB, 512 * KB
  };
  private static final int[] FEW = {SMALLEST, 64 * KB, 512 * KB};
  private static final int MIDDLE = 16 << 20;

  /// Returns all cases: the four tests of IOZone that the JX paper names, then extending and the
  /// operations that wait for the device.
  static List<IozoneCase> all() {
    List<IozoneCase> cases = new ArrayList<>();
    for (IozoneOperation operation : IozoneOperation.values()) {
      if (operation != IozoneOperation.EXTEND) {
        grid(cases, operation);
      }
    }
    few(cases, IozoneOperation.EXTEND, false);
    few(cases, IozoneOperation.WRITE, true);
    few(cases, IozoneOperation.REWRITE, true);
    return List.copyOf(cases);
  }

  private static void grid(List<IozoneCase> cases, IozoneOperation operation) {
    for (int file : SMALL) {
      for (int record : SMALL) {
        if (record <= file) {
          cases.add(new IozoneCase(operation, false, file, record));
        }
      }
    }
    for (int record : new int[] {SMALLEST, 64 * KB, 512 * KB, MIDDLE}) {
      cases.add(new IozoneCase(operation, false, MIDDLE, record));
    }
    for (int record : new int[] {SMALLEST, MIDDLE}) {
      cases.add(new IozoneCase(operation, false, LARGE_BYTES, record));
    }
  }

  /// Adds the cases with the smallest records and with whole files.
  private static void few(List<IozoneCase> cases, IozoneOperation operation, boolean sync) {
    for (int file : FEW) {
      cases.add(new IozoneCase(operation, sync, file, SMALLEST));
      if (file > SMALLEST) {
        cases.add(new IozoneCase(operation, sync, file, file));
      }
    }
    cases.add(new IozoneCase(operation, sync, MIDDLE, SMALLEST));
    cases.add(new IozoneCase(operation, sync, MIDDLE, MIDDLE));
  }

  /// Returns the name of a surface: `write`, `rewrite+fsync`.
  String surface() {
    return operation.word() + (sync ? "+fsync" : "");
  }

  String name() {
    return surface() + " " + size(fileBytes) + "/" + size(recordBytes);
  }

  /// Returns true if `--quick` runs it: the corners of the paper's figures.
  boolean quick() {
    boolean corner = fileBytes == SMALLEST || fileBytes == 512 * KB;
    boolean record = recordBytes == SMALLEST || recordBytes == fileBytes;
    return corner && record && !sync;
  }

  boolean isLarge() {
    return fileBytes >= LARGE_BYTES;
  }

  static String size(long bytes) {
    if (bytes >= 1L << 30) {
      return (bytes >> 30) + "GB";
    }
    return bytes >= 1 << 20 ? (bytes >> 20) + "MB" : (bytes >> 10) + "KB";
  }

  double megabytesPerSecond(double nanosPerRecord) {
    return recordBytes / nanosPerRecord * 1e3;
  }
}
