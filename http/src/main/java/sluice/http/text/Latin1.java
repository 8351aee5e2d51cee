package sluice.http.text;

import java.nio.charset.StandardCharsets;

/// Converts text with one byte per character (ISO-8859-1), as in heads of messages. Stateless; any
/// thread may call.
public final class Latin1 {
  private Latin1() {}

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
