package sluice.cli.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Finds the listening sockets of a process in `/proc`, using its socket descriptors and the socket
/// table of its network namespace. This class is stateless and reads files in the calling thread.
final class ListeningSockets {
  private static final int MOST_LINES = 100_000;
  private static final String LISTEN = "0A";

  // The positions of the local address, the state and the inode of the socket in a line.
  private static final int LOCAL = 1;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private ListeningSockets() {}

  /// Returns the TCP addresses on which a process is listening, or an empty set if its descriptors
  /// cannot be read.
  ///
  /// @param process the directory of the process, such as `/proc/4711`
  static Set<InetSocketAddress> of(Path process) {
    Set<String> inodes = inodes(process.resolve("fd"));
    Set<InetSocketAddress> found = new LinkedHashSet<>();
    for (String table : inodes.isEmpty() ? List.<String>of() : List.of("net/tcp", "net/tcp6")) {
      try (Stream<String> lines = Files.lines(process.resolve(table))) {
        lines
            .skip(1)
            .limit(MOST_LINES)
            .map(line -> line.strip().split(" +", -1))
            .filter(words -> words.length > INODE && words[STATE].equals(LISTEN))
            .filter(words -> inodes.contains(words[INODE]))
            .forEach(words -> found.add(address(words[LOCAL])));
      } catch (IOException | java.io.UncheckedIOException e) {
        // The process has terminated, or there is no such table.
      }
    }
    return found;
  }

  private static Set<String> inodes(Path descriptors) {
    Set<String> inodes = new HashSet<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
      for (Path each : all) {
        String target = target(each);
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      }
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      // The process has terminated or belongs to another user.
    }
    return inodes;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // it has been closed
    }
  }

  /// Parses an address in the kernel's format, which consists of hexadecimal words of four bytes in
  /// the byte order of the machine. Here, this is little-endian.
  private static InetSocketAddress address(String text) {
    int colon = text.indexOf(':');
    byte[] words = HexFormat.of().parseHex(text.substring(0, colon));
    byte[] bytes = new byte[words.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = words[i / 4 * 4 + 3 - i % 4];
    }
    try {
      int port = Integer.parseInt(text.substring(colon + 1), 16);
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (java.net.UnknownHostException e) {
      throw new IllegalArgumentException(text, e); // neither 4 nor 16 bytes
    }
  }
}
