package sluice.host.text;

import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Formats failures for the user of a command. This class is stateless.
///
/// The exceptions of Sluice contain the error, the location and a fix, whereas exceptions of the
/// JDK often contain only a file name. Control characters in names are escaped, because the names
/// may come from an attacker.
public final class FailureMessage {
  private FailureMessage() {}

  /// Returns the message for a failure, without a stack trace.
  public static String text(Throwable failure) {
    return switch (failure) {
      case NoSuchFileException e ->
          TerminalText.line(e.getFile()) + " does not exist. Fix: name one that does";
      case FileAlreadyExistsException e ->
          TerminalText.line(e.getFile()) + " exists already. Fix: remove it first";
      case NotDirectoryException e ->
          TerminalText.line(e.getFile()) + " is no directory. Fix: name a directory";
      case DirectoryNotEmptyException e ->
          TerminalText.line(e.getFile()) + " is not empty. Fix: empty it, or name another one";
      case AccessDeniedException e ->
          TerminalText.line(e.getFile())
              + ": permission denied. Fix: grant it, or run as a user that may";
      case UnknownHostException e -> "no address is known for " + e.getMessage();
      case FsException e -> TerminalText.message(e.getMessage() + remedy(e));
      case FileSystemException e -> TerminalText.line(String.valueOf(e.getMessage()));
      default ->
          TerminalText.message(
              failure.getMessage() == null ? failure.toString() : failure.getMessage());
    };
  }

  private static String remedy(FsException failure) {
    if (String.valueOf(failure.getMessage()).contains("Fix: ")) {
      return "";
    }
    return switch (failure.errno()) {
      case Errno.ENOSPC ->
          ". Fix: remove files, or copy them into a larger image (sluice fs mkfs --size)";
      case Errno.ENOENT -> ". Fix: look with 'sluice fs ls'";
      case Errno.EISDIR -> ". Fix: name a file, or give cp -r";
      default -> "";
    };
  }
}
