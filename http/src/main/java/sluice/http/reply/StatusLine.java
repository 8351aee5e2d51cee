package sluice.http.reply;

import java.nio.charset.StandardCharsets;

/// Status lines and reason phrases, RFC 9112 section 4 and RFC 9110 section 15.
///
/// Immutable; any thread may read it.
public final class StatusLine {
  private static final int FIRST = 100;
  private static final byte[][] LINES = new byte[500][];

  static {
    for (int status = FIRST; status < FIRST + LINES.length; status++) {
      String reason = reason(status);
      if (!reason.isEmpty()) {
        LINES[status - FIRST] = encode(status, reason);
      }
    }
  }

  private StatusLine() {}

  private static byte[] encode(int status, String reason) {
    return ("HTTP/1.1 " + status + ' ' + reason + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /// Returns a status line such as `HTTP/1.1 200 OK` with its CRLF. Not a copy, and not to be
  /// changed. The phrase of a status without one is empty.
  ///
  /// @throws IllegalArgumentException if `status` is not from 100 to 599
  public static byte[] bytes(int status) {
    if (status < FIRST || status >= FIRST + LINES.length) {
      throw new IllegalArgumentException("not a status: " + status);
    }
    byte[] line = LINES[status - FIRST];
    return line != null ? line : encode(status, "");
  }

  /// Returns the registered phrase; empty for a status that has none.
  public static String reason(int status) {
    return switch (status) {
      case 100 -> "Continue";
      case 101 -> "Switching Protocols";
      case 103 -> "Early Hints";
      case 200 -> "OK";
      case 201 -> "Created";
      case 202 -> "Accepted";
      case 203 -> "Non-Authoritative Information";
      case 204 -> "No Content";
      case 205 -> "Reset Content";
      case 206 -> "Partial Content";
      case 300 -> "Multiple Choices";
      case 301 -> "Moved Permanently";
      case 302 -> "Found";
      case 303 -> "See Other";
      case 304 -> "Not Modified";
      case 307 -> "Temporary Redirect";
      case 308 -> "Permanent Redirect";
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 402 -> "Payment Required";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 406 -> "Not Acceptable";
      case 407 -> "Proxy Authentication Required";
      case 408 -> "Request Timeout";
      case 409 -> "Conflict";
      case 410 -> "Gone";
      case 411 -> "Length Required";
      case 412 -> "Precondition Failed";
      case 413 -> "Content Too Large";
      case 414 -> "URI Too Long";
      case 415 -> "Unsupported Media Type";
      case 416 -> "Range Not Satisfiable";
      case 417 -> "Expectation Failed";
      case 421 -> "Misdirected Request";
      case 422 -> "Unprocessable Content";
      case 425 -> "Too Early";
      case 426 -> "Upgrade Required";
      case 428 -> "Precondition Required";
      case 429 -> "Too Many Requests";
      case 431 -> "Request Header Fields Too Large";
      case 451 -> "Unavailable For Legal Reasons";
      case 500 -> "Internal Server Error";
      case 501 -> "Not Implemented";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      case 504 -> "Gateway Timeout";
      case 505 -> "HTTP Version Not Supported";
      case 507 -> "Insufficient Storage";
      case 511 -> "Network Authentication Required";
      default -> "";
    };
  }
}
