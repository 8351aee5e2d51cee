package sluice.domain;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/// A temporary directory that contains copies of jars, so that a jar can be overwritten while it is
/// open in a domain. Any thread may call.
///
/// The process holds a lock on a file in the directory. If a process is killed, its directory
/// remains but is unlocked. The next process that creates a directory with the same prefix removes
/// it.
public final class JarCopies implements Closeable {
  private static final String LOCK = "lock";

  /// The directories of this process. Their locks must not be tested, because closing the channel
  /// would release them.
  private static final Set<Path> OURS = new HashSet<>();

  private final Path directory;
  private final FileChannel lock;
  private int count;

  private JarCopies(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /// Creates a directory and removes the directories of terminated processes.
  ///
  /// @param prefix the beginning of the directory's name, which is the same for all processes that
  ///   share the clean-up
  /// @throws IOException if the directory cannot be created or locked
  public static JarCopies create(String prefix) throws IOException {
    return create(Path.of(System.getProperty("java.io.tmpdir")), prefix);
  }

  /// Creates a directory as [#create(String)] does, in another parent directory.
  public static JarCopies create(Path parent, String prefix) throws IOException {
    synchronized (OURS) {
      removeStale(parent, prefix);
      Path made = Files.createTempDirectory(parent, prefix + "-");
      FileChannel channel =
          FileChannel.open(
              made.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        channel.close();
        throw new IOException(
            made + " cannot be locked. Why: another process has the lock. Fix: try again");
      }
      OURS.add(made);
      return new JarCopies(made, channel);
    }
  }

  private static void removeStale(Path parent, String prefix) throws IOException {
    try (Stream<Path> all = Files.list(parent)) {
      for (Path each : all.toList()) {
        boolean isOurKind = String.valueOf(each.getFileName()).startsWith(prefix + "-");
        if (isOurKind && !OURS.contains(each) && Files.isRegularFile(each.resolve(LOCK))) {
          removeIfStale(each);
        }
      }
    }
  }

  private static void removeIfStale(Path directory) {
    try (FileChannel channel = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock != null) {
        remove(directory);
      }
    } catch (IOException e) {
      // It belongs to another user, or another process is currently removing it.
    }
  }

  private static void remove(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(directory);
  }

  /// Returns the directory, for callers that copy files to it themselves.
  public Path directory() {
    return directory;
  }

  /// Copies a jar in its current state and returns the copy. A directory of classes is returned
  /// unchanged.
  public synchronized Path copy(Path jar) throws IOException {
    if (Files.isDirectory(jar)) {
      return jar;
    }
    Path to = directory.resolve(count++ + "-" + jar.getFileName());
    return Files.copy(jar, to, StandardCopyOption.REPLACE_EXISTING);
  }

  /// Deletes all copies except the given ones.
  public synchronized void retain(Set<Path> wanted) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (!wanted.contains(file) && !file.endsWith(LOCK)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /// Releases the lock and removes the directory.
  @Override
  public void close() throws IOException {
    synchronized (OURS) {
      if (OURS.remove(directory)) {
        lock.close();
        remove(directory);
      }
    }
  }
}
