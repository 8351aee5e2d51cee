package sluice.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Progress;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2Check;
import sluice.host.disk.MountedImage;
import sluice.host.disk.UnmountWait;
import sluice.host.text.FailureMessage;
import sluice.host.text.ShellWord;
import sluice.host.text.TerminalText;

/// Implements the command `sluice fs fsck`. It runs in the main thread.
///
/// The exit codes are the same as for `fsck(8)`, where 0 means clean, 4 means that errors were
/// left, and 8 means that the check failed. A journal that was left by a crash is not an error,
/// because it is replayed in memory first.
@Command(
    name = "fsck",
    description = {
      "Looks whether an image contradicts itself, and changes nothing: a log that a crash left is",
      "replayed in memory first. 'clean after replay': the next mount replays it in the image."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:clean", "4:contradictions were found", "8:it could not be checked"},
    mixinStandardHelpOptions = true)
final class FsFsck implements Callable<Integer> {
  private static final int UNCORRECTED = 4;
  private static final int NOT_CHECKED = 8;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Option(names = "-n", description = "Changes nothing, as always.")
  boolean readOnly;

  @Option(
      names = {"-y", "-p"},
      description = "Repairs: refused, e2fsck does that.")
  boolean repair;

  @Override
  public Integer call() {
    if (repair) {
      throw new ParameterException(
          spec.commandLine(), "repairing is e2fsck's. Fix: e2fsck -f " + ShellWord.of(image));
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Progress progress = new Progress(err, "groups", 0);
    try (BlockDevice device = UnmountWait.open(image, true, err)) {
      Ext2Check.Report report =
          Ext2Check.check(device, line -> out.println(TerminalText.line(line)), progress::at);
      progress.end();
      MountedImage.tellOfLog(image, report.blocksInLog(), err);
      out.printf(
          "%s: %s%s, %d files, %d directories%n",
          image,
          report.problems() == 0 ? "clean" : report.problems() + " contradictions",
          report.afterReplay() ? " after replay" : "",
          report.files(),
          report.directories());
      if (report.problems() > 0) {
        out.println("Fix: e2fsck -f " + ShellWord.of(image));
      }
      out.flush();
      return report.problems() == 0 ? 0 : UNCORRECTED;
    } catch (IOException e) {
      err.println("sluice: " + FailureMessage.text(e));
      return NOT_CHECKED;
    }
  }
}
