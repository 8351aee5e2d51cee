package sluice.loop;

import sluice.memory.View;

/// Says where a message ends. One instance serves all loops: it keeps nothing.
@FunctionalInterface
public interface Framing {
  /// The whole message is not there yet.
  int MORE = 0;

  /// Whatever has arrived is a message: for peers that wait for the reply before they send again,
  /// and for streams. The network may cut and join what was sent.
  Framing NONE = (input, from) -> input.length() - from;

  /// A line feed ends a message and belongs to it.
  Framing LINES =
      (input, from) -> {
        int at = input.indexOf((byte) '\n', from, input.length());
        return at < 0 ? MORE : at + 1 - from;
      };

  /// Every message has the same length.
  ///
  /// @param bytes at least 1
  static Framing fixed(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    return (input, from) -> input.length() - from < bytes ? MORE : bytes;
  }

  /// Measures the message that begins at `from`. Called anew for the same bytes when more have
  /// come; a message that outgrows [LoopConfig#partialBytesPerConnection] ends the connection, as
  /// does an exception.
  ///
  /// @return bytes of the message, header and all, at most `input.length() - from`; or [#MORE]
  int messageBytes(View input, int from);
}
