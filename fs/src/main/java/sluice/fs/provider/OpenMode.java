package sluice.fs.provider;

import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import sluice.fs.FileTree;

/// The mode in which a channel is opened. Instances are immutable and thread-safe.
///
/// @param read true if the channel is open for reading
/// @param write true if the channel is open for writing, possibly only for appending
/// @param options all options that were given
record OpenMode(boolean read, boolean write, Set<OpenOption> options) {
  /// Parses open options.
  ///
  /// @throws UnsupportedOperationException if an option is not one of the JDK's standard options
  /// @throws IllegalArgumentException if the options contradict each other
  static OpenMode of(Set<? extends OpenOption> given) {
    Set<OpenOption> options = new HashSet<>();
    for (OpenOption option : given) {
      Objects.requireNonNull(option);
      if (!(option instanceof StandardOpenOption) && option != LinkOption.NOFOLLOW_LINKS) {
        throw new UnsupportedOperationException(option + " is not an option of this file system");
      }
      options.add(option);
    }
    boolean append = options.contains(StandardOpenOption.APPEND);
    boolean write = append || options.contains(StandardOpenOption.WRITE);
    boolean read = options.contains(StandardOpenOption.READ) || !write;
    if (append && options.contains(StandardOpenOption.READ)) {
      throw new IllegalArgumentException("READ and APPEND exclude each other");
    }
    if (append && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      throw new IllegalArgumentException("APPEND and TRUNCATE_EXISTING exclude each other");
    }
    return new OpenMode(read, write, Set.copyOf(options));
  }

  private boolean has(StandardOpenOption option) {
    return options.contains(option);
  }

  boolean append() {
    return has(StandardOpenOption.APPEND);
  }

  boolean createNew() {
    return write && has(StandardOpenOption.CREATE_NEW);
  }

  boolean creates() {
    return write && (has(StandardOpenOption.CREATE) || has(StandardOpenOption.CREATE_NEW));
  }

  boolean truncates() {
    return write && has(StandardOpenOption.TRUNCATE_EXISTING);
  }

  boolean deleteOnClose() {
    return has(StandardOpenOption.DELETE_ON_CLOSE);
  }

  /// Returns true if each write must be durable before it returns.
  boolean synchronous() {
    return has(StandardOpenOption.SYNC) || has(StandardOpenOption.DSYNC);
  }

  /// Returns true if a synchronous write needs to make only the content durable.
  boolean dataOnly() {
    return !has(StandardOpenOption.SYNC);
  }

  /// Returns true if a symbolic link at the end of the path is followed. It is not followed if the
  /// file must be new, or if the link itself is to be deleted when the channel is closed.
  boolean follow() {
    return !options.contains(LinkOption.NOFOLLOW_LINKS) && !createNew() && !deleteOnClose();
  }

  /// Returns the access rights that this mode requires.
  int rights() {
    return (read ? FileTree.READ : 0) | (write ? FileTree.WRITE : 0);
  }
}
