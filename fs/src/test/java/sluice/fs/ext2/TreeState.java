package sluice.fs.ext2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// The complete content of a tree at one moment: names, attributes and file content. Immutable once
/// it is read.
///
/// @param entries by path, `""` for the root
/// @param digest a digest of everything except content that is not journaled
record TreeState(Map<String, Entry> entries, int digest) {
  /// The path prefix of files whose content is journaled.
  static final String JOURNALED = "/records/";

  private static final byte[] NOTHING = {};

  /// The file or directory behind one name.
  ///
  /// @param attributes as `stat(2)` reports them, without the access time
  /// @param more extended attributes, or the target of a symbolic link
  /// @param exact true if the content is metadata, because the data of the file is journaled
  @SuppressWarnings("ArrayRecordComponent") // compared by its own methods
  record Entry(String attributes, String more, byte[] content, boolean exact) {
    /// Returns true if everything is equal except content, which may be newer.
    boolean sameMetadata(Entry other) {
      return attributes.equals(other.attributes)
          && more.equals(other.more)
          && content.length == other.content.length
          && (!exact || Arrays.equals(content, other.content));
    }

    boolean same(Entry other) {
      return sameMetadata(other) && Arrays.equals(content, other.content);
    }

    boolean isDirectory() {
      return attributes.split(" ", 3)[1].startsWith("4");
    }

    private int digest() {
      int all = attributes.hashCode() * 31 + more.hashCode();
      return exact ? all * 31 + Arrays.hashCode(content) : all;
    }
  }

  private static TreeState of(Map<String, Entry> entries) {
    int digest = 0;
    for (var entry : entries.entrySet()) {
      digest += entry.getKey().hashCode() * 31 + entry.getValue().digest();
    }
    return new TreeState(entries, digest);
  }

  /// Returns the part that one thread alone has changed.
  TreeState of(TreePart part) {
    Map<String, Entry> own = new TreeMap<>(entries);
    own.keySet().removeIf(path -> !part.has(path));
    return of(own);
  }

  boolean sameMetadata(TreeState other) {
    if (digest != other.digest || !entries.keySet().equals(other.entries.keySet())) {
      return false;
    }
    for (var entry : entries.entrySet()) {
      if (!entry.getValue().sameMetadata(other.get(entry.getKey()))) {
        return false;
      }
    }
    return true;
  }

  Entry get(String path) {
    Entry entry = entries.get(path);
    if (entry == null) {
      throw new IllegalArgumentException("no " + path);
    }
    return entry;
  }

  /// Describes the first difference between two states, for a message.
  String difference(TreeState other) {
    for (var entry : entries.entrySet()) {
      Entry theirs = other.entries.get(entry.getKey());
      if (theirs == null) {
        return entry.getKey() + " is on one side only: " + entry.getValue().attributes;
      }
      if (!entry.getValue().sameMetadata(theirs)) {
        return entry.getKey()
            + ": "
            + entry.getValue().attributes
            + entry.getValue().more
            + " and "
            + theirs.attributes
            + theirs.more;
      }
    }
    for (String path : other.entries.keySet()) {
      if (!entries.containsKey(path)) {
        return path + " is on the other side only: " + other.get(path).attributes;
      }
    }
    return "none";
  }

  /// Reads trees and holds the memory for that. Used by one thread at a time.
  static final class Reader implements AutoCloseable {
    private static final int BYTES = 1 << 20;
    private static final int MOST_PATHS = 100_000;

    private final Block block = Blocks.of(BYTES);
    private final Memory memory = Memory.over(block, 0, BYTES);

    @Override
    public void close() {
      memory.close();
      block.release();
    }

    /// Reads a tree.
    ///
    /// @param before an earlier state, with which equal content is shared
    TreeState read(Ext2 tree, @Nullable TreeState before) throws IOException {
      return read(tree, TreePart.WHOLE, before);
    }

