package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import sluice.fs.E2fsprogs;

/// Runs `e2fsck -fn` thousands of times. A shell starts it in a millisecond, while this process,
/// with its large memory, takes ten times as long. Confined to the test's thread.
final class E2fsckLoop implements AutoCloseable {
  /// The limit of the output. For some images e2fsck prints more than fits into memory.
  private static final int MOST_OUTPUT_BYTES = 64 << 10;

  private final Path output;
  private final Process shell;
  private final Writer in;
  private final BufferedReader out;

  E2fsckLoop(Path folder) throws IOException {
    output = folder.resolve("e2fsck-output");
    String loop =
        "export PATH=$PATH:/usr/sbin:/sbin; while read -r image; do"
            + " timeout 60 e2fsck -fn \"$image\" >\"$0\" 2>&1; echo $?; done";
    shell = new ProcessBuilder("sh", "-c", loop, output.toString()).start();
    in = shell.outputWriter(StandardCharsets.UTF_8);
    out = shell.inputReader(StandardCharsets.UTF_8);
  }

  /// Returns the output of e2fsck and its exit code.
  E2fsprogs.Result check(Path image) throws IOException {
    in.write(image + "\n");
    in.flush();
    String code = out.readLine();
    assertThat(code).as("the shell that runs e2fsck ended").isNotNull();
    byte[] begin;
    try (InputStream said = Files.newInputStream(output)) {
      begin = said.readNBytes(MOST_OUTPUT_BYTES);
    }
    String text = new String(begin, StandardCharsets.ISO_8859_1);
    return new E2fsprogs.Result(Integer.parseInt(code), text);
  }

  @Override
  public void close() throws IOException {
    in.close();
    shell.destroy();
  }
}
