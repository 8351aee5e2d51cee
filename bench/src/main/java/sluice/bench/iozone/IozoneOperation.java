package sluice.bench.iozone;

import java.util.Locale;

/// The operations that `bench iozone` times, after IOZone's tests of the same names.
enum IozoneOperation {
  /// Creates a file, writes it in records, closes it; removing it is not timed.
  WRITE,
  /// Writes an empty open file in records and truncates it again.
  EXTEND,
  /// Writes the records of an open file again.
  REWRITE,
  /// Opens a file, reads it in records, closes it.
  READ,
  /// Reads the records of an open file again.
  REREAD;

  /// Returns the word for cases and for commands to a worker.
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
