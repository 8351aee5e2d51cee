package sluice.fs.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.ProviderMismatchException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Tests that both providers handle paths in the same way.
@Timeout(240)
@ParameterizedClass
@EnumSource(ContractProvider.class)
final class PathContractTest {
  private final ContractProvider ground;
  private ContractProvider.Directory directory;
  private FileSystem fs;

  PathContractTest(ContractProvider ground) {
    this.ground = ground;
  }

  @BeforeEach
  void open() throws IOException {
    directory = ground.directory();
    fs = directory.path().getFileSystem();
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  private Path path(String text) {
    return fs.getPath(text);
  }

  private void assertParts(String text, String root, String parent, String name, int count) {
    Path path = path(text);
    assertThat(String.valueOf(path.getRoot())).as(text).isEqualTo(root);
    assertThat(String.valueOf(path.getParent())).as(text).isEqualTo(parent);
    assertThat(String.valueOf(path.getFileName())).as(text).isEqualTo(name);
    assertThat(path.getNameCount()).as(text).isEqualTo(count);
    assertThat(path.isAbsolute()).as(text).isEqualTo(text.startsWith("/"));
    List<String> names = new ArrayList<>();
    path.forEach(one -> names.add(one.toString()));
    assertThat(names).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(path.getName(i)).hasToString(names.get(i));
    }
    if (count > 0) {
      assertThat(path.subpath(0, count)).hasToString(String.join("/", names));
    }
  }

