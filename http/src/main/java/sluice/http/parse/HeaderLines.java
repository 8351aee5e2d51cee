package sluice.http.parse;

import org.jspecify.annotations.Nullable;
import sluice.http.text.AsciiSet;
import sluice.http.text.Digits;
import sluice.http.text.Ows;
import sluice.http.text.Swar;

/// Parses the header lines and the empty line after them, RFC 9112 section 5, and the framing of
/// the body, section 6.
///
/// Stateless; any thread may call. Results are as in [HttpParser], but with an index instead of a
/// length.
final class HeaderLines {
  private static final long CLOSE = Swar.of("close", 0);
  private static final long UPGRADE = Swar.of("upgrade", 0);
  private static final long KEEP_ALI = Swar.of("keep-alive", 0);
  private static final long EP_ALIVE = Swar.of("keep-alive", 2);
  private static final long CHUNKED = Swar.of("chunked", 0);
  private static final long C_100_CONT = Swar.of("100-continue", 0);
  private static final long CONTINUE = Swar.of("100-continue", 4);

  private HeaderLines() {}

  static int parse(byte[] bytes, int from, int end, HttpLimits limits, HttpRequest request) {
    int at = from;
    while (true) {
      long first = Swar.word(bytes, at);
      if (Swar.at(first, 0) == '\r') {
        return endOfLine(bytes, at, end);
      }
      if (at >= end) {
        return HttpParser.INCOMPLETE;
      }
      if (request.lineCount == limits.headerLines()) {
        return HttpParser.HEAD_TOO_LARGE;
      }
      at = line(bytes, at, end, first, request);
      if (at <= 0) {
        return at;
      }
    }
  }

  /// Returns the index after the CRLF at `at`.
  static int endOfLine(byte[] bytes, int at, int end) {
    if (at >= end) {
      return HttpParser.INCOMPLETE;
    }
    if (bytes[at] != '\r') {
      return HttpParser.BAD_REQUEST;
    }
    if (at + 1 >= end) {
      return HttpParser.INCOMPLETE;
    }
    return bytes[at + 1] == '\n' ? at + 2 : HttpParser.BAD_REQUEST;
  }

  /// Parses one line `name ":" OWS value OWS CRLF`, and returns the index after it.
  ///
  /// @param first the word at `from`
  private static int line(byte[] bytes, int from, int end, long first, HttpRequest request) {
    long word = first;
    long stop = Swar.notName(word);
    int colon = from;
    while (stop == 0) {
      colon += Long.BYTES;
      word = Swar.word(bytes, colon);
      stop = Swar.notName(word);
    }
    int index = Swar.first(stop);
    colon += index;
    if (Swar.at(word, index) != ':') {
      colon = otherNameEnd(bytes, colon, end);
      if (colon <= 0) {
        return colon;
      }
      return value(bytes, from, colon, end, null, request);
    }
    if (colon == from) {
      return HttpParser.BAD_REQUEST;
    }
    return value(
        bytes, from, colon, end, FieldNames.lookup(bytes, from, colon - from, first), request);
  }

  /// Returns the index of the colon after a name that has, from `at` on, characters that do not
  /// occur in the server's own fields.
  private static int otherNameEnd(byte[] bytes, int at, int end) {
    int colon = at;
    while (colon < end && AsciiSet.TOKEN.has(bytes[colon])) {
      colon++;
    }
    if (colon >= end) {
      return HttpParser.INCOMPLETE;
    }
    return bytes[colon] == ':' ? colon : HttpParser.BAD_REQUEST;
  }

  /// Returns the index after the value and its CRLF; records the line if it is complete.
  private static int value(
      byte[] bytes, int from, int colon, int end, @Nullable Field field, HttpRequest request) {
    int cr = colon + 1;
    long word = Swar.word(bytes, cr);
    int valueFrom = Swar.at(word, 0) == ' ' ? cr + 1 : cr;
    long stop = Swar.control(word);
    while (stop == 0) {
      cr += Long.BYTES;
      word = Swar.word(bytes, cr);
      stop = Swar.control(word);
    }
    int index = Swar.first(stop);
    cr += index;
    int next = cr + 2;
    if (index == Long.BYTES - 1 || !Swar.crlf(word, index)) {
      cr = endOfValue(bytes, cr, end);
      next = endOfLine(bytes, cr, end);
      if (next <= 0) {
        return next;
      }
    }
    valueFrom = Ows.skip(bytes, valueFrom, cr);
    int valueTo = Ows.trim(bytes, valueFrom, cr);
    int line = request.addLine(from, colon, valueFrom, valueTo, field);
    if (field != null) {
      int wrong = note(bytes, field, line, request);
      if (wrong < 0) {
        return wrong;
      }
    }
    return next;
  }

