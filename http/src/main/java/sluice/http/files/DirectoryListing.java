package sluice.http.files;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import sluice.http.parse.HttpDate;
import sluice.http.parse.RequestPath;
import sluice.http.site.Site;
import sluice.http.site.SitePath;

/// A directory as an HTML page: entries in the order of [FirstEntries]; no script, style sheet or
/// image from elsewhere.
///
/// Stateless: any thread may call. Names are escaped for HTML where they are shown and
/// percent-encoded byte by byte where they are links, whatever bytes they hold; each link begins
/// with `./`, so a name cannot pass for a scheme.
///
/// Limits: the first [#MOST_ENTRIES] entries, and fewer where their names are so long that the page
/// would have more than [#MOST_CHARACTERS]; the page says how many come behind them.
final class DirectoryListing {
  static final int MOST_ENTRIES = 10_000;
  static final int MOST_CHARACTERS = 4 << 20;

  /// Made when the first page is: it would be a tenth of the server's start.
  private static final class Time {
    static final DateTimeFormatter FORMAT =
        DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  /// Its styles are in the page, as nothing else is asked for; where a policy forbids them it is a
  /// plain table. Colours are the reader's, light or dark.
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="robots" content="noindex">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>
      :root { color-scheme: light dark }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; \
      padding: 0 1rem }
      h1 { font-size: 1.4rem; overflow-wrap: anywhere }
      table { width: 100%; border-collapse: collapse }
      th { text-align: left; font-weight: 600 }
      th, td { padding: .3rem .6rem; border-bottom: 1px solid #8884; vertical-align: top }
      td:nth-child(n+2), th:nth-child(n+2) { text-align: right; white-space: nowrap; \
      font-variant-numeric: tabular-nums }
      td:first-child { overflow-wrap: anywhere }
      tr:hover td { background: #8881 }
      a { text-decoration: none }
      a:hover, a:focus { text-decoration: underline }
      @media (max-width: 36rem) { td:nth-child(3), th:nth-child(3) { display: none } }
      </style>
      <title>\
      """;

  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private DirectoryListing() {}

  /// Leaves out the entries of `directory` that would be refused, but not links, wherever they
  /// lead: a listing follows none.
  static SiteFiles.Filter filter(SitePath directory, Site site) {
    return (name, kind) -> {
      boolean link = kind == FileStatus.SYMLINK && site.symlinks() != Site.Symlinks.REFUSE;
      return (kind == FileStatus.REGULAR || kind == FileStatus.DIRECTORY || link)
          && RequestPath.names(name)
          && !site.hides(directory.child(name));
    };
  }

  /// The page for `directory`, in UTF-8.
  static byte[] html(SitePath directory, SiteFiles.Listed listed) {
    List<SiteFiles.Entry> entries = listed.entries();
    StringBuilder page = new StringBuilder(2048 + entries.size() * 120);
    String title = "Index of " + escaped(directory.toString());
    page.append(HEAD)
        .append(title)
        .append("</title>\n</head>\n<body>\n<h1>")
        .append(title)
        .append("</h1>\n<table>\n<tr><th>Name</th><th>Bytes</th><th>Changed (UTC)</th></tr>\n");
    if (!directory.isRoot()) {
      page.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
    }
    int shown = 0;
    while (shown < entries.size() && page.length() < MOST_CHARACTERS) {
      row(page, entries.get(shown++));
    }
    long more = listed.more() + entries.size() - shown;
    page.append("</table>\n");
    if (more > 0) {
      page.append("<p>")
          .append(more)
          .append(" more: only the first ")
          .append(shown)
          .append(" entries are shown.</p>\n");
    }
    return page.append("</body>\n</html>\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void row(StringBuilder page, SiteFiles.Entry entry) {
    FileStatus status = entry.status();
    String slash = status.isDirectory() ? "/" : "";
    page.append("<tr><td><a href=\"./")
        .append(encoded(entry.name()))
        .append(slash)
        .append("\">")
        .append(escaped(new String(entry.name(), StandardCharsets.UTF_8)))
        .append(slash)
        .append("</a></td><td>");
    if (status.isRegular()) {
      page.append(status.sizeBytes);
    }
    long seconds = HttpDate.nearest(status.modifiedSeconds);
    page.append("</td><td>")
        .append(Time.FORMAT.format(Instant.ofEpochSecond(seconds)))
        .append("</td></tr>\n");
  }

  /// Text for HTML: markup characters as references; control characters, and those that turn the
  /// direction of text, as U+FFFD.
  static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> out.append(isMisleading(c) ? '\uFFFD' : c);
      }
    }
    return out.toString();
  }

  private static boolean isMisleading(char c) {
    return c < 0x20
        || (c >= 0x7f && c < 0xa0)
        || (c >= 0x202a && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }

  /// A name for a link: all but unreserved characters (RFC 3986 section 2.3) percent-encoded.
  static String encoded(byte[] name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(name.length * 3);
    for (byte b : name) {
      int c = b & 0xff;
      boolean unreserved =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '-'
              || c == '.'
              || c == '_'
              || c == '~';
      if (unreserved) {
        out.write(c);
      } else {
        out.write('%');
        out.write(HEX[c >>> 4]);
        out.write(HEX[c & 15]);
      }
    }
    return out.toString(StandardCharsets.US_ASCII);
  }
}
