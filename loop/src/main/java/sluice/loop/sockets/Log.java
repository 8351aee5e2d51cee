package sluice.loop.sockets;

import java.lang.System.Logger;

/// The logger of this module. Any thread may use it. It is looked up when the first line is
/// written, because that costs some 10 ms, which a start does not need to spend.
public final class Log {
  public static final Logger LOGGER = System.getLogger("sluice.loop");

  private Log() {}
}
