package sluice.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import sluice.cli.console.Output;
import sluice.cli.fs.FsLs;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.host.disk.copy.CopyWarnings;
import sluice.host.disk.copy.HostSystemCalls;
import sluice.host.text.FailureMessage;
import sluice.host.text.TerminalText;

/// Tests that names in an image cannot affect the terminal in any command.
@Timeout(120)
final class TerminalTextTest {
  private static final byte[] CLEARS = "\033[2J\033]0;owned\007".getBytes(UTF_8);

  @TempDir Path directory;

  private static String name(String text) {
    return TerminalText.name(text.getBytes(UTF_8));
  }

  @Test
  void namesAreWrittenAsLsDoes() {
    assertThat(name("plain name.txt")).isEqualTo("plain name.txt");
    assertThat(name("héé 日本 👩\u200d💻")).isEqualTo("héé 日本 👩\u200d💻");
    assertThat(name("\033[2J")).isEqualTo("\\033[2J");
    assertThat(name("a\nb\tc\rd\007\b\013\f\177\0"))
        .isEqualTo("a\\nb\\tc\\rd\\a\\b\\v\\f\\177\\000");
    assertThat(name("back\\slash")).isEqualTo("back\\\\slash");
    assertThat(name("\u009b2J")).as("CSI of eight bits").isEqualTo("\\302\\2332J");
    assertThat(name("\u202egpj.exe")).as("the other way round").isEqualTo("\\342\\200\\256gpj.exe");
    assertThat(
            TerminalText.name(new byte[] {'x', (byte) 0x9B, (byte) 0xFF, (byte) 0xE6, (byte) 0x97}))
        .isEqualTo("x\\233\\377\\346\\227");
    assertThat(TerminalText.name(new byte[] {(byte) 0xC0, (byte) 0x8A})).isEqualTo("\\300\\212");
    assertThat(TerminalText.name(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}))
        .as("half a surrogate")
        .isEqualTo("\\355\\240\\200");
    assertThat(TerminalText.name(new byte[0])).isEmpty();
  }

  private static void assertHarmless(String text) {
    assertThat(text.chars().filter(c -> Character.isISOControl(c) && c != '\n')).isEmpty();
  }

  /// Escapes random names. The output must be harmless, and no two names may look alike.
  @Test
  void noTwoNamesLookAlike() {
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(12)];
      random.nextBytes(bytes);
      String shown = TerminalText.name(bytes);
      assertHarmless(shown);
      assertThat(shown).doesNotContain("\n");
      assertThat(unescaped(shown)).isEqualTo(bytes);
    }
  }

  private static byte[] unescaped(String shown) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int at = 0; at < shown.length(); ) {
      int c = shown.codePointAt(at);
      at += Character.charCount(c);
      if (c != '\\') {
        bytes.writeBytes(Character.toString(c).getBytes(UTF_8));
        continue;
      }
      char letter = shown.charAt(at);
      if (letter == '\\') {
        bytes.write('\\');
      } else if (letter >= '0' && letter <= '3') {
        bytes.write(Integer.parseInt(shown, at, at + 3, 8));
        at += 2;
      } else {
        bytes.write(7 + "abtnvfr".indexOf(letter));
      }
      at++;
    }
    return bytes.toByteArray();
  }

  @Test
  void messagesKeepTheirLinesAndNoOtherControl() {
    assertThat(TerminalText.message("call(x\033[1m): EIO\n  Why: a\\b"))
        .isEqualTo("call(x\\033[1m): EIO\n  Why: a\\b");
    assertThat(TerminalText.line("a\nb")).isEqualTo("a\\nb");
    assertThat(FailureMessage.text(new NoSuchFileException("x\n\033[2J")))
        .isEqualTo("x\\n\\033[2J does not exist. Fix: name one that does");
    assertHarmless(FailureMessage.text(new IllegalStateException("\033[2J")));
  }

  private FsRig image() throws Exception {
    FsRig rig = new FsRig(directory);
    assertThat(rig.run("mkfs", "--size", "4M", rig.image().toString())).isZero();
    try (MountedImage mounted = rig.mounted()) {
      Ext2 tree = mounted.tree();
      long made = tree.create(Caller.ROOT, 2, "d".getBytes(UTF_8), NewFile.directory(0755));
      tree.create(Caller.ROOT, made, CLEARS, NewFile.regular(0644));
      tree.create(Caller.ROOT, made, "two\nlines".getBytes(UTF_8), NewFile.regular(0644));
      tree.create(Caller.ROOT, made, "link".getBytes(UTF_8), NewFile.symlink(CLEARS));
      tree.create(Caller.ROOT, made, "\377\033".getBytes(ISO_8859_1), NewFile.directory(0755));
    }
    return rig;
  }

  @Test
  void lsEscapesThem() throws Exception {
    FsRig rig = image();
    String image = rig.image().toString();
    assertThat(rig.run("ls", image, "/d")).isZero();
    assertThat(rig.out())
        .isEqualToNormalizingNewlines("\\033[2J\\033]0;owned\\a\nlink\ntwo\\nlines\n\\377\\033\n");
    assertThat(rig.run("ls", "-l", image, "/d")).isZero();
    assertThat(rig.out()).contains(" link -> \\033[2J\\033]0;owned\\a");
    assertHarmless(rig.out());
    assertThat(rig.run("ls", "--help")).isZero();
    assertThat(rig.out()).contains("\\033").contains("--zero");
    assertThat(rig.run("ls", "-l", "--zero", image)).isEqualTo(2);
  }

  private static CommandLine below(CommandLine commands, String name) {
    return Objects.requireNonNull(commands.getSubcommands().get(name));
  }

  @Test
  void lsGivesThemExactlyToPrograms() throws Exception {
    FsRig rig = image();
    CommandLine commands = Commands.commandLine();
    FsLs ls = below(below(commands, "fs"), "ls").getCommand();
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    ls.standard = new Output(to);
    assertThat(rig.run(commands, "ls", "--zero", rig.image().toString(), "/d")).isZero();
    String clears = new String(CLEARS, ISO_8859_1);
    assertThat(to.toString(ISO_8859_1)).isEqualTo(clears + "\0link\0two\nlines\0\377\033\0");
    assertThat(rig.out()).isEmpty();
  }

  /// Checks the messages of cp about names in its way, and of fsck about names that contradict each
  /// other.
  @Test
  void otherCommandsEscapeThemToo() throws Exception {
    FsRig rig = image();
    String image = rig.image().toString();
    String out = directory.resolve("out").toString();
    List<String> said = new ArrayList<>();
    Files.createDirectories(HostSystemCalls.below(Path.of(out), CLEARS));
    assertThat(rig.run("cp", image, ":/d/" + new String(CLEARS, UTF_8), out)).isEqualTo(1);
    said.add(rig.err());
    assertThat(rig.run("cp", image, ":/d/" + new String(CLEARS, UTF_8) + "x", out)).isEqualTo(1);
    said.add(rig.err());
    assertThat(rig.run("cat", image, "/d/\033")).isEqualTo(1);
    said.add(rig.err());
    assertThat(rig.run("ls", image, "/\033\n")).isEqualTo(1);
    said.add(rig.err());
    assertThat(rig.run("fsck", image)).isZero();
    StringWriter text = new StringWriter();
    CopyWarnings warnings = new CopyWarnings(new PrintWriter(text, true));
    Path named = HostSystemCalls.below(directory, CLEARS);
    warnings.tell(named + ": forged\nsluice: all is well");
    warnings.owner(named);
    warnings.list(named);
    assertThat(warnings.end()).isTrue();
    assertThat(text.toString().lines()).hasSize(3);
    said.add(text.toString());
    assertThat(said)
        .allSatisfy(TerminalTextTest::assertHarmless)
        .allSatisfy(s -> assertThat(s).contains("\\033"));
  }
}
