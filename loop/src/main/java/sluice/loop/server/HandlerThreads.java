package sluice.loop.server;

/// Where slow handlers run.
public enum HandlerThreads {
  /// On the slow path of the server, which is virtual threads of the JVM unless another is given.
  SLOW_PATH,
  /// On virtual threads whose carrier is the loop's own thread, see [LoopThreads]; for trusted
  /// code. Where the JVM does not allow it, on the JVM's carriers.
  LOOP
}