  /// Returns the index of the first byte that must not occur in a value; `end` if there is none.
  private static int endOfValue(byte[] bytes, int from, int end) {
    int i = from;
    while (i < end) {
      long stop = Swar.control(Swar.word(bytes, i));
      if (stop == 0) {
        i += Long.BYTES;
        continue;
      }
      i += Swar.first(stop);
      if (i >= end || bytes[i] != '\t') {
        break;
      }
      i++;
    }
    return i;
  }

  /// Records a line of a known field, and parses the fields that frame the message.
  ///
  /// @return 0, or the status to refuse with
  private static int note(byte[] bytes, Field field, int line, HttpRequest request) {
    int bit = field.bit();
    boolean again = (request.seen & bit) != 0;
    if (again) {
      request.repeated |= bit;
    } else {
      request.seen |= bit;
      request.firstLines[field.index()] = line;
    }
    int from = request.lines[line * HttpRequest.STRIDE + 2];
    int to = request.lines[line * HttpRequest.STRIDE + 3];
    return switch (field) {
      case HOST -> again || !Authority.valid(bytes, from, to) ? HttpParser.BAD_REQUEST : 0;
      case CONTENT_LENGTH ->
          again || !contentLength(bytes, from, to, request) ? HttpParser.BAD_REQUEST : 0;
      case TRANSFER_ENCODING -> again ? HttpParser.BAD_REQUEST : transferCodings(bytes, from, to);
      case CONNECTION -> {
        connection(bytes, from, to, request);
        yield 0;
      }
      case EXPECT -> {
        expect(bytes, from, to, request);
        yield 0;
      }
      default -> 0;
    };
  }

  private static boolean contentLength(byte[] bytes, int from, int to, HttpRequest request) {
    long length = Digits.decimal(bytes, from, to);
    if (length < 0) {
      return false;
    }
    request.contentLength = length;
    return true;
  }

  /// Checks the transfer codings, RFC 9112 section 6.3: 400 if the last coding is not `chunked`;
  /// 501 if there are others before it, since this server knows none.
  private static int transferCodings(byte[] bytes, int from, int to) {
    if (isWord(bytes, from, to, CHUNKED, 7)) {
      return 0;
    }
    boolean chunkedBefore = false;
    boolean last = false;
    int element = from;
    while (element <= to) {
      int end = comma(bytes, element, to);
      int a = Ows.skip(bytes, element, end);
      int b = Ows.trim(bytes, a, end);
      chunkedBefore |= last;
      last = isWord(bytes, a, b, CHUNKED, 7);
      if (!last && !isToken(bytes, a, b)) {
        return HttpParser.BAD_REQUEST;
      }
      element = end + 1;
    }
    return last && !chunkedBefore ? HttpParser.NOT_IMPLEMENTED : HttpParser.BAD_REQUEST;
  }

  /// Returns the index of the first comma, or `to`.
  private static int comma(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to && bytes[i] != ',') {
      i++;
    }
    return i;
  }

  private static boolean isToken(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (!AsciiSet.TOKEN.has(bytes[i])) {
        return false;
      }
    }
    return from < to;
  }

  private static void connection(byte[] bytes, int from, int to, HttpRequest request) {
    if (connectionOption(bytes, from, to, request)) {
      return;
    }
    int element = from;
    while (element < to) {
      int end = comma(bytes, element, to);
      int a = Ows.skip(bytes, element, end);
      connectionOption(bytes, a, Ows.trim(bytes, a, end), request);
      element = end + 1;
    }
  }

  /// @return true if the server knows the option
  private static boolean connectionOption(byte[] bytes, int from, int to, HttpRequest request) {
    if (to - from == 10
        && Swar.fold(Swar.word(bytes, from)) == KEEP_ALI
        && Swar.fold(Swar.word(bytes, from + 2)) == EP_ALIVE) {
      request.connectionKeepAlive = true;
      return true;
    }
    if (isWord(bytes, from, to, CLOSE, 5)) {
      request.connectionClose = true;
      return true;
    }
    if (isWord(bytes, from, to, UPGRADE, 7)) {
      request.connectionUpgrade = true;
      return true;
    }
    return false;
  }

  private static void expect(byte[] bytes, int from, int to, HttpRequest request) {
    boolean known =
        to - from == 12
            && Swar.fold(Swar.word(bytes, from)) == C_100_CONT
            && Swar.fold(Swar.word(bytes, from + 4)) == CONTINUE;
    request.expectContinue |= known;
    request.expectOther |= !known;
  }

  /// Returns true if `[from, to)` is the word of up to eight letters, digits or dashes, in any
  /// case.
  private static boolean isWord(byte[] bytes, int from, int to, long word, int length) {
    return to - from == length && Swar.keep(Swar.fold(Swar.word(bytes, from)), length) == word;
  }
}
