package sluice.http.reply;

import sluice.http.parse.ChunkedDecoder;
import sluice.http.text.AsciiSet;

/// Checks header fields that handlers set, so that no field can break the framing of a reply or
/// smuggle in a second one. Stateless: any thread may call.
public final class ReplyFields {
  /// The fields that the server sets itself.
  private static final String[] OWN = {
    "Connection", "Content-Length", "Date", "Keep-Alive", "Transfer-Encoding", "Upgrade"
  };

  private ReplyFields() {}

  /// Checks a field.
  ///
  /// @throws IllegalArgumentException if the name is not a token or the server sets this field
  ///   itself, or the value has control characters or characters outside ISO-8859-1
  public static void check(String name, String value) {
    checkName(name);
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c > 0xff || ChunkedDecoder.isControl((byte) c)) {
        throw new IllegalArgumentException(
            "field " + name + " has U+" + Integer.toHexString(c) + " at index " + i);
      }
    }
  }

  private static void checkName(String name) {
    boolean token = !name.isEmpty();
    for (int i = 0; i < name.length() && token; i++) {
      token = name.charAt(i) < 0x80 && AsciiSet.TOKEN.has((byte) name.charAt(i));
    }
    if (!token) {
      throw new IllegalArgumentException("not the name of a field: '" + name + "'");
    }
    for (String own : OWN) {
      if (own.equalsIgnoreCase(name)) {
        throw new IllegalArgumentException("the server sets " + name + " itself");
      }
    }
  }

  /// Checks a status.
  ///
  /// @throws IllegalArgumentException if `status` is not the status of a final reply
  public static void checkStatus(int status) {
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException("not the status of a reply: " + status);
    }
  }

  /// Returns true if replies of this status have no body and no Content-Length (RFC 9110 section
  /// 6.4.1).
  public static boolean bodiless(int status) {
    return status == 204 || status == 304;
  }
}
