package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.cli.SourceTree.SourceFile;

/// Proves that each rule for packages can fail, with small trees that break it.
final class RoomRulesTest {
  @Test
  void aPackageHasAtMostFortyClasses() {
    List<SourceFile> files = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      files.add(source("nfs.v4", "A" + i, "class A" + i + " {}"));
    }
    files.add(source("nfs.v4", "package-info", "package sluice.nfs.v4;"));
    files.add(source("nfs", "B", "class B {}"));
    files.add(test("nfs.v4", "ATest", "class ATest {}"));
    assertThat(RoomRules.excess(files)).isEmpty();
    files.add(source("nfs.v4", "C", "class C {}"));
    assertThat(RoomRules.excess(files)).isEqualTo(Map.of("sluice.nfs.v4 files", 41));
  }

  @Test
  void aCircleHasAtMostSixClasses() {
    assertThat(RoomRules.excess(circle(6))).isEmpty();
    assertThat(RoomRules.excess(circle(7))).isEqualTo(Map.of("sluice.loop circle", 7));
    List<SourceFile> cut = new ArrayList<>(circle(7));
    cut.set(3, source("loop", "A3", "/// [A4]\nclass A3 { String a = \"A4\"; } // A4"));
    assertThat(RoomRules.excess(cut)).isEmpty();
    cut.set(3, source("loop", "A3", "class A3 { Object a = new B.A4(); }"));
    assertThat(RoomRules.excess(cut)).isEmpty();
    cut.set(3, source("loop", "A3", "class A3 { record A4() {} A4 a; }"));
    assertThat(RoomRules.excess(cut)).isEmpty();
    cut.set(3, source("loop", "A3", "import static sluice.loop.A4.LIMIT;\nclass A3 {}"));
    assertThat(RoomRules.excess(cut)).isEqualTo(Map.of("sluice.loop circle", 7));
  }

  /// Returns classes that each name the next one; the last names the first.
  private static List<SourceFile> circle(int size) {
    List<SourceFile> files = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      String code = "class A" + i + " { A" + (i + 1) % size + " next; }";
      files.add(source("loop", "A" + i, code));
    }
    return files;
  }

  @Test
  void aCommentHasAPlainSubject() {
    SourceFile file =
        source(
            "loop",
            "A",
            """
            /// Nobody reads it.
            /// The client reads it.
            class A { // for the loop
              String who = "whoever"; // who reads it
              /* Others
               * wait; somebody reads. */
            }
            """);
    assertThat(RoomRules.standIns(file)).isEqualTo(3);
    assertThat(RoomRules.excess(List.of(file, test("loop", "ATest", "// one that waits"))))
        .isEqualTo(Map.of("sluice.loop words", 4));
    String names = "class A { void harmsNobody() {} void whoReads() {} void wholeAndWhose() {} }";
    assertThat(RoomRules.standIns(source("loop", "A", names))).isEqualTo(2);
  }

  @Test
  void exceptionsAreExact() {
    Map<String, Integer> excepted =
        RoomRules.exceptions(List.of("sluice.loop files=126 circle=29", "sluice.nio words=3"));
    assertThat(excepted)
        .isEqualTo(
            Map.of("sluice.loop files", 126, "sluice.loop circle", 29, "sluice.nio words", 3));
    assertThat(RoomRules.compare(excepted, excepted)).isEmpty();
    assertThat(RoomRules.compare(Map.of("sluice.loop files", 41), Map.of()))
        .containsExactly("sluice.loop files: 41, at most 40");
    assertThat(
            RoomRules.compare(Map.of("sluice.loop circle", 30, "sluice.loop files", 125), excepted))
        .containsExactly(
            "sluice.loop circle: 30, at most 29",
            "sluice.loop files: less than its 126 in tidy-rooms.txt: lower it to 125",
            "sluice.nio words: less than its 3 in tidy-rooms.txt: take it out");
  }

  @Test
  void packagesNameOnlyThoseBelow() {
    Map<String, Set<String>> order =
        RoomRules.orders(
            List.of("sluice.fs:", "sluice.fs.block: sluice.fs", "sluice.fs.ext2: sluice.fs.block"));
    assertThat(order)
        .containsEntry("sluice.fs", Set.of())
        .containsEntry("sluice.fs.ext2", Set.of("sluice.fs.block"));
    List<SourceFile> files = new ArrayList<>();
    files.add(source("fs", "A", "/// [sluice.fs.block.B]\nclass A {}"));
    files.add(source("fs.block", "B", "import sluice.fs.A;\nimport sluice.loop.Loop;\nclass B {}"));
    files.add(source("fs.ext2", "C", "class C extends sluice.fs.block.B {}"));
    files.add(source("loop", "Loop", "class Loop {}"));
    assertThat(RoomRules.order(files, order)).isEmpty();
    files.set(2, source("fs.ext2", "C", "import static sluice.fs.A.B;\nclass C {}"));
    assertThat(RoomRules.order(files, order))
        .containsExactly("sluice.fs.ext2: may not name sluice.fs");
    files.set(2, source("fs.ext2.more", "C", "import sluice.fs.A;\nclass C {}"));
    assertThat(RoomRules.order(files, order))
        .containsExactly(
            "sluice.fs.ext2.more: no line in tidy-packages.txt; it names sluice.fs",
            "sluice.fs.ext2: no such package");
  }

  @Test
  void packagesHaveNoCircle() {
    Map<String, Set<String>> order =
        RoomRules.orders(List.of("sluice.vi: sluice.vi.device", "sluice.vi.device: sluice.vi"));
    List<SourceFile> files =
        List.of(
            source("vi", "A", "import sluice.vi.device.B;\nclass A {}"),
            source("vi.device", "B", "import sluice.vi.A;\nclass B {}"));
    assertThat(RoomRules.order(files, order))
        .containsExactly("packages in a circle: [sluice.vi, sluice.vi.device]");
  }

  @Test
  void circlesOfAGraph() {
    Map<String, Set<String>> edges =
        Map.of(
            "a", Set.of("b"),
            "b", Set.of("c", "e"),
            "c", Set.of("a", "d"),
            "d", Set.of("e"),
            "e", Set.of("d", "f"),
            "f", Set.of());
    assertThat(Circles.of(edges))
        .containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("d", "e"));
    assertThat(Circles.of(Map.of("a", Set.of("b"), "b", Set.of()))).isEmpty();
  }

  private static SourceFile source(String room, String name, String code) {
    return file("main", room, name, code);
  }

  private static SourceFile test(String room, String name, String code) {
    return file("test", room, name, code);
  }

  private static SourceFile file(String kind, String room, String name, String code) {
    String module = room.replaceAll("\\..*", "");
    String directory = module + "/src/" + kind + "/java/sluice/" + room.replace('.', '/');
    return new SourceFile(directory + "/" + name + ".java", code);
  }
}
