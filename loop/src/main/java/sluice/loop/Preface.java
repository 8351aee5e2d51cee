package sluice.loop;

import sluice.memory.View;

/// What a peer sends on a connection before everything else, TLS included, such as the address of
/// the client that a proxy stands for. On the loop's thread.
public interface Preface {
  /// Takes bytes. Behind its last one, and before it returns, it calls [Connection#preface] with
  /// null; what is no preface ends by [Connection#abort].
  ///
  /// @param input the bytes, valid until this method returns
  /// @return bytes taken: all, until it has ended
  int take(Connection connection, View input);
}
