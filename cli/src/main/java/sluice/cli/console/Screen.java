package sluice.cli.console;

import java.io.PrintWriter;
import java.util.List;
import sluice.sys.WindowSize;

/// A full-screen display on a terminal that is redrawn repeatedly, as in `top`. The content is
/// drawn by the thread of the command. If the process is terminated by a signal, a shutdown hook
/// restores the terminal.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | closed | the command's thread, the shutdown hook | under `this` | under `this` |
public final class Screen implements AutoCloseable {
  /// The escape sequences that hide the cursor and switch to the alternate screen, which preserves
  /// the existing content of the terminal.
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

  /// Switches the terminal to this display.
  public Screen(PrintWriter to) {
    this.to = to;
    Runtime.getRuntime().addShutdownHook(hook);
    to.print(BEGIN);
    to.flush();
  }

  /// Returns true if the standard output is a terminal that supports the escape sequences.
  public static boolean isThere() {
    String kind = System.getenv().getOrDefault("TERM", "dumb");
    return System.getProperty("os.name", "").equals("Linux")
        && !kind.equals("dumb")
        && WindowSize.isTerminal(STANDARD_OUTPUT);
  }

  /// Returns the current size of the window, or 24 by 80 if it is not known to the terminal.
  public static WindowSize size() {
    WindowSize size = WindowSize.of(STANDARD_OUTPUT);
    return size.rows() > 0 && size.columns() > 0 ? size : UNKNOWN;
  }

  /// Replaces the content of this screen.
  ///
  /// @param lines the lines, whose number and lengths must not exceed the size of the window
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
      assert e != null; // the JVM is ending and runs the hook
    }
  }
}
