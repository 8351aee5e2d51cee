package sluice.http.parse;

import sluice.memory.View;

/// Evaluates conditional requests, in the order of RFC 9110 section 13.2.2.
///
/// Stateless; any thread may call; nothing is allocated. Only for requests that would be answered
/// 2xx without their conditions: by section 13.2.1 all others ignore them.
public final class Preconditions {
  /// The result of the conditions of a request.
  public enum Outcome {
    /// They hold, or there are none; a Range field counts.
    PROCEED,
    /// They hold, but the Range field is for another version: answer 200 with the whole
    /// representation.
    IGNORE_RANGE,
    /// Answer 304.
    NOT_MODIFIED,
    /// Answer 412.
    PRECONDITION_FAILED
  }

  private Preconditions() {}

  /// Evaluates a request for a representation that exists.
  ///
  /// @param tag entity tag of the representation chosen by negotiation, as it is sent
  /// @param lastModified its modification time, seconds since 1970, as it is sent
  /// @param now seconds since 1970
  public static Outcome evaluate(HttpRequest request, byte[] tag, long lastModified, long now) {
    boolean reads = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
    if (request.has(Field.IF_MATCH)) {
      if (!ETags.listMatches(request, Field.IF_MATCH, tag, true)) {
        return Outcome.PRECONDITION_FAILED;
      }
    } else {
      long date = date(request, Field.IF_UNMODIFIED_SINCE, now);
      if (date != HttpDate.INVALID && lastModified > date) {
        return Outcome.PRECONDITION_FAILED;
      }
    }
    if (request.has(Field.IF_NONE_MATCH)) {
      if (ETags.listMatches(request, Field.IF_NONE_MATCH, tag, false)) {
        return reads ? Outcome.NOT_MODIFIED : Outcome.PRECONDITION_FAILED;
      }
    } else if (reads) {
      long date = date(request, Field.IF_MODIFIED_SINCE, now);
      if (date != HttpDate.INVALID && lastModified <= date) {
        return Outcome.NOT_MODIFIED;
      }
    }
    boolean ranged = request.method() == HttpMethod.GET && request.has(Field.RANGE);
    if (ranged && request.has(Field.IF_RANGE) && !ifRange(request, tag, lastModified, now)) {
      return Outcome.IGNORE_RANGE;
    }
    return Outcome.PROCEED;
  }

  /// Returns the date of a field that occurs once; otherwise the field is ignored.
  private static long date(HttpRequest request, Field field, long now) {
    int line = request.firstLine(field);
    if (line < 0 || request.isRepeated(field)) {
      return HttpDate.INVALID;
    }
    return HttpDate.parse(request.view(), request.valueFrom(line), request.valueTo(line), now);
  }

  /// Returns true if the If-Range validator matches. RFC 9110 section 13.1.5 requires a strong
  /// validator. A date is strong once its second is over, since a file that changes again then gets
  /// another date.
  private static boolean ifRange(HttpRequest request, byte[] tag, long lastModified, long now) {
    if (request.isRepeated(Field.IF_RANGE)) {
      return false;
    }
    View view = request.view();
    int line = request.firstLine(Field.IF_RANGE);
    int from = request.valueFrom(line);
    int to = request.valueTo(line);
    if (ETags.tagEnd(view, from, to) == to) {
      return ETags.strongMatch(view, from, to, tag);
    }
    return lastModified < now && HttpDate.parse(view, from, to, now) == lastModified;
  }
}
