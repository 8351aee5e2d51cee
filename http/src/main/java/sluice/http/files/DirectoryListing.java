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

/// Renders a directory as an HTML page. The page contains the entries in a [ListingOrder] and the
/// path with links to the parent directories. It requires no scripts, external style sheets or
/// images.
///
/// Stateless, so any thread may call it. File names may contain any bytes. They are escaped for
/// HTML in text and percent-encoded byte by byte in links. Each link begins with `./` so that a
/// name cannot be interpreted as a URL scheme.
///
/// Limits: a page shows the first [#MOST_ENTRIES] entries by name, and fewer if long names would
/// make it larger than [#MOST_CHARACTERS]. The page then states the number of omitted entries.
final class DirectoryListing {
  static final int MOST_ENTRIES = 10_000;
  static final int MOST_CHARACTERS = 4 << 20;

  /// Holds the date format. It is created lazily because its initialization would account for a
  /// tenth of the server's start-up time.
  private static final class Time {
    static final DateTimeFormatter FORMAT =
        DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  /// The styles are part of the page, so that the browser sends no further requests. If a policy
  /// forbids inline styles, the page is displayed as a plain table. Colors follow the light or dark
  /// scheme of the reader.
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="robots" content="noindex">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>
      :root { color-scheme: light dark; --link: #0b57d0 }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; \
      padding: 0 1rem }
      h1 { font-size: 1.3rem; overflow-wrap: anywhere }
      table { width: 100%; border-collapse: collapse }
      th { text-align: left; position: sticky; top: 0; background: Canvas }
      th, td { padding: .3rem .6rem; border-bottom: 1px solid #8884; vertical-align: top }
      td:nth-child(n+2), th:nth-child(n+2) { text-align: right; white-space: nowrap; \
      font-variant-numeric: tabular-nums }
      td:first-child { overflow-wrap: anywhere }
      tr:hover td { background: #8881 }
      a { color: var(--link); text-decoration: none }
      a:hover, a:focus { text-decoration: underline }
      p { opacity: .75 }
      @media (prefers-color-scheme: dark) { :root { --link: #8ab4f8 } }
      @media (max-width: 36rem) { td:nth-child(3), th:nth-child(3) { display: none } }
      </style>
      <title>\
      """;

  /// The element around a name. It isolates the text direction of the name from the surrounding
  /// text and keeps the file extension on the right.
  private static final String BDI = "<bdi dir=\"ltr\">";

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private DirectoryListing() {}

  /// Returns the filter for a listing of `directory`. It excludes entries that the server would
  /// refuse to serve. Symbolic links are included regardless of their targets, because a listing
  /// does not follow them.
  static SiteFiles.Filter filter(SitePath directory, Site site) {
    return (name, kind) -> {
      boolean link = kind == FileStatus.SYMLINK && site.symlinks() != Site.Symlinks.REFUSE;
      return (kind == FileStatus.REGULAR || kind == FileStatus.DIRECTORY || link)
          && RequestPath.names(name)
          && !site.hides(directory.child(name));
    };
  }

  /// Returns the page for `directory` in UTF-8.
  static byte[] html(SitePath directory, SiteFiles.Listed listed, ListingOrder order) {
    List<SiteFiles.Entry> entries = order.sorted(listed.entries());
    StringBuilder page = new StringBuilder(2560 + entries.size() * 160);
    page.append(HEAD)
        .append("Index of ")
        .append(escaped(directory.toString()))
        .append("</title>\n</head>\n<body>\n<h1>");
    crumbs(page, directory);
    page.append("</h1>\n<table>\n<tr>");
    for (ListingOrder.Column each : ListingOrder.Column.values()) {
      head(page, each, order);
    }
    page.append("</tr>\n");
    if (!directory.isRoot()) {
      page.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
    }
    int shown = 0;
    while (shown < entries.size() && page.length() < MOST_CHARACTERS) {
      row(page, entries.get(shown++));
    }
    long more = listed.more() + entries.size() - shown;
    page.append("</table>\n<p>");
    if (more > 0) {
      page.append(more)
          .append(" more: only the first ")
          .append(shown)
          .append(" entries are shown.");
    } else {
      page.append(shown).append(shown == 1 ? " entry" : " entries");
    }
    return page.append("</p>\n</body>\n</html>\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  /// Appends the path, in which each name except the last links to its directory. The links are
  /// relative because a proxy may publish the site under a different path.
  private static void crumbs(StringBuilder page, SitePath directory) {
    int names = directory.names();
    for (int i = 0; i <= names; i++) {
      String name = i == 0 ? "" : new String(directory.name(i - 1), StandardCharsets.UTF_8);
      String text = BDI + escaped(name) + "/</bdi>";
      if (i == names) {
        page.append(text);
      } else {
        page.append("<a href=\"").repeat("../", names - i).append("\">").append(text);
        page.append("</a> ");
      }
    }
  }

  private static void head(StringBuilder page, ListingOrder.Column column, ListingOrder order) {
    page.append("<th");
    String mark = "";
    if (order.column == column) {
      page.append(order.isDown() ? " aria-sort=\"descending\"" : " aria-sort=\"ascending\"");
      mark = order.isDown() ? " \u2193" : " \u2191";
    }
    page.append("><a rel=\"nofollow\" href=\"")
        .append(order.after(column).link())
        .append("\">")
        .append(column.title)
        .append(mark)
        .append("</a></th>");
  }

  private static void row(StringBuilder page, SiteFiles.Entry entry) {
    FileStatus status = entry.status();
    String slash = status.isDirectory() ? "/" : "";
    page.append("<tr><td><a href=\"./")
        .append(encoded(entry.name()))
        .append(slash)
        .append("\">" + BDI)
        .append(escaped(new String(entry.name(), StandardCharsets.UTF_8)))
        .append(slash)
        .append("</bdi></a></td><td");
    if (status.isRegular()) {
      page.append(" title=\"")
          .append(status.sizeBytes)
          .append(" bytes\">")
          .append(readable(status.sizeBytes));
    } else {
      page.append('>');
    }
    long seconds = HttpDate.nearest(status.modifiedSeconds);
    page.append("</td><td>")
        .append(Time.FORMAT.format(Instant.ofEpochSecond(seconds)))
        .append("</td></tr>\n");
  }

  /// Returns the size in the largest unit in which it is at least 1. A value below ten has one
  /// decimal, so `3000000` is formatted as `2.9 MiB`.
  static String readable(long bytes) {
    double size = bytes;
    int unit = 0;
    while (Math.round(size) >= 1000 && unit < UNITS.length - 1) {
      size /= 1024;
      unit++;
    }
    long tenths = Math.round(size * 10);
    String number =
        unit == 0 || tenths >= 100 ? "" + Math.round(size) : tenths / 10 + "." + tenths % 10;
    return number + " " + UNITS[unit];
  }

  /// Escapes text for HTML. Markup characters become character references; control characters, line
  /// separators and characters that change the direction of text become U+FFFD.
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
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }

  /// Percent-encodes a name for a link. All bytes except for the unreserved characters are encoded
  /// (RFC 3986 section 2.3).
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