    /// Reads the part of a tree that one thread alone changes; other threads may change the rest.
    TreeState read(Ext2 tree, TreePart part, @Nullable TreeState before) throws IOException {
      Map<String, Entry> entries = new TreeMap<>();
      List<String> paths = new ArrayList<>();
      List<Long> inodes = new ArrayList<>();
      paths.add("");
      inodes.add(tree.rootInode());
      for (int i = 0; i < paths.size(); i++) {
        String path = paths.get(i);
        if (i > MOST_PATHS) {
          throw new AssertionError("no end of names, such as " + path);
        }
        long inode = inodes.get(i);
        if (part.has(path)) {
          Entry then = before == null ? null : before.entries.get(path);
          entries.put(path, entry(tree, inode, path, then));
        }
        if (tree.attributes(inode).isDirectory()) {
          tree.list(
              inode,
              0,
              (number, _, name, _) -> {
                String below = path + "/" + new String(name, StandardCharsets.ISO_8859_1);
                if (!FileNames.isDots(name) && (part.has(below) || part.isBelow(below))) {
                  paths.add(below);
                  inodes.add(number);
                }
                return true;
              });
        }
      }
      return of(entries);
    }

    private Entry entry(Ext2 tree, long inode, String path, @Nullable Entry before)
        throws IOException {
      FileAttributes a = tree.attributes(inode);
      byte[] content = NOTHING;
      String more = "";
      if (a.kind() == FileKind.REGULAR) {
        content = content(tree, inode, a.sizeBytes());
        if (before != null && Arrays.equals(before.content, content)) {
          content = before.content;
        }
        more = attributes(tree, inode);
      } else if (a.kind() == FileKind.SYMLINK) {
        more = new String(tree.readLink(inode), StandardCharsets.ISO_8859_1);
      }
      String text =
          String.join(
              " ",
              a.inode() + "/" + a.generation(),
              Integer.toOctalString(a.mode()),
              a.links() + " links",
              a.uid() + ":" + a.gid(),
              a.sizeBytes() + "/" + a.allocatedBytes(),
              a.modifyNanos() + " " + a.changeNanos() + " " + a.birthNanos());
      return new Entry(text, more, content, path.startsWith(JOURNALED));
    }

    /// Reads a part of a file that others change, in each way, and ignores the content.
    void touch(Ext2 tree, long inode, long size, java.util.Random random) throws IOException {
      long at = (long) (random.nextDouble() * size);
      tree.read(inode, at, memory, 0, 20_000);
      int slices = tree.slices(inode, at, 20_000, (_, _, _) -> {});
      long now = tree.tryRead(inode, at, 5_000, (_, _, _) -> {});
      if (slices > 20_000 || now > 5_000) {
        throw new AssertionError("more than was asked for: " + slices + ", " + now);
      }
    }

    private byte[] content(Ext2 tree, long inode, long size) throws IOException {
      byte[] content = new byte[(int) size];
      for (int at = 0; at < size; at += BYTES) {
        int wanted = (int) Math.min(BYTES, size - at);
        int got = tree.read(inode, at, memory, 0, wanted);
        if (got != wanted) {
          throw new AssertionError("inode " + inode + ": read " + got + " of " + wanted);
        }
        memory.copyTo(0, content, at, got);
      }
      return content;
    }

    private static String attributes(Ext2 tree, long inode) throws IOException {
      byte[] names = tree.extendedAttributes(Caller.ROOT, inode);
      StringBuilder all = new StringBuilder();
      int start = 0;
      for (int i = 0; i < names.length; i++) {
        if (names[i] == 0) {
          byte[] name = Arrays.copyOfRange(names, start, i);
          byte[] value = tree.extendedAttribute(Caller.ROOT, inode, name);
          all.append(new String(name, StandardCharsets.ISO_8859_1))
              .append('=')
              .append(Arrays.hashCode(value))
              .append(' ');
          start = i + 1;
        }
      }
      return all.toString();
    }
  }
}
