package sluice.nfs.export;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.nfs.ExportOptions;
import sluice.sys.Errno;

/// The exports of a server. They are added by the thread that starts the server. Afterwards, this
/// class is immutable and thread-safe.
public final class Exports implements AutoCloseable {
  private final List<Export> list = new ArrayList<>();
  private final Map<FileTree, ExportedTree> exportedTrees = new HashMap<>();
  private volatile Export[] all = {};

  /// A directory in an export.
  ///
  /// @param export the export
  /// @param directory the attributes of the directory when it was found
  public record Place(Export export, FileAttributes directory) {}

  /// Adds an export. Must be called before the server starts.
  ///
  /// @param path the path that clients mount, such as `/data`
  /// @param directory the path of the directory in the tree, such as `/` or `/sub/directory`
  /// @throws FsException if the directory does not exist
  /// @throws IllegalArgumentException if the path is not valid or is already exported
  public Export add(String path, FileTree tree, String directory, ExportOptions options)
      throws IOException {
    String clean = clean(path);
    ExportedTree exported = exportedTrees.get(tree);
    if (exported == null) {
      exported = ExportedTree.open(tree);
      exportedTrees.put(tree, exported);
    }
    long root = rootOf(exported, directory);
    Export made = new Export(clean, exported, root, options);
    Export other = byNumber(made.number());
    if (other != null) {
      throw new IllegalArgumentException(
          "export " + clean + " and export " + other + " have one number; Fix: rename one");
    }
    tree.retain(root); // keeps the root valid even in trees that forget unused files
    list.add(made);
    list.sort(Comparator.comparing(Export::path));
    all = list.toArray(new Export[0]);
    return made;
  }

  private static long rootOf(ExportedTree exported, String directory) throws IOException {
    byte[] path = directory.getBytes(StandardCharsets.UTF_8);
    try {
      return walk(exported, exported.tree().rootInode(), path).inode();
    } catch (FsException e) {
      throw FsException.of(
          e.errno(),
          "the directory to be exported, " + directory + "; Fix: name one that is in the tree");
    }
  }

  private static String clean(String path) {
    if (!path.startsWith("/") || path.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("an export's path begins with /, not as in " + path);
    }
    StringBuilder clean = new StringBuilder();
    for (String part : path.split("/+", -1)) {
      if (part.equals(".") || part.equals("..")) {
        throw new IllegalArgumentException("an export's path has no . or ..: " + path);
      }
      if (!part.isEmpty()) {
        clean.append('/').append(part);
      }
    }
    return clean.isEmpty() ? "/" : clean.toString();
  }

  /// Returns all exports, sorted by path.
  public List<Export> list() {
    return List.copyOf(list);
  }

  @Nullable Export byNumber(int number) {
    for (Export one : all) {
      if (one.number() == number) {
        return one;
      }
    }
    return null;
  }

  /// Finds the directory that a client mounts, which is either an export or a directory within one.
  ///
  /// @throws FsException `ENOENT`, `ENOTDIR`; symbolic links are not followed, so they are reported
  ///   as errors
  public Place find(byte[] path) throws IOException {
    String text = new String(path, StandardCharsets.ISO_8859_1);
    Export best = null;
    for (Export export : list) {
      if (isBelow(text, latin(export)) && (best == null || longer(export, best))) {
        best = export;
      }
    }
    if (best == null) {
      throw FsException.of(Errno.ENOENT, "no export has this path");
    }
    String rest = text.substring(Math.min(text.length(), latin(best).length()));
    byte[] bytes = rest.getBytes(StandardCharsets.ISO_8859_1);
    return new Place(best, walk(best.exported(), best.rootInode(), bytes));
  }

  private static String latin(Export export) {
    String path = new String(export.pathBytes(), StandardCharsets.ISO_8859_1);
    return path.equals("/") ? "" : path;
  }

  private static boolean longer(Export one, Export other) {
    return one.path().length() > other.path().length();
  }

  private static boolean isBelow(String path, String export) {
    boolean begins = path.startsWith(export);
    return begins && (path.length() == export.length() || path.charAt(export.length()) == '/');
  }

  /// Resolves a path relative to a directory. It uses the rights of root, because the server
  /// decides which directories are exported.
  private static FileAttributes walk(ExportedTree exported, long from, byte[] path)
      throws IOException {
    FileTree tree = exported.tree();
    FileAttributes at = tree.attributes(from);
    for (String part : new String(path, StandardCharsets.ISO_8859_1).split("/", -1)) {
      byte[] name = part.getBytes(StandardCharsets.ISO_8859_1);
      if (part.isEmpty()) {
        continue;
      }
      if (part.equals(".") || part.equals("..") || exported.hides(at.inode(), name)) {
        throw FsException.of(Errno.ENOENT, "no such directory");
      }
      FileAttributes next = tree.find(Caller.ROOT, at.inode(), name);
      if (tree.attributes(at.inode()).generation() != at.generation()) {
        throw FsException.of(Errno.ESTALE, "a directory on the way was removed");
      }
      at = next;
    }
    if (!at.isDirectory()) {
      throw FsException.of(Errno.ENOTDIR, "an export is a directory");
    }
    return at;
  }

  /// Returns warnings for the operator about guarantees that the trees cannot provide.
  public List<String> warnings() {
    return exportedTrees.values().stream()
        .flatMap(exported -> exported.warnings().stream())
        .toList();
  }

  /// Closes the server's own files in the trees and releases the roots of the exports. The trees
  /// remain open.
  @Override
  public void close() throws IOException {
    for (Export export : all) {
      export.exported().tree().release(export.rootInode());
    }
    all = new Export[0];
    exportedTrees.values().forEach(ExportedTree::close);
  }
}
