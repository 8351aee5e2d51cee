package sluice.bench.iozone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;
import sluice.bench.Benches;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Table;
import sluice.bench.run.Options;
import sluice.bench.run.Series;
import sluice.bench.run.Workspace;

/// The cases, workers and surfaces of `bench iozone`, all but the mounts.
final class IozoneTest {
  @TempDir Path folder;

  @Test
  void casesFillTheTriangleBelowEachFileLength() {
    List<IozoneCase> cases = IozoneCase.all();
    Set<String> names = new HashSet<>();
    for (IozoneCase one : cases) {
      assertThat(names.add(one.name())).as(one.name()).isTrue();
      assertThat(one.fileBytes() % one.recordBytes()).isZero();
      assertThat(one.recordBytes()).isBetween(4096, IozoneTarget.MAX_RECORD_BYTES);
      assertThat(one.quick() && one.isLarge()).isFalse();
    }
    assertThat(names)
        .contains("write 4KB/4KB", "reread 512KB/256KB", "rewrite 1GB/16MB", "read 16MB/4KB")
        .contains("write 128KB/32KB", "reread 512KB/512KB", "read 8KB/4KB")
        .contains("extend 512KB/4KB", "write+fsync 64KB/4KB", "rewrite+fsync 16MB/16MB")
        .doesNotContain("read+fsync 4KB/4KB", "reread 4KB/16KB");
    assertThat(cases.stream().filter(IozoneCase::quick).map(IozoneCase::surface))
        .contains("write", "extend", "rewrite", "read", "reread");
  }

  @Test
  void systemsAndCasesAreChecked() {
    Bench bench = Benches.named("iozone");
    bench.check(Options.parse(List.of("iozone", "--cases", "reread 4KB")));
    bench.check(Options.parse(List.of("iozone", "--peers", "pread-fuse2fs,pread-ext2-aligned")));
    assertThatThrownBy(() -> bench.check(Options.parse(List.of("iozone", "--peers", "nginx"))))
        .hasMessageContaining("nginx")
        .hasMessageContaining("filechannel-fuse2fs");
    assertThatThrownBy(() -> bench.check(Options.parse(List.of("iozone", "--cases", "sort"))))
        .hasMessage("no case of iozone begins with sort; sluice bench iozone --help lists them");
  }

  @Test
  void channelsMeasureEveryOperation() throws IOException {
    for (boolean aligned : new boolean[] {false, true}) {
      try (IozoneTarget target = new IozoneChannel(folder, aligned)) {
        measuresEveryOperation(target, false);
      }
    }
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void ourTreesMeasureEveryOperationAndSlices() throws IOException {
    for (String kind : List.of("memory", "journal")) {
      try (IozoneTarget target = IozoneTree.of(kind, folder, 32 << 20, 16 << 20)) {
        measuresEveryOperation(target, true);
      }
    }
  }

  private static void measuresEveryOperation(IozoneTarget target, boolean slices)
      throws IOException {
    IozonePasses passes = new IozonePasses(target);
    for (IozoneOperation operation : IozoneOperation.values()) {
      for (String sizes : List.of("4096 4096", "65536 4096", "65536 65536")) {
        String line = operation.word() + " " + sizes + " 1 ";
        assertThat(IozoneMain.answer(passes, line + "0")).startsWith("ok ");
        if (!operation.reads()) {
          assertThat(IozoneMain.answer(passes, line + "1")).startsWith("ok ");
        } else if (slices) {
          assertThat(IozoneMain.answer(passes, line + "0 1")).startsWith("ok ");
        }
      }
    }
    assertThat(IozoneMain.answer(passes, "reread 4096 8192 1 0")).startsWith("error ");
    assertThat(IozoneMain.answer(passes, "sort 4096 4096 1 0")).startsWith("error ");
  }

  @Test
  void theProgramInCMeasuresEveryOperation() throws IOException {
    try (Workspace workspace = Workspace.open()) {
      List<String> command = List.of(workspace.iozonePeer().toString(), folder.toString());
      try (IozoneWorker worker = IozoneWorker.start(command, workspace.temporary("c.log"))) {
        for (IozoneOperation operation : IozoneOperation.values()) {
          for (boolean sync : new boolean[] {false, true}) {
            IozoneCase one = new IozoneCase(operation, sync && !operation.reads(), 65_536, 4096);
            assertThat(worker.measure(one, false, 1).nanos()).isPositive();
          }
        }
        IozoneCase wrong = new IozoneCase(IozoneOperation.READ, false, 4096, 8192);
        assertThatThrownBy(() -> worker.measure(wrong, false, 1)).hasMessageContaining("sizes");
      }
    }
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aWorkerThatDoesNotComeUpSaysWhy() throws IOException {
    Path log = folder.resolve("log");
    List<String> command = List.of("sh", "-c", "echo no such thing >&2; exit 1");
    assertThatThrownBy(() -> IozoneWorker.start(command, log))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no such thing");
  }

  @Test
  void surfacesAreDrawnForEachSystem() throws Exception {
    Series ours = new Series("sluice/memory", false);
    Series theirs = new Series("pread-ext2", false);
    ours.addRound(Map.of("ns_per_record", 80.0));
    theirs.addRound(Map.of("ns_per_record", 800.0));
    CaseResult result =
        new CaseResult("iozone", "reread 512KB/4KB", List.of(ours, theirs), Map.of());
    String svg = Benches.named("iozone").plot(List.of(result), "a & b");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
    assertThat(svg).contains("sluice/memory", "pread-ext2", ">51,200<", ">5,120<", "a &amp; b");
    assertThat(result.mainMetric()).isEqualTo("ns_per_record");
    assertThat(Table.summary(List.of(result), "ns_per_record")).contains("reread 512KB/4KB", "80");
  }
}
