package sluice.http.reply;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The bodies of error replies: small built-in pages, or the site's own files. Browsers get the
/// pages of [BrowserPages] in place of the built-in ones.
///
/// Any thread may call. Files are read when the server starts and by [#reload]: an error reply must
/// not need the file system that may have caused the error.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | pages | constructor, the thread that reloads | volatile | volatile, a whole new table |
public final class ErrorPages {
  /// The Content-Type of every page.
  public static final String CONTENT_TYPE = "text/html; charset=utf-8";

  /// The longest file that may serve as a page.
  public static final int MAX_BYTES = 256 << 10;

  static final int FIRST = 400;

  private static final String BUILT_IN_HEAD =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>";

  static final int COUNT = 200;

  private final Map<Integer, Path> custom;
  private final boolean[] own = new boolean[COUNT];
  private volatile byte[][] pages;

  /// Reads the pages.
  ///
  /// @param custom file to send for a status from 400 to 599, in HTML and UTF-8
  /// @throws IllegalArgumentException for any other status
  /// @throws SysException if a file cannot be read or is longer than [#MAX_BYTES]
  public ErrorPages(Map<Integer, Path> custom) throws SysException {
    this.custom = Map.copyOf(custom);
    this.pages = load();
  }

  /// Reads the files again for all later replies. All or none: if one cannot be read, every page
  /// stays as it was.
  ///
  /// @throws SysException if a file cannot be read or is longer than [#MAX_BYTES]
  public void reload() throws SysException {
    pages = load();
  }

  private byte[][] load() throws SysException {
    byte[][] loaded = new byte[COUNT][];
    for (Map.Entry<Integer, Path> entry : custom.entrySet()) {
      int status = entry.getKey();
      if (status < FIRST || status >= FIRST + COUNT) {
        throw new IllegalArgumentException("not the status of an error: " + status);
      }
      own[status - FIRST] = true;
      loaded[status - FIRST] = read(entry.getValue());
    }
    for (int i = 0; i < COUNT; i++) {
      if (loaded[i] == null) {
        loaded[i] = builtIn(FIRST + i);
      }
    }
    return loaded;
  }

  /// Returns the page of a status from 400 to 599. Not a copy, and not to be changed.
  public byte[] body(int status) {
    return pages[status - FIRST];
  }

  /// Returns true if the site has a page of its own for a status.
  boolean isOwn(int status) {
    return own[status - FIRST];
  }

  private static byte[] read(Path file) throws SysException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw SysException.of(Errno.EFBIG, "read", file, "at most " + MAX_BYTES);
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw SysException.of(Errno.ENOENT, "open", file);
    } catch (AccessDeniedException e) {
      throw SysException.of(Errno.EACCES, "open", file);
    } catch (SysException e) {
      throw e;
    } catch (IOException e) {
      throw SysException.of(Files.isDirectory(file) ? Errno.EISDIR : Errno.EIO, "read", file);
    }
  }

  private static byte[] builtIn(int status) {
    String reason = StatusLine.reason(status);
    String title = reason.isEmpty() ? Integer.toString(status) : status + " " + reason;
    // Without String.format: two hundred pages are made before the server listens.
    String page =
        BUILT_IN_HEAD + title + "</title></head>\n<body><h1>" + title + "</h1></body></html>\n";
    return page.getBytes(StandardCharsets.UTF_8);
  }
}
