package sluice.loop.sockets;

import java.lang.System.Logger;

/// The logger of this module. Any thread may use it. It is looked up when the first message is
/// logged, because the lookup takes some 10 ms, which would delay the start.
public final class Log {
  public static final Logger LOGGER = System.getLogger("sluice.loop");

  private Log() {}
}
