package sluice.http.plugin;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import sluice.http.reply.ReplyFields;
import sluice.memory.View;

/// The reply of a [ViewPlugin]: status and fields, and a body of at most [#BODY_BYTES]. Owned by
/// the thread that calls the plug-in; after the plug-in has returned, or in another thread, all
/// methods throw [IllegalStateException].
///
/// The server adds Date, Content-Length and Connection. A reply with 204 or 304 has no body, and in
/// a reply to HEAD it is left out.
public final class ViewReply {
  /// The greatest length of a body.
  public static final int BODY_BYTES = 16 << 10;

  /// The greatest number of fields.
  public static final int FIELDS = 16;

  private static final int FIRST_BYTES = 512;
  private static final int DIGITS = 20;

  private final Thread owner;
  private final String[] names = new String[FIELDS];
  private final String[] values = new String[FIELDS];
  private final byte[] digits = new byte[DIGITS];
  private byte[] body = new byte[FIRST_BYTES];
  private boolean isOpen;
  private int status = 200;
  private int fields;
  private int length;

  ViewReply(Thread owner) {
    this.owner = owner;
  }

  // ---- for the server -----------------------------------------------------------------------

  void begin() {
    isOpen = true;
    status = 200;
    fields = 0;
    length = 0;
  }

  void end() {
    isOpen = false;
    Arrays.fill(names, 0, fields, null);
    Arrays.fill(values, 0, fields, null);
  }

  int status() {
    return status;
  }

  int fields() {
    return fields;
  }

  String name(int field) {
    return names[field];
  }

  String value(int field) {
    return values[field];
  }

  byte[] body() {
    return body;
  }

  int length() {
    return length;
  }

  // ---- for the plug-in ----------------------------------------------------------------------

  /// Sets the status; the default is 200.
  ///
  /// @param code 200 to 599
  public ViewReply status(int code) {
    check();
    ReplyFields.checkStatus(code);
    status = code;
    return this;
  }

  /// Adds a header field. May be called several times with the same name.
  ///
  /// @param value in ISO-8859-1, without control characters
  /// @throws IllegalArgumentException if the field would break the reply, or the server sets it
  ///   itself
  /// @throws IndexOutOfBoundsException if there are more than [#FIELDS]
  public ViewReply field(String name, String value) {
    check();
    ReplyFields.check(name, value);
    Objects.checkIndex(fields, FIELDS);
    names[fields] = name;
    values[fields++] = value;
    return this;
  }

  /// Adds text to the body, in UTF-8.
  ///
  /// @throws IndexOutOfBoundsException if the body would be longer than [#BODY_BYTES]
  public ViewReply text(String text) {
    int count = text.length();
    for (int i = 0; i < count; i++) {
      if (text.charAt(i) >= 0x80) {
        return put(text.getBytes(StandardCharsets.UTF_8));
      }
    }
    int at = claim(count);
    for (int i = 0; i < count; i++) {
      body[at + i] = (byte) text.charAt(i);
    }
    return this;
  }

  /// Adds a decimal number to the body.
  public ViewReply number(long value) {
    check();
    int at = DIGITS;
    long left = value;
    do {
      digits[--at] = (byte) ('0' + Math.abs(left % 10));
      left /= 10;
    } while (left != 0);
    if (value < 0) {
      digits[--at] = '-';
    }
    return put(digits, at, DIGITS - at);
  }

  /// Adds a byte to the body.
  public ViewReply put(byte value) {
    body[claim(1)] = value;
    return this;
  }

  /// Adds bytes to the body.
  public ViewReply put(byte[] bytes) {
    return put(bytes, 0, bytes.length);
  }

  /// Adds bytes to the body.
  public ViewReply put(byte[] bytes, int from, int count) {
    Objects.checkFromIndexSize(from, count, bytes.length);
    int at = claim(count);
    System.arraycopy(bytes, from, body, at, count);
    return this;
  }

  /// Adds bytes of the request to the body.
  public ViewReply put(View view, int from, int to) {
    Objects.checkFromToIndex(from, to, view.length());
    int at = claim(to - from);
    view.copyTo(from, body, at, to - from);
    return this;
  }

  private int claim(int count) {
    check();
    Objects.checkFromIndexSize(length, count, BODY_BYTES);
    int at = length;
    if (at + count > body.length) {
      body = Arrays.copyOf(body, Math.min(BODY_BYTES, Math.max(at + count, 2 * body.length)));
    }
    length += count;
    return at;
  }

  private void check() {
    if (!isOpen || Thread.currentThread() != owner) {
      throw new IllegalStateException("this reply is over: its plug-in has returned");
    }
  }
}
