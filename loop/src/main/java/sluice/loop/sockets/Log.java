package sluice.loop.sockets;

import java.lang.System.Logger;

/// Where this module writes what people should know. Any thread may use it; it is found when the
/// first line is written, because finding it costs some 10 ms, which a start has no need of.
public final class Log {
  public static final Logger LOGGER = System.getLogger("sluice.loop");

  private Log() {}
}
