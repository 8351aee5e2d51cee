package sluice.http.reply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.parse.Bytes;
import sluice.sys.SysException;

class ErrorPagesTest {
  @TempDir Path directory;

  @Test
  void statusLines() {
    assertThat(StatusLine.bytes(200)).isEqualTo(Bytes.latin1("HTTP/1.1 200 OK\r\n"));
    assertThat(StatusLine.bytes(404)).isEqualTo(Bytes.latin1("HTTP/1.1 404 Not Found\r\n"));
    assertThat(StatusLine.bytes(599)).isEqualTo(Bytes.latin1("HTTP/1.1 599 \r\n"));
    assertThat(StatusLine.bytes(200)).isSameAs(StatusLine.bytes(200));
    assertThatThrownBy(() -> StatusLine.bytes(99)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> StatusLine.bytes(600)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void everyRefusalHasAReason() {
    for (int status : new int[] {400, 404, 405, 408, 412, 413, 414, 416, 417, 431, 501, 503, 505}) {
      assertThat(StatusLine.reason(status)).isNotEmpty();
    }
  }

  @Test
  void builtInPages() throws SysException {
    ErrorPages pages = new ErrorPages(Map.of());
    for (int status = 400; status < 600; status++) {
      assertThat(new String(pages.body(status), StandardCharsets.UTF_8))
          .startsWith("<!DOCTYPE html>")
          .contains("<h1>" + status);
    }
    assertThat(new String(pages.body(404), StandardCharsets.UTF_8)).contains("404 Not Found</h1>");
  }

  @Test
  void ownPages() throws IOException {
    Path file = Files.writeString(directory.resolve("404.html"), "<p>gone</p>");
    ErrorPages pages = new ErrorPages(Map.of(404, file));
    assertThat(pages.body(404)).isEqualTo(Bytes.latin1("<p>gone</p>"));
    assertThat(pages.body(403)).isNotEqualTo(pages.body(404));
  }

  @Test
  void ownPagesThatCannotBe() throws IOException {
    Path missing = directory.resolve("missing.html");
    assertThatThrownBy(() -> new ErrorPages(Map.of(404, missing)))
        .isInstanceOf(SysException.class)
        .hasMessageContaining("ENOENT")
        .hasMessageContaining(missing.toString());
    assertThatThrownBy(() -> new ErrorPages(Map.of(404, directory))).hasMessageContaining("EISDIR");
    Path large = Files.write(directory.resolve("large"), new byte[ErrorPages.MAX_BYTES + 1]);
    assertThatThrownBy(() -> new ErrorPages(Map.of(404, large))).hasMessageContaining("EFBIG");
    assertThatThrownBy(() -> new ErrorPages(Map.of(200, large)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
