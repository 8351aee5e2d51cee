package sluice.http.parse;

import sluice.http.text.AsciiSet;
import sluice.http.text.Digits;
import sluice.http.text.Swar;

/// Checks `uri-host [":" port]`, RFC 9110 section 4.2 and RFC 3986 section 3.2. User information is
/// invalid, as RFC 9110 section 4.2.4 tells a recipient to treat it as an error.
///
/// Stateless; any thread may call.
final class Authority {
  /// The bytes of a reg-name: unreserved and sub-delims; `%` is checked separately. The comma is
  /// excluded, because no host name contains one but an earlier recipient may have used it to join
  /// two Host lines.
  private static final AsciiSet NAME =
      AsciiSet.letters().and(AsciiSet.digits()).and(AsciiSet.of("-._~!$&'()*+;="));

  private Authority() {}

  /// Returns true if `[from, to)` is a non-empty host, with or without a port up to 65535.
  static boolean valid(byte[] bytes, int from, int to) {
    int i = from;
    long stop = Swar.notName(Swar.word(bytes, i));
    while (stop == 0) {
      i += Long.BYTES;
      stop = Swar.notName(Swar.word(bytes, i));
    }
    i += Swar.first(stop);
    if (i >= to) {
      return from < to;
    }
    if (i > from && bytes[i] == ':') {
      return validPort(bytes, i + 1, to);
    }
    return validUnusual(bytes, from, to);
  }

  /// Returns true for valid addresses, and for valid names with characters other than letters,
  /// digits, dashes and dots.
  private static boolean validUnusual(byte[] bytes, int from, int to) {
    int hostTo = bytes[from] == '[' ? addressEnd(bytes, from, to) : nameEnd(bytes, from, to);
    if (hostTo <= from) {
      return false;
    }
    return hostTo == to || (bytes[hostTo] == ':' && validPort(bytes, hostTo + 1, to));
  }

  /// Returns true if `[from, to)` is a host with a non-empty port, as CONNECT requires.
  static boolean validWithPort(byte[] bytes, int from, int to) {
    int colon = to - 1;
    while (colon > from && Digits.isDigit(bytes[colon])) {
      colon--;
    }
    // Digits after the last colon of an IPv6 address are followed by its bracket: no port.
    return colon > from && colon < to - 1 && bytes[colon] == ':' && valid(bytes, from, to);
  }

  /// Returns the index after the reg-name or IPv4 address, or -1.
  private static int nameEnd(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to) {
      byte b = bytes[i];
      if (NAME.has(b)) {
        i++;
      } else if (b == '%') {
        if (i + 2 >= to || Digits.hex(bytes[i + 1]) < 0 || Digits.hex(bytes[i + 2]) < 0) {
          return -1;
        }
        i += 3;
      } else {
        break;
      }
    }
    return i;
  }

  /// Returns the index after the `]` of an IPv6 address, or -1.
  private static int addressEnd(byte[] bytes, int from, int to) {
    int i = from + 1;
    int groups = 0;
    boolean shortened = false;
    int afterGap = -1;
    if (at(bytes, i, to) == ':' && at(bytes, i + 1, to) == ':') {
      shortened = true;
      i += 2;
      afterGap = i;
    }
    while (!(at(bytes, i, to) == ']' && i == afterGap)) {
      int start = i;
      while (i - start < 4 && Digits.hex(at(bytes, i, to)) >= 0) {
        i++;
      }
      byte next = at(bytes, i, to);
      if (next == '.') {
        groups += 2;
        i = ipv4End(bytes, start, to);
        if (at(bytes, i, to) != ']') {
          return -1;
        }
        break;
      }
      groups++;
      if (i == start || (next != ':' && next != ']')) {
        return -1;
      }
      if (next == ']') {
        break;
      }
      i++;
      if (at(bytes, i, to) == ':') {
        if (shortened) {
          return -1;
        }
        shortened = true;
        i++;
        afterGap = i;
      }
    }
    return (shortened ? groups <= 7 : groups == 8) ? i + 1 : -1;
  }

  /// Returns the index after four decimal numbers below 256, or -1.
  private static int ipv4End(byte[] bytes, int from, int to) {
    int i = from;
    for (int part = 0; part < 4; part++) {
      if (part > 0 && at(bytes, i++, to) != '.') {
        return -1;
      }
      int start = i;
      int value = 0;
      while (i - start < 3 && Digits.isDigit(at(bytes, i, to))) {
        value = value * 10 + bytes[i] - '0';
        i++;
      }
      if (i == start || value > 255) {
        return -1;
      }
    }
    return i;
  }

  private static byte at(byte[] bytes, int i, int to) {
    return i >= 0 && i < to ? bytes[i] : 0;
  }

  /// Returns true if the port is valid. An empty port is also valid and denotes the default port.
  private static boolean validPort(byte[] bytes, int from, int to) {
    if (to - from > 5) {
      return false;
    }
    int port = 0;
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      if (!Digits.isDigit(b)) {
        return false;
      }
      port = port * 10 + b - '0';
    }
    return port <= 0xffff;
  }
}
