package sluice.loop.server;

/// The threads that slow handlers run on.
public enum HandlerThreads {
  /// The slow path of the server: virtual threads of the JVM unless another executor is given.
  SLOW_PATH,
  /// Virtual threads whose carrier is the loop's own thread, see [LoopThreads]; for trusted code.
  /// If the JVM does not allow it, the JVM's carriers are used.
  LOOP
}
