package sluice.http.parse;

import sluice.http.text.AsciiSet;
import sluice.http.text.Digits;
import sluice.http.text.Swar;

/// Parses `method SP request-target SP HTTP-version CRLF`, RFC 9112 section 3.
///
/// Stateless; any thread may call. Results are as in [HttpParser], but with the index after the
/// line instead of a length. Checks run from the left, each on the first byte that can be wrong, so
/// a line in pieces gives the same result as a whole one.
final class RequestLine {
  private static final long GET = Swar.of("GET ", 0);
  private static final long PUT = Swar.of("PUT ", 0);
  private static final long HEAD = Swar.of("HEAD ", 0);
  private static final long POST = Swar.of("POST ", 0);
  private static final long PATCH = Swar.of("PATCH ", 0);
  private static final long TRACE = Swar.of("TRACE ", 0);
  private static final long DELETE = Swar.of("DELETE ", 0);
  private static final long OPTIONS = Swar.of("OPTIONS ", 0);
  private static final long CONNECT = Swar.of("CONNECT ", 0);

  private static final long HTTP_1_1 = Swar.of("HTTP/1.1", 0);
  private static final long HTTP_1_0 = Swar.of("HTTP/1.0", 0);
  private static final String VERSION = "HTTP/d.d";

  private static final long HTTP_SCHEME = Swar.of("http://", 0);
  private static final long HTTPS_SCHEME = Swar.of("https://", 0);

  private RequestLine() {}

  static int parse(byte[] bytes, int from, int end, HttpLimits limits, HttpRequest request) {
    int at = method(bytes, from, end, limits.methodBytes(), request);
    if (at <= 0) {
      return at;
    }
    at = target(bytes, at, end, limits.targetBytes(), request);
    if (at <= 0) {
      return at;
    }
    at = version(bytes, at, end, request);
    if (at <= 0) {
      return at;
    }
    return classify(bytes, request) ? at : HttpParser.BAD_REQUEST;
  }

  /// Returns the index after the space that ends the method.
  private static int method(byte[] bytes, int from, int end, int limit, HttpRequest request) {
    request.methodFrom = from;
    long word = Swar.word(bytes, from);
    if (Swar.keep(word, 4) == GET) {
      request.method = HttpMethod.GET;
      request.methodTo = request.methodFrom + 3;
      return from + 4;
    }
    int i = from;
    while (i < end && AsciiSet.TOKEN.has(bytes[i])) {
      if (++i - from > limit) {
        return HttpParser.NOT_IMPLEMENTED;
      }
    }
    if (i == end) {
      return HttpParser.INCOMPLETE;
    }
    if (i == from || bytes[i] != ' ') {
      return HttpParser.BAD_REQUEST;
    }
    request.method = lookup(Swar.keep(word, i + 1 - from), i - from);
    request.methodTo = i;
    return i + 1;
  }

  /// @param word the method and its space, if they fit
  private static HttpMethod lookup(long word, int length) {
    if (length >= Long.BYTES) {
      return HttpMethod.OTHER;
    }
    if (word == HEAD) {
      return HttpMethod.HEAD;
    } else if (word == POST) {
      return HttpMethod.POST;
    } else if (word == OPTIONS) {
      return HttpMethod.OPTIONS;
    } else if (word == PUT) {
      return HttpMethod.PUT;
    } else if (word == DELETE) {
      return HttpMethod.DELETE;
    } else if (word == PATCH) {
      return HttpMethod.PATCH;
    } else if (word == TRACE) {
      return HttpMethod.TRACE;
    } else if (word == CONNECT) {
      return HttpMethod.CONNECT;
    }
    return HttpMethod.OTHER;
  }

