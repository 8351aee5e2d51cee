package sluice.host;

import java.io.Writer;
import java.util.function.Consumer;

/// Forwards text to a consumer line by line, without the name of the program at the beginning of a
/// line. This class is thread-safe.
final class LineWriter extends Writer {
  private static final String NAME = "sluice: ";

  private final Consumer<String> lines;
  private final StringBuilder line = new StringBuilder();

  LineWriter(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public void write(char[] text, int from, int count) {
    synchronized (lock) {
      line.append(text, from, count);
      for (int end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
        String whole = line.substring(0, end).stripTrailing();
        line.delete(0, end + 1);
        lines.accept(whole.startsWith(NAME) ? whole.substring(NAME.length()) : whole);
      }
    }
  }

  @Override
  public void flush() {
    // A line is forwarded when it is complete.
  }

  @Override
  public void close() {
    // An incomplete line is discarded.
  }
}
