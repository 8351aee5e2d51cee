package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.http.HttpsRedirect;
import sluice.verify.ClassFiles;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.Verification;
import sluice.verify.Verifier;

/// Tests the verdict on handlers of the unchanged examples and of `serve`.
final class ExampleVerdictTest {
  @TempDir Path directory = Path.of(".");

  private static Verification.Entry entry(Component part, String type, String method) {
    return Verifier.entry(
        part,
        CostTable.standard(),
        new Limits(1 << 16, Limits.DEFAULT.maxBytecodes()),
        type,
        method);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "isocket/WordServer.java WordServer$1 handleInterrupt([B)[B true",
        "greeting/Greeting.java Greeting "
            + "handle(Lsluice/http/plugin/ViewRequest;Lsluice/http/plugin/ViewReply;)V true",
        "interruptlet/CachedLookup.java CachedLookup "
            + "lambda$known$0(Lsluice/memory/View;Lsluice/loop/Output;)Z false",
      })
  void handlersOfExamples(String source, String type, String method, boolean isBounded)
      throws IOException {
    Path file = SourceTree.find().root().resolve("examples").resolve(source);
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                directory.toString(),
                "--module-path",
                System.getProperty("jdk.module.path"),
                "--add-modules",
                "ALL-MODULE-PATH",
                file.toString());
    assertThat(result).isZero();
    Component part = Component.part();
    ClassFiles.read(directory, part::add);
    Verification.Entry found = entry(part, type, method);
    assertThat(found.verdict().isAccepted()).as(found.toString()).isEqualTo(isBounded);
  }

  @Test
  void theRedirectToHttps() throws IOException {
    Component part = Component.part();
    try (InputStream in =
        Objects.requireNonNull(HttpsRedirect.class.getResourceAsStream("HttpsRedirect.class"))) {
      part.add("HttpsRedirect", in.readAllBytes());
    }
    Verification.Entry found =
        entry(
            part,
            HttpsRedirect.class.getName(),
            "answer(Lsluice/http/parse/HttpRequest;Lsluice/http/handlers/HttpReply;)Z");
    assertThat(found.verdict().isAccepted()).as(found.toString()).isTrue();
  }
}
