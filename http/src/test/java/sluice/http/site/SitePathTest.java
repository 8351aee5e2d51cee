package sluice.http.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SitePathTest {
  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void splitsIntoNames() {
    SitePath path = SitePath.of("/a/bc/d.html");
    assertThat(path.names()).isEqualTo(3);
    assertThat(text(path.name(0))).isEqualTo("a");
    assertThat(text(path.name(2))).isEqualTo("d.html");
    assertThat(path.trailingSlash()).isFalse();
    assertThat(text(path.prefix(2).bytes())).isEqualTo("a/bc");
    assertThat(path.prefix(0)).isSameAs(SitePath.ROOT);
    assertThat(path).hasToString("/a/bc/d.html");
  }

  @Test
  void knowsTheRootAndTrailingSlashes() {
    assertThat(SitePath.of("/")).isSameAs(SitePath.ROOT);
    assertThat(SitePath.of("")).isSameAs(SitePath.ROOT);
    assertThat(SitePath.ROOT.names()).isZero();
    SitePath directory = SitePath.of("/a/");
    assertThat(directory.names()).isEqualTo(1);
    assertThat(directory.trailingSlash()).isTrue();
    assertThat(directory).isNotEqualTo(SitePath.of("/a")).hasToString("/a/");
  }

  @Test
  void addsChildrenAndSuffixes() {
    byte[] name = "x".getBytes(StandardCharsets.UTF_8);
    assertThat(SitePath.ROOT.child(name)).isEqualTo(SitePath.of("/x"));
    assertThat(SitePath.of("/a/").child(name)).isEqualTo(SitePath.of("/a/x"));
    assertThat(SitePath.of("/a/x").withSuffix(".gz")).isEqualTo(SitePath.of("/a/x.gz"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"//", "/a//b", "/.", "/..", "/a/../b", "/a/.", "/./a", "a\0b", "/a//"})
  void refusesWhatIsNotCanonical(String path) {
    assertThatThrownBy(() -> SitePath.of(path)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesChildrenThatAreNotOneName() {
    for (String name : new String[] {"", ".", "..", "a/b"}) {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> SitePath.ROOT.child(bytes))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void hidesDotNamesButTheWellKnownOne() {
    assertThat(SitePath.of("/.git/config").isHidden()).isTrue();
    assertThat(SitePath.of("/a/.htaccess").isHidden()).isTrue();
    assertThat(SitePath.of("/...").isHidden()).isTrue();
    assertThat(SitePath.of("/.well-known/acme-challenge/x").isHidden()).isFalse();
    assertThat(SitePath.of("/.well-known/.secret").isHidden()).isTrue();
    assertThat(SitePath.of("/a/.well-known/x").isHidden()).isTrue();
    assertThat(SitePath.of("/a.b/c.").isHidden()).isFalse();
  }

  @Test
  void takesAnyBytes() {
    byte[] bytes = {'/', (byte) 0xff, (byte) 0xc0, '/', 'x'};
    SitePath path = SitePath.of(bytes, 0, bytes.length);
    assertThat(path.name(0)).containsExactly(0xff, 0xc0);
  }
}
