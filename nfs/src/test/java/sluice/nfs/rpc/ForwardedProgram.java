package sluice.nfs.rpc;

import java.io.IOException;

/// A program that passes its calls on to another, from workers alone. Called as that one is.
public interface ForwardedProgram extends RpcProgram {
  /// The other, at the moment.
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
