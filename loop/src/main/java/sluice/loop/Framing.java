package sluice.loop;

import sluice.memory.View;

/// The framing of a protocol: determines where a message ends. Stateless, so that one instance
/// serves all loops.
@FunctionalInterface
public interface Framing {
  /// The result if the message is not complete yet.
  int MORE = 0;

  /// A framing that takes all received bytes as one message: for streams, and for peers that wait
  /// for the reply before they send again. The network may split and join what was sent.
  Framing NONE = (input, from) -> input.length() - from;

  /// A framing of lines. The line feed that ends a message is part of it.
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

  /// Measures the message that begins at `from`. Called again for the same bytes when more have
  /// arrived. A message longer than [LoopConfig#partialBytesPerConnection] ends the connection, as
  /// does an exception.
  ///
  /// @return the length of the message including its header, in bytes, at most `input.length() -
  ///   from`; or [#MORE]
  int messageBytes(View input, int from);
}
