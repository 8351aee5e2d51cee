package sluice.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/// The standard output of a command, which remembers that it could not be written: a full disk is
/// not to look like success. Of the command's thread.
public final class Output extends FilterOutputStream {
  private @Nullable IOException failure;

  public Output(OutputStream to) {
    super(to);
  }

  /// That of this process, past `System.out`, which hides failures.
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

  /// Whether nothing was lost.
  public boolean isGood() {
    return failure == null;
  }

  /// Tells why something was lost, unless the reader wanted no more (`| head`).
  public void complain(PrintWriter err) {
    String why = failure == null ? "" : String.valueOf(failure.getMessage());
    if (!why.isEmpty() && !why.contains("Broken pipe")) {
      err.println("sluice: standard output could not be written: " + why);
    }
  }
}
