package sluice.http;

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

/// Bodies of error replies: small built-in pages, or the site's own files.
///
/// Immutable; any thread may read it. Files are read once, when the server starts: an error must
/// not need the file system that may have caused it.
public final class ErrorPages {
  /// Content-Type of every page.
  public static final String CONTENT_TYPE = "text/html; charset=utf-8";

  /// Longest file that may serve as a page.
  public static final int MAX_BYTES = 256 << 10;

  private static final int FIRST = 400;

  private static final String BUILT_IN_HEAD =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>";

  private final byte[][] pages = new byte[200][];

  /// @param custom file to send for a status from 400 to 599, in HTML and UTF-8
  /// @throws IllegalArgumentException for any other status
  /// @throws SysException when a file cannot be read or is longer than [#MAX_BYTES]
  public ErrorPages(Map<Integer, Path> custom) throws SysException {
    for (Map.Entry<Integer, Path> entry : custom.entrySet()) {
      int status = entry.getKey();
      if (status < FIRST || status >= FIRST + pages.length) {
        throw new IllegalArgumentException("not the status of an error: " + status);
      }
      pages[status - FIRST] = read(entry.getValue());
    }
    for (int i = 0; i < pages.length; i++) {
      if (pages[i] == null) {
        pages[i] = builtIn(FIRST + i);
      }
    }
  }

  /// The page of a status from 400 to 599. Not a copy, and not to be changed.
  public byte[] body(int status) {
    return pages[status - FIRST];
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
    // Not with a format: two hundred pages are made before the server listens.
    String page =
        BUILT_IN_HEAD + title + "</title></head>\n<body><h1>" + title + "</h1></body></html>\n";
    return page.getBytes(StandardCharsets.UTF_8);
  }
}
