package sluice.loop;

import sluice.memory.View;

/// The framing of a protocol, which determines where a message ends. A framing is stateless, so one
/// instance serves all loops.
@FunctionalInterface
public interface Framing {
  /// The result if the message is not yet complete.
  int MORE = 0;

  /// A framing that treats all received bytes as one message. It is intended for streams, and for
  /// peers that wait for the reply before they send again. The network may split and join the data
  /// that was sent.
  Framing NONE = (input, from) -> input.length() - from;

  /// A framing of lines. A message includes the line feed that terminates it.
  Framing LINES =
      (input, from) -> {
        int at = input.indexOf((byte) '\n', from, input.length());
        return at < 0 ? MORE : at + 1 - from;
      };

  /// Returns a framing for messages of a fixed length.
  ///
  /// @param bytes at least 1
  static Framing fixed(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    return (input, from) -> input.length() - from < bytes ? MORE : bytes;
  }

  /// Returns the length of the message that begins at `from`. This method is called again for the
  /// same bytes when more have arrived. The connection is closed if a message is longer than
  /// [LoopConfig#partialBytesPerConnection] or if this method throws an exception.
  ///
  /// @return the length of the message including its header, in bytes, at most `input.length() -
  ///   from`; or [#MORE] if the message is not yet complete
  int messageBytes(View input, int from);
}
