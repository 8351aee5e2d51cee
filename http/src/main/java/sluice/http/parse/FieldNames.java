package sluice.http.parse;

import org.jspecify.annotations.Nullable;
import sluice.http.text.Swar;

/// Finds the [Field] of a header name by its length and its first and last eight bytes.
///
/// Stateless; any thread may call. The names are repeated here as words, because a table lookup by
/// string would have to allocate the string.
final class FieldNames {
  private static final long HOST = Swar.of("host", 0);
  private static final long RANGE = Swar.of("range", 0);
  private static final long EXPECT = Swar.of("expect", 0);
  private static final long REFERER = Swar.of("referer", 0);
  private static final long UPGRADE = Swar.of("upgrade", 0);
  private static final long IF_RANGE = Swar.of("if-range", 0);
  private static final long IF_MATCH = Swar.of("if-match", 0);
  private static final long CONNECTI = Swar.of("connection", 0);
  private static final long NNECTION = Swar.of("connection", 2);
  private static final long USER_AGE = Swar.of("user-agent", 0);
  private static final long ER_AGENT = Swar.of("user-agent", 2);
  private static final long TRACEPAR = Swar.of("traceparent", 0);
  private static final long CEPARENT = Swar.of("traceparent", 3);
  private static final long IF_NONE = Swar.of("if-none-match", 0);
  private static final long NE_MATCH = Swar.of("if-none-match", 5);
  private static final long AUTHORIZ = Swar.of("authorization", 0);
  private static final long RIZATION = Swar.of("authorization", 5);
  private static final long CONTENT = Swar.of("content-length", 0);
  private static final long T_LENGTH = Swar.of("content-length", 6);
  private static final long ACCEPT_E = Swar.of("accept-encoding", 0);
  private static final long ENCODING = Swar.of("accept-encoding", 7);
  private static final long TRANSFER = Swar.of("transfer-encoding", 0);
  private static final long DASH_ENCODIN = Swar.of("transfer-encoding", 8);
  private static final long IF_MODIF = Swar.of("if-modified-since", 0);
  private static final long IED_SINC = Swar.of("if-modified-since", 8);
  private static final long ED_SINCE = Swar.of("if-modified-since", 9);
  private static final long IF_UNMOD = Swar.of("if-unmodified-since", 0);
  private static final long IFIED_SI = Swar.of("if-unmodified-since", 8);

  private FieldNames() {}

  /// Returns the field of a name.
  ///
  /// @param first the eight bytes from `at`
  /// @param length the length of a name that has only letters, digits, `-` and `.`
  /// @return null for a name that the server does not use
  static @Nullable Field lookup(byte[] bytes, int at, int length, long first) {
    if (length <= Long.BYTES) {
      return upToEight(Swar.keep(Swar.fold(first), length), length);
    }
    if (length > 19) {
      return null;
    }
    long head = Swar.fold(first);
    return switch (length) {
      case 10 -> tenBytes(head, last(bytes, at, length));
      case 11 -> head == TRACEPAR && last(bytes, at, length) == CEPARENT ? Field.TRACEPARENT : null;
      case 13 -> thirteenBytes(head, last(bytes, at, length));
      case 14 ->
          head == CONTENT && last(bytes, at, length) == T_LENGTH ? Field.CONTENT_LENGTH : null;
      case 15 ->
          head == ACCEPT_E && last(bytes, at, length) == ENCODING ? Field.ACCEPT_ENCODING : null;
      case 17 -> seventeenBytes(head, Swar.fold(Swar.word(bytes, at + 8)), last(bytes, at, length));
      case 19 ->
          head == IF_UNMOD
                  && Swar.fold(Swar.word(bytes, at + 8)) == IFIED_SI
                  && last(bytes, at, length) == ED_SINCE
              ? Field.IF_UNMODIFIED_SINCE
              : null;
      default -> null;
    };
  }

  private static long last(byte[] bytes, int at, int length) {
    return Swar.fold(Swar.word(bytes, at + length - Long.BYTES));
  }

  private static @Nullable Field upToEight(long name, int length) {
    return switch (length) {
      case 4 -> name == HOST ? Field.HOST : null;
      case 5 -> name == RANGE ? Field.RANGE : null;
      case 6 -> name == EXPECT ? Field.EXPECT : null;
      case 7 -> name == REFERER ? Field.REFERER : name == UPGRADE ? Field.UPGRADE : null;
      case 8 -> name == IF_RANGE ? Field.IF_RANGE : name == IF_MATCH ? Field.IF_MATCH : null;
      default -> null;
    };
  }

  private static @Nullable Field tenBytes(long head, long last) {
    if (head == CONNECTI && last == NNECTION) {
      return Field.CONNECTION;
    }
    return head == USER_AGE && last == ER_AGENT ? Field.USER_AGENT : null;
  }

  private static @Nullable Field thirteenBytes(long head, long last) {
    if (head == IF_NONE && last == NE_MATCH) {
      return Field.IF_NONE_MATCH;
    }
    return head == AUTHORIZ && last == RIZATION ? Field.AUTHORIZATION : null;
  }

  private static @Nullable Field seventeenBytes(long head, long middle, long last) {
    if (head == TRANSFER && middle == DASH_ENCODIN && last == ENCODING) {
      return Field.TRANSFER_ENCODING;
    }
    return head == IF_MODIF && middle == IED_SINC && last == ED_SINCE
        ? Field.IF_MODIFIED_SINCE
        : null;
  }
}
