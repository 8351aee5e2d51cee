package sluice.cli.console;

import java.io.PrintWriter;
import java.util.List;
import sluice.sys.WindowSize;

/// The screen of a terminal that is drawn again and again, as `top` does it. The command's thread
/// draws; when the process ends by a signal, a thread of the JVM gives the terminal back as it was.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | closed | the command's thread, or that of the JVM's end | under `this` | under `this` |
public final class Screen implements AutoCloseable {
  /// The alternate screen, which leaves the lines of before alone, without a cursor.
  static final String BEGIN = "\u001b[?1049h\u001b[?25l";

  static final String END = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String CLEAR_REST_OF_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  private static final int STANDARD_OUTPUT = 1;
  private static final WindowSize UNKNOWN = new WindowSize(24, 80);

  private final PrintWriter to;
  private final Thread hook = new Thread(this::restore, "sluice-screen-end");
  private boolean closed;

  /// Takes the terminal over.
  public Screen(PrintWriter to) {
    this.to = to;
    Runtime.getRuntime().addShutdownHook(hook);
    to.print(BEGIN);
    to.flush();
  }

  /// Returns whether standard output is a terminal that understands what this class writes.
  public static boolean isThere() {
    String kind = System.getenv().getOrDefault("TERM", "dumb");
    return System.getProperty("os.name", "").equals("Linux")
        && !kind.equals("dumb")
        && WindowSize.isTerminal(STANDARD_OUTPUT);
  }

  /// Returns the size of the window as it is now; 24 by 80 if the terminal does not know it.
  public static WindowSize size() {
    WindowSize size = WindowSize.of(STANDARD_OUTPUT);
    return size.rows() > 0 && size.columns() > 0 ? size : UNKNOWN;
  }

  /// Shows lines in place of those before.
  ///
  /// @param lines no longer than the window is wide, and no more than it is high
  public synchronized void draw(List<String> lines) {
    if (!closed) {
      String separator = CLEAR_REST_OF_LINE + "\r\n";
      to.print(HOME + String.join(separator, lines) + CLEAR_REST_OF_LINE + CLEAR_BELOW);
      to.flush();
    }
  }

  private synchronized void restore() {
    if (!closed) {
      closed = true;
      to.print(END);
      to.flush();
    }
  }

  @Override
  public void close() {
    restore();
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      assert e != null; // the JVM is ending, and runs it
    }
  }
}
