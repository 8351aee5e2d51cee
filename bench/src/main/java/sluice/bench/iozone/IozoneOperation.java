package sluice.bench.iozone;

import java.util.Locale;

/// What `bench iozone` times, after IOZone's tests of the same names.
enum IozoneOperation {
  /// Makes a file, writes it in records, closes it; removing it is not timed.
  WRITE,
  /// Writes an empty open file in records and makes it empty again.
  EXTEND,
  /// Writes the records of an open file again.
  REWRITE,
  /// Opens a file, reads it in records, closes it.
  READ,
  /// Reads the records of an open file again.
  REREAD;

  /// As in cases and in what a worker is told.
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean reads() {
    return this == READ || this == REREAD;
  }

  static IozoneOperation of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
