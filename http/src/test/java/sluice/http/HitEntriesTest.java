package sluice.http;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A request that is answered from the cache calls no method of the loop: with the completion of
/// its receive, it enters the loop once. Beyond, only connections that open or drain, fills of the
/// cache and messages for slow handlers do.
final class HitEntriesTest {
  private static final String LOOP = "sluice/loop/Loop";

  /// What may call the loop: none of it runs for a hit.
  private static final List<String> OFF_THE_WAY =
      List.of(
          "FrontProtocol.tell",
          "HttpAccess.check",
          "HttpHandlers.defer",
          "HttpParts.serving",
          "HttpProtocol.publishTo",
          "HttpProtocol.toString",
          "HttpSums.sumOfLoops",
          "SiteService.closeWhenIdle",
          "SiteService.drainWhileOpen",
          "SiteService.lambda$start$0",
          "SiteService.start");

  @Test
  void aHitDoesNotCallTheLoop() throws Exception {
    Path root =
        Path.of(HttpProtocol.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    TreeSet<String> callers;
    try (Stream<Path> files = Files.walk(root.resolve("sluice/http"))) {
      callers =
          files
              .filter(file -> file.toString().endsWith(".class"))
              .map(HitEntriesTest::parsed)
              .flatMap(HitEntriesTest::callersIn)
              .filter(each -> !each.startsWith("FrontServer") && !each.endsWith(".<init>"))
              .collect(toCollection(TreeSet::new));
    }
    assertThat(callers).contains("HttpHandlers.defer").isSubsetOf(OFF_THE_WAY);
  }

  private static ClassModel parsed(Path file) {
    try {
      return ClassFile.of().parse(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Stream<String> callersIn(ClassModel model) {
    String path = model.thisClass().asInternalName();
    String name = path.substring(path.lastIndexOf('/') + 1);
    return model.methods().stream()
        .filter(method ->
            method.code().stream()
                .flatMap(code -> code.elementStream())
                .anyMatch(element ->
                    element instanceof InvokeInstruction call
                        && call.owner().asInternalName().equals(LOOP)))
        .map(method -> name + "." + method.methodName().stringValue());
  }
}
