package sluice.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/// The standard output of a command. It remembers write errors, so that a full disk does not look
/// like success. Confined to the command's thread.
public final class Output extends FilterOutputStream {
  private @Nullable IOException failure;

  public Output(OutputStream to) {
    super(to);
  }

  /// Returns the output of this process. It does not use `System.out`, which hides errors.
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

  /// Returns true if nothing was lost.
  public boolean isGood() {
    return failure == null;
  }

  /// Prints the reason why output was lost, unless the reader has closed the pipe (`| head`).
  public void complain(PrintWriter err) {
    String why = failure == null ? "" : String.valueOf(failure.getMessage());
    if (!why.isEmpty() && !why.contains("Broken pipe")) {
      err.println("sluice: standard output could not be written: " + why);
    }
  }
}
