package sluice.http.reply;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import sluice.http.parse.HttpRequest;
import sluice.http.text.Latin1;
import sluice.memory.View;

/// The built-in error pages for browsers: the status, a sentence about it and a link to the site's
/// start page, in the reader's colours and with inline styles. All other clients get the short page
/// of [ErrorPages], so that nothing changes for programs.
///
/// A request comes from a browser if it accepts `text/html` by name; `*/*`, as curl sends it, does
/// not count. The reply says `Vary: Accept`. The short page does not, as it suits every client.
///
/// Any thread may call. A page is created at its first use; two threads may create the same page,
/// and either copy is good. After that nothing is allocated.
final class BrowserPages {
  static final byte[] VARY = Latin1.bytes("Vary: Accept\r\n");

  private static final byte[] HTML = Latin1.bytes("text/html");

  private static final String PAGE =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="robots" content="noindex">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>
      :root { color-scheme: light dark; --link: #0b57d0 }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 2rem; \
      padding: 0 1rem }
      b { font-size: 4rem; line-height: 1; opacity: .6 }
      h1 { font-size: 1.4rem; margin: .5rem 0 }
      a { color: var(--link) }
      @media (prefers-color-scheme: dark) { :root { --link: #8ab4f8 } }
      </style>
      <title>TITLE</title>
      </head>
      <body>
      <b>STATUS</b>
      <h1>REASON</h1>
      <p>SENTENCE</p>
      <p><a href="/">Start page</a></p>
      </body>
      </html>
      """;

  private static final AtomicReferenceArray<byte[]> MADE =
      new AtomicReferenceArray<>(ErrorPages.COUNT);

  private BrowserPages() {}

  /// Returns true if the client names `text/html` among the types that it accepts. Allocates
  /// nothing.
  static boolean wants(HttpRequest request) {
    int line = request.findLine("Accept");
    while (line >= 0) {
      if (names(request.view(), request.valueFrom(line), request.valueTo(line))) {
        return true;
      }
      line = request.findLine("Accept", line + 1);
    }
    return false;
  }

  private static boolean names(View view, int from, int to) {
    int at = from;
    while (at < to) {
      int comma = view.indexOf((byte) ',', at, to);
      int end = comma < 0 ? to : comma;
      while (at < end && (view.get(at) == ' ' || view.get(at) == '\t')) {
        at++;
      }
      if (isHtml(view, at, end)) {
        return true;
      }
      at = end + 1;
    }
    return false;
  }

  /// Returns true if a member is `text/html`, with any parameters but a weight of zero.
  private static boolean isHtml(View view, int from, int to) {
    int end = from + HTML.length;
    if (end > to) {
      return false;
    }
    for (int i = 0; i < HTML.length; i++) {
      if ((view.get(from + i) | 0x20) != (HTML[i] | 0x20)) {
        return false;
      }
    }
    int at = end;
    while (at < to && (view.get(at) == ' ' || view.get(at) == '\t')) {
      at++;
    }
    return at == to || (view.get(at) == ';' && !isRefused(view, at, to));
  }

  /// Returns true if the last parameter is `q=0`, with only zeros after its point.
  private static boolean isRefused(View view, int from, int to) {
    int at = to;
    while (at > from && (view.get(at - 1) == '0' || view.get(at - 1) == '.')) {
      at--;
    }
    return at < to
        && at - from >= 2
        && view.get(at - 1) == '='
        && (view.get(at - 2) | 0x20) == 'q'
        && view.get(at) == '0';
  }

  /// Returns the page of a status from 400 to 599. Not a copy, and not to be changed.
  static byte[] body(int status) {
    byte[] made = MADE.get(status - ErrorPages.FIRST);
    if (made == null) {
      made = page(status).getBytes(StandardCharsets.UTF_8);
      MADE.set(status - ErrorPages.FIRST, made);
    }
    return made;
  }

  private static String page(int status) {
    String reason = StatusLine.reason(status);
    return PAGE.replace("TITLE", (status + " " + reason).strip())
        .replace("STATUS", Integer.toString(status))
        .replace("REASON", reason.isEmpty() ? "Error" : reason)
        .replace("SENTENCE", sentence(status));
  }

  private static String sentence(int status) {
    return switch (status) {
      case 401 -> "This page asks for a name and a password.";
      case 403 -> "This page is not open to you.";
      case 404 ->
          "There is no page at this address. It may have moved, or the address is misspelled.";
      case 405, 501 -> "This address cannot be used in this way.";
      case 410 -> "The page that was at this address is gone.";
      case 413 -> "What was sent is larger than this server takes.";
      case 414 -> "The address is longer than this server takes.";
      case 421 -> "This server has no site of this name.";
      case 429 -> "Too many requests came from your address. Try again in a moment.";
      case 431 -> "The browser sent more headers than this server takes. Cookies may be too many.";
      case 502, 504 -> "The application behind this server does not answer. Try again in a moment.";
      case 503 -> "The server is busy. Try again in a moment.";
      default ->
          status < 500
              ? "The server could not take this request."
              : "Something went wrong in the server. Try again later.";
    };
  }
}
