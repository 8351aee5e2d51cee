package sluice.nfs.rpc;

import java.io.IOException;

/// A program that forwards its calls to another one, only from workers. Same threading as that
/// program.
public interface ForwardedProgram extends RpcProgram {
  /// Returns the current target.
  RpcProgram program();

  @Override
  default int number() {
    return program().number();
  }

  @Override
  default int lowestVersion() {
    return program().lowestVersion();
  }

  @Override
  default int highestVersion() {
    return program().highestVersion();
  }

  @Override
  default void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException {
    program().call(call, arguments, results);
  }
}
