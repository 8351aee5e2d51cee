package sluice.http.parse;

import sluice.http.text.Digits;
import sluice.http.text.Ows;
import sluice.http.text.Swar;
import sluice.memory.View;

/// The byte ranges of a request, RFC 9110 section 14.
///
/// Owned by one loop, which fills the same object for every request with a Range field. Ranges that
/// overlap, or whose distance is less than the cost of a part's head, are merged at the position of
/// the first of them. No request therefore makes the server send more than the representation and
/// the heads of [#MAX_RANGES] parts (section 17.15). The server ignores all that it may ignore:
/// more ranges than that, other units, and malformed fields.
public final class Ranges {
  /// The greatest number of ranges in a request; with more, all of them are ignored.
  public static final int MAX_RANGES = 16;

  private static final int GAP_BYTES = 80;
  private static final long BYTES = Swar.of("bytes=", 0);
  private static final int UNIT_LENGTH = 6;

  /// The ways to answer.
  public enum Outcome {
    /// No range counts: 200 with the whole representation.
    WHOLE,
    /// 206 with [#count] ranges.
    PARTIAL,
    /// No range contains a byte of the representation: 416.
    UNSATISFIABLE
  }

  private final long[] starts = new long[MAX_RANGES];
  private final long[] ends = new long[MAX_RANGES];
  private int count;
  private int parsed;
  private int at;
  private long number;

  /// Returns the number of ranges to send; with 2 and more the reply is `multipart/byteranges`.
  public int count() {
    return count;
  }

  /// Returns the index of the first byte of a range.
  public long start(int range) {
    return starts[range];
  }

  /// Returns the index after the last byte of a range; Content-Range names the byte before it.
  public long end(int range) {
    return ends[range];
  }

  /// Parses the Range field of a request whose preconditions let it count.
  ///
  /// @param length bytes of the representation
  public Outcome parse(HttpRequest request, long length) {
    count = 0;
    int line = request.firstLine(Field.RANGE);
    if (line < 0 || request.method() != HttpMethod.GET || request.isRepeated(Field.RANGE)) {
      return Outcome.WHOLE;
    }
    View view = request.view();
    int from = request.valueFrom(line);
    int to = request.valueTo(line);
    long unit = Swar.keep(Swar.word(view, from, to), UNIT_LENGTH);
    if (to - from < UNIT_LENGTH || (unit | 0x2020202020L) != BYTES) {
      return Outcome.WHOLE;
    }
    if (!specs(view, from + UNIT_LENGTH, to, length)) {
      count = 0;
      return Outcome.WHOLE;
    }
    coalesce();
    return count > 0 ? Outcome.PARTIAL : Outcome.UNSATISFIABLE;
  }

  /// Parses `1#( first "-" [ last ] / "-" length )`.
  ///
  /// @return false to ignore the field
  private boolean specs(View view, int from, int to, long length) {
    parsed = 0;
    at = from;
    while (true) {
      at = Ows.skip(view, at, to);
      if (at == to) {
        return parsed > 0;
      }
      if (view.get(at) == ',') {
        at++;
        continue;
      }
      if (++parsed > MAX_RANGES || !spec(view, to, length)) {
        return false;
      }
      at = Ows.skip(view, at, to);
      if (at < to && view.get(at) != ',') {
        return false;
      }
    }
  }

  private boolean spec(View view, int to, long length) {
    boolean hasFirst = digits(view, to);
    long first = number;
    if (at == to || view.get(at) != '-') {
      return false;
    }
    at++;
    boolean hasLast = digits(view, to);
    long last = number;
    if (!hasFirst) {
      return hasLast && suffix(last, length);
    }
    if (hasLast && last < first) {
      return false;
    }
    if (first < length) {
      add(first, hasLast && last < length ? last + 1 : length);
    }
    return true;
  }

  /// Adds the last `wanted` bytes. For an empty representation no Content-Range exists, but the
  /// range is satisfiable: the whole representation is sent.
  private boolean suffix(long wanted, long length) {
    if (wanted > 0 && length == 0) {
      return false;
    }
    if (wanted > 0) {
      add(Math.max(0, length - wanted), length);
    }
    return true;
  }

  /// Parses digits into `number`; a number that is too large counts as the greatest `long`.
  private boolean digits(View view, int to) {
    int start = at;
    number = 0;
    while (at < to && Digits.isDigit(view.get(at))) {
      int digit = view.get(at) - '0';
      number = number > (Long.MAX_VALUE - digit) / 10 ? Long.MAX_VALUE : number * 10 + digit;
      at++;
    }
    return at > start;
  }

  private void add(long start, long end) {
    starts[count] = start;
    ends[count++] = end;
  }

  /// Merges ranges that touch. Two ranges that are apart from a third stay apart from it when they
  /// are merged, so one pass is enough.
  private void coalesce() {
    for (int i = 0; i < count; i++) {
      int j = i + 1;
      while (j < count) {
        if (starts[i] - GAP_BYTES <= ends[j] && starts[j] - GAP_BYTES <= ends[i]) {
          starts[i] = Math.min(starts[i], starts[j]);
          ends[i] = Math.max(ends[i], ends[j]);
          remove(j);
          j = i + 1;
        } else {
          j++;
        }
      }
    }
  }

  private void remove(int range) {
    count--;
    System.arraycopy(starts, range + 1, starts, range, count - range);
    System.arraycopy(ends, range + 1, ends, range, count - range);
  }
}
