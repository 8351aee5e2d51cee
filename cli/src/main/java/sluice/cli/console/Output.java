package sluice.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/// The standard output of a command. It records write errors, so that a full disk is not mistaken
/// for success. Instances are confined to the thread of the command.
public final class Output extends FilterOutputStream {
  private @Nullable IOException failure;

  public Output(OutputStream to) {
    super(to);
  }

  /// Returns the standard output of this process. It does not use `System.out`, which does not
  /// report errors.
  public static Output standard() {
    return new Output(new FileOutputStream(FileDescriptor.out));
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    try {
      out.write(bytes, from, count);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /// Returns true if all output was written successfully.
  public boolean isGood() {
    return failure == null;
  }

  /// Prints the reason why output was lost, unless the reader closed the pipe, as in `| head`.
  public void complain(PrintWriter err) {
    String why = failure == null ? "" : String.valueOf(failure.getMessage());
    if (!why.isEmpty() && !why.contains("Broken pipe")) {
      err.println("sluice: standard output could not be written: " + why);
    }
  }
}
