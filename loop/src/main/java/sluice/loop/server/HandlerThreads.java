package sluice.loop.server;

/// The threads on which slow handlers run.
public enum HandlerThreads {
  /// The slow path of the server, which uses virtual threads of the JVM unless another executor is
  /// set.
  SLOW_PATH,
  /// Virtual threads whose carrier is the loop's own thread, see [LoopThreads]. This option is
  /// intended for trusted code. If the JVM does not support it, the JVM's carriers are used.
  LOOP
}