  @Test
  void parts() {
    assertParts("/a/b/c", "/", "/a/b", "c", 3);
    assertParts("a/b/c", "null", "a/b", "c", 3);
    assertParts("/a", "/", "/", "a", 1);
    assertParts("a", "null", "null", "a", 1);
    assertParts("/", "/", "null", "null", 0);
    assertParts("", "null", "null", "", 1);
    assertParts("//a///b//", "/", "/a", "b", 2);
    assertParts("./../x", "null", "./..", "x", 3);
    assertParts("/ä/ö ü", "/", "/ä", "ö ü", 2);
    assertThat(fs.getPath("/a", "", "b/c", "d")).hasToString("/a/b/c/d");
    assertThat(fs.getPath("", "a", "", "b")).hasToString("a/b");
    assertThat(fs.getPath("", "/a")).hasToString("/a");
    assertThat(path("a/b/c/d").subpath(1, 3)).hasToString("b/c");
    assertThat(path("/a/b/c/d").subpath(1, 4)).hasToString("b/c/d");
    for (int[] wrong : new int[][] {{-1, 1}, {0, 5}, {2, 2}, {4, 4}}) {
      assertThatThrownBy(() -> path("a/b/c/d").subpath(wrong[0], wrong[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> path("/").getName(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> path("a").getName(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> path("a\0b")).isInstanceOf(InvalidPathException.class);
  }

  @Test
  void startsAndEnds() {
    String[][] starts = {
      {"/a/b", "/"},
      {"/a/b", "/a"},
      {"/a/b", "/a/b"},
      {"a/b", "a"},
      {"a", "a"},
      {"", ""},
      {"/", "/"}
    };
    for (String[] pair : starts) {
      assertThat(path(pair[0]).startsWith(pair[1])).as(String.join(" ", pair)).isTrue();
      assertThat(path(pair[0]).startsWith(path(pair[1]))).isTrue();
    }
    String[][] not = {
      {"/a/b", "/a/bc"},
      {"/ab", "/a"},
      {"/a", "a"},
      {"a", "/a"},
      {"a", ""},
      {"", "a"},
      {"/", ""},
      {"a/b", "a/b/c"},
      {"/a", "/a/b"}
    };
    for (String[] pair : not) {
      assertThat(path(pair[0]).startsWith(pair[1])).as(String.join(" ", pair)).isFalse();
    }
    String[][] ends = {
      {"/a/b", "b"},
      {"/a/b", "a/b"},
      {"/a/b", "/a/b"},
      {"a", "a"},
      {"a/b", "b"},
      {"", ""},
      {"/", "/"}
    };
    for (String[] pair : ends) {
      assertThat(path(pair[0]).endsWith(pair[1])).as(String.join(" ", pair)).isTrue();
    }
    String[][] notEnds = {
      {"/a/b", "/b"},
      {"/a/bc", "c"},
      {"a", "/a"},
      {"a", ""},
      {"", "a"},
      {"b", "a/b"},
      {"/a", "/"},
      {"/a/b/c", "/b/c"}
    };
    for (String[] pair : notEnds) {
      assertThat(path(pair[0]).endsWith(pair[1])).as(String.join(" ", pair)).isFalse();
    }
  }

  @Test
  void pathsOfAnotherProviderAreRefused() throws IOException {
    ContractProvider another =
        ground == ContractProvider.HOST ? ContractProvider.EXT2 : ContractProvider.HOST;
    try (ContractProvider.Directory other = another.directory()) {
      Path foreign = other.path().getFileSystem().getPath("a");
      assertThat(path("a").startsWith(foreign)).isFalse();
      assertThat(path("a").endsWith(foreign)).isFalse();
      assertThat(path("a").equals(foreign)).isFalse();
      assertThatThrownBy(() -> path("a").resolve(foreign))
          .isInstanceOf(ProviderMismatchException.class);
      assertThatThrownBy(() -> path("a").relativize(foreign))
          .isInstanceOf(ProviderMismatchException.class);
      assertThatThrownBy(() -> path("a").compareTo(foreign)).isInstanceOf(ClassCastException.class);
    }
  }

  @Test
  void resolvingAndNormalizing() {
    String[][] resolve = {
      {"/a", "b", "/a/b"}, {"/", "b", "/b"}, {"a", "b/c", "a/b/c"}, {"a", "/b", "/b"},
      {"a", "", "a"}, {"", "a", "a"}, {"", "", ""}, {"/a", "..", "/a/.."}
    };
    for (String[] row : resolve) {
      assertThat(path(row[0]).resolve(row[1])).as(String.join(" ", row)).hasToString(row[2]);
      assertThat(path(row[0]).resolve(path(row[1]))).hasToString(row[2]);
    }
    String[][] siblings = {{"/a/b", "c", "/a/c"}, {"a", "b", "b"}, {"/", "b", "b"}, {"a", "", ""}};
    for (String[] row : siblings) {
      assertThat(path(row[0]).resolveSibling(row[1])).as(String.join(" ", row)).hasToString(row[2]);
    }
    String[][] normal = {
      {"/a/./b", "/a/b"},
      {"/a/../b", "/b"},
      {"a/..", ""},
      {"..", ".."},
      {"../..", "../.."},
      {"a/../..", ".."},
      {"/..", "/"},
      {"/../../a", "/a"},
      {".", ""},
      {"./a", "a"},
      {"", ""},
      {"a/b/../../../c", "../c"},
      {"/a/b/..", "/a"},
      {"...", "..."},
      {"a/.b/..c", "a/.b/..c"}
    };
    for (String[] row : normal) {
      assertThat(path(row[0]).normalize()).as(String.join(" ", row)).hasToString(row[1]);
    }
  }

  @Test
  void relativizing() {
    String[][] rows = {
      {"/a/b", "/a/c", "../c"},
      {"/a", "/a/b/c", "b/c"},
      {"/a/b/c", "/a", "../.."},
      {"a", "a", ""},
      {"", ".", "."},
      {"", "..", ".."},
      {"./a", "./a", ""},
      {"", "a/b", "a/b"},
      {"a/b", "", "../.."},
      {"/", "/a", "a"},
      {"/a", "/", ".."},
      {"a", "b", "../b"},
      {"a/./b", "a/c", "../c"},
      {"a/../b", "b/c", "c"},
      {"..", "../a", "a"},
      {"a", "..", "../.."}
    };
    for (String[] row : rows) {
      Path relative = path(row[0]).relativize(path(row[1]));
      assertThat(relative).as(String.join(" ", row)).hasToString(row[2]);
      assertThat(path(row[0]).resolve(relative).normalize()).isEqualTo(path(row[1]).normalize());
    }
    for (String[] row :
        new String[][] {{"/a", "a"}, {"a", "/a"}, {"..", "a"}, {"a/../../b", "c"}}) {
      assertThatThrownBy(() -> path(row[0]).relativize(path(row[1])))
          .as(String.join(" ", row))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void order() {
    List<String> sorted = List.of("", "/", "/a", "/a/b", "/ab", "a", "a/b", "b", "ä");
    for (int i = 0; i < sorted.size(); i++) {
      for (int j = 0; j < sorted.size(); j++) {
        int compared = path(sorted.get(i)).compareTo(path(sorted.get(j)));
        assertThat(Integer.signum(compared)).isEqualTo(Integer.compare(i, j));
        assertThat(path(sorted.get(i)).equals(path(sorted.get(j)))).isEqualTo(i == j);
      }
      assertThat(path(sorted.get(i))).hasSameHashCodeAs(path(sorted.get(i)));
    }
  }

  @Test
  void matching() {
    String[][] match = {
      {"foo.html", "foo.html"},
      {"foo.html", "foo.h*"},
      {"foo.html", "*.html"},
      {"foo", "f??"},
      {"foo", "***"},
      {"a/b/c.java", "**.java"},
      {"a/b/c.java", "a/**/*.java"},
      {"a.b", "*.{b,c}"},
      {"a.c", "*.{b,c}"},
      {"abc", "[a-c]bc"},
      {"bbc", "[!a]bc"},
      {"-bc", "[-a]bc"},
      {"a]c", "a\\]c"},
      {"a*c", "a\\*c"},
      {"a*c", "a[*]c"},
      {"{a}", "\\{a\\}"},
      {"a,b", "a,b"},
      {"/a/b", "/**"},
      {"a+b.(c)", "a+b.(c)"},
      {"a&b", "[a]&[b]"},
      {"^", "[\\^]"},
      {"öä", "ö?"},
      {"a}b", "a}b"},
      {"foo.java", "{*.{java}"},
      {"ab", "a{,b}"},
      {"a", "a{,b}"},
      {"ac", "a[!b]"}
    };
    for (String[] row : match) {
      if (row[1].equals("{*.{java}")) {
        assertThatThrownBy(() -> fs.getPathMatcher("glob:" + row[1]))
            .isInstanceOf(PatternSyntaxException.class);
      } else {
        PathMatcher matcher = fs.getPathMatcher("glob:" + row[1]);
        assertThat(matcher.matches(path(row[0]))).as(String.join(" ", row)).isTrue();
      }
    }
    String[][] not = {
      {"foo.html", "foo.h"},
      {"a/b", "a*b"},
      {"a/b", "a?b"},
      {"a/b", "a[/]b"},
      {"abc", "[!a]bc"},
      {"a/b/c", "a/*"},
      {"aXb", "a.b"},
      {"a/c", "a[!b]c"}
    };
    for (String[] row : not) {
      if (row[1].contains("[/]")) {
        assertThatThrownBy(() -> fs.getPathMatcher("glob:" + row[1]))
            .isInstanceOf(PatternSyntaxException.class);
      } else {
        PathMatcher matcher = fs.getPathMatcher("glob:" + row[1]);
        assertThat(matcher.matches(path(row[0]))).as(String.join(" ", row)).isFalse();
      }
    }
    for (String wrong : List.of("*[a-z", "{foo,bar", "\\", "[", "[]", "[c-a]", "{a,{b}}")) {
      assertThatThrownBy(() -> fs.getPathMatcher("glob:" + wrong))
          .as(wrong)
          .isInstanceOf(PatternSyntaxException.class);
    }
    assertThat(fs.getPathMatcher("regex:.*\\.[jJ]ava").matches(path("X.java"))).isTrue();
    assertThatThrownBy(() -> fs.getPathMatcher("perl:x"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> fs.getPathMatcher("nothing"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void urisLeadBack() {
    for (String name :
        List.of("plain", "with space", "100%", "ä", "a!b", "a#b?c", "a;b=c", "\u0001")) {
      Path path = directory.path().resolve(name);
      assertThat(Path.of(path.toUri())).isEqualTo(path);
      assertThat(path.toUri()).hasScheme(ground == ContractProvider.HOST ? "file" : "ext2");
    }
    assertThat(path("a").toAbsolutePath().isAbsolute()).isTrue();
    assertThat(path("/a").toAbsolutePath()).isEqualTo(path("/a"));
  }
}
