package sluice.http.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MimeTypesTest {
  @ParameterizedTest
  @CsvSource({
    "index.html,text/html; charset=utf-8,true",
    "/a.b/index.HTML,text/html; charset=utf-8,true",
    "a.min.js,text/javascript; charset=utf-8,true",
    "a.csv,text/csv; charset=utf-8,true",
    "a.md,text/markdown; charset=utf-8,true",
    "a.xhtml,application/xhtml+xml,true",
    "a.svg,image/svg+xml,true",
    "a.xml,application/xml,true",
    "a.webmanifest,application/manifest+json,true",
    "a.tar.gz,application/gzip,false",
    "a.mp3,audio/mpeg,false",
    "a.bin,application/octet-stream,false",
    "a,application/octet-stream,false",
    "a.,application/octet-stream,false",
    ".html,application/octet-stream,false",
    "/a/.html,application/octet-stream,false",
    "/a.html/b,application/octet-stream,false",
    "a.nosuchthing,application/octet-stream,false",
    "a.anextensionlongerthananyinthetable,application/octet-stream,false"
  })
  void types(String name, String contentType, boolean compressible) {
    assertThat(MimeTypes.of(name)).isEqualTo(new MimeType(contentType, compressible));
  }

  @Test
  void compiledInTypesAreThoseOfTheTable() {
    int common = 0;
    for (Map.Entry<String, MimeType> entry : MimeTypes.Table.TYPES.entrySet()) {
      MimeType type = MimeTypes.common(entry.getKey());
      if (type != null) {
        assertThat(type).as(entry.getKey()).isEqualTo(entry.getValue());
        common++;
      }
    }
    assertThat(common).isEqualTo(26);
    assertThat(MimeTypes.Table.TYPES).hasSizeGreaterThan(1000);
  }

  @Test
  void tableIsWellFormed() {
    MimeTypes.Table.TYPES.forEach((extension, type) -> {
      assertThat(extension).matches("[a-z0-9._+-]+").hasSizeLessThan(25);
      assertThat(type.contentType())
          .matches("[a-z-]+/[a-zA-Z0-9.+_-]+(; charset=utf-8)?")
          .doesNotContain("\r", "\n");
    });
  }
}