  /// Returns the index after the space that ends the target; records the start of the query.
  private static int target(byte[] bytes, int from, int end, int limit, HttpRequest request) {
    int i = from;
    int question = -1;
    while (true) {
      long word = Swar.word(bytes, i);
      long stop = Swar.notTarget(word);
      if (question < 0) {
        long questions = Swar.equal(word, '?') & ((stop & -stop) - 1);
        if (questions != 0) {
          question = i + Swar.first(questions);
        }
      }
      if (stop != 0) {
        i += Swar.first(stop);
        break;
      }
      i += Long.BYTES;
      if (i - from > limit) {
        return HttpParser.URI_TOO_LONG;
      }
    }
    if (i - from > limit) {
      return HttpParser.URI_TOO_LONG;
    }
    if (i == end) {
      return HttpParser.INCOMPLETE;
    }
    if (i == from || bytes[i] != ' ') {
      return HttpParser.BAD_REQUEST;
    }
    request.targetFrom = from;
    request.targetTo = i;
    request.question = question;
    return i + 1;
  }

  /// Returns the index after the CRLF that ends the line.
  private static int version(byte[] bytes, int from, int end, HttpRequest request) {
    long word = Swar.word(bytes, from);
    if (word == HTTP_1_1) {
      request.minorVersion = 1;
    } else if (word == HTTP_1_0) {
      request.minorVersion = 0;
    } else {
      int result = otherVersion(bytes, from, end);
      if (result <= 0) {
        return result;
      }
      request.minorVersion = 1;
    }
    return HeaderLines.endOfLine(bytes, from + Long.BYTES, end);
  }

  /// @return 1 for HTTP/1.2 to 1.9, which are read as 1.1 (RFC 9110 section 2.5)
  private static int otherVersion(byte[] bytes, int from, int end) {
    for (int i = 0; i < VERSION.length(); i++) {
      if (from + i >= end) {
        return HttpParser.INCOMPLETE;
      }
      byte b = bytes[from + i];
      char wanted = VERSION.charAt(i);
      if (wanted == 'd' ? !Digits.isDigit(b) : b != wanted) {
        return HttpParser.BAD_REQUEST;
      }
    }
    return bytes[from + 5] == '1' ? 1 : HttpParser.VERSION_NOT_SUPPORTED;
  }

  /// Determines the form of the target and its parts. RFC 9112 section 3.2.
  ///
  /// @return false if the target has none of the forms, or not the form that its method requires
  private static boolean classify(byte[] bytes, HttpRequest request) {
    int from = request.targetFrom;
    int to = request.targetTo;
    request.pathFrom = request.targetFrom;
    if (request.method == HttpMethod.CONNECT) {
      request.form = TargetForm.AUTHORITY;
      request.hostFrom = request.targetFrom;
      request.hostTo = request.targetTo;
      return request.question < 0 && Authority.validWithPort(bytes, from, to);
    }
    byte first = bytes[from];
    if (first == '/') {
      request.form = TargetForm.ORIGIN;
      return true;
    }
    if (first == '*' && to - from == 1) {
      request.form = TargetForm.ASTERISK;
      return request.method == HttpMethod.OPTIONS;
    }
    return absolute(bytes, from, to, request);
  }

  private static boolean absolute(byte[] bytes, int from, int to, HttpRequest request) {
    long word = Swar.word(bytes, from);
    int scheme = 0;
    if (Swar.keep(Swar.fold(word), 7) == HTTP_SCHEME) {
      scheme = 7;
    } else if (Swar.fold(word) == HTTPS_SCHEME) {
      scheme = 8;
    }
    if (scheme == 0) {
      return false;
    }
    int hostFrom = from + scheme;
    int hostTo = hostFrom;
    int pathTo = request.question < 0 ? to : request.question;
    while (hostTo < pathTo && bytes[hostTo] != '/') {
      hostTo++;
    }
    request.form = TargetForm.ABSOLUTE;
    request.hostFrom = hostFrom;
    request.hostTo = hostTo;
    request.pathFrom = request.hostTo;
    return Authority.valid(bytes, hostFrom, hostTo);
  }
}
