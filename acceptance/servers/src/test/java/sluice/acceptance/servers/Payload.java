package sluice.acceptance.servers;

import java.io.IOException;

/// What the HTTP servers of this package answer, so that servers and load agree. Any thread may
/// call.
///
/// `/bytes/N` gives N bytes of a fixed pattern, `/echo` gives the request's body.
final class Payload {
  private static final String BYTES = "/bytes/";

  private Payload() {}

  /// @param lengthBytes 0 to what memory holds
  static byte[] pattern(int lengthBytes, int seed) {
    byte[] bytes = new byte[lengthBytes];
    for (int i = 0; i < lengthBytes; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 8) * 7 + seed);
    }
    return bytes;
  }

  static String pathOf(int lengthBytes) {
    return BYTES + lengthBytes;
  }

  /// @param body of the request, empty when it had none
  static byte[] answer(String path, byte[] body) throws IOException {
    if (path.equals("/echo")) {
      return body;
    }
    if (path.startsWith(BYTES)) {
      return pattern(Integer.parseInt(path.substring(BYTES.length())), 0);
    }
    throw new IOException("no such path: " + path);
  }
}
