package sluice.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.files.FileMemory;
import sluice.testkit.sim.SimRandom;

/// Files in a [FileMemory] that change at random, and everything they ever were. Owned by the
/// thread that runs the simulation.
final class SimSite {
  /// A path and its history.
  static final class Doc {
    final String path;

    /// Contents, the oldest first; null where there was no file.
    final List<byte @Nullable []> versions = new ArrayList<>();

    /// The version that a request sent now must be answered with, or a later one.
    int floor;

    /// Rewritten without being replaced: a reply that is under way breaks off.
    boolean rewritten;

    Doc(String path) {
      this.path = path;
      versions.add(null);
    }

    private void now(byte @Nullable [] content) {
      versions.add(content);
      floor = versions.size() - 1;
    }
  }

  final FileMemory memory = new FileMemory();
  final List<Doc> docs = new ArrayList<>();
  private final SimRandom random;
  private final int mostBytes;

  SimSite(SimRandom random) {
    this.random = random;
    this.mostBytes = random.between(20, 9_000);
    memory.residence = () -> random.chance(600);
    memory.fineTime = random.chance(300);
    if (random.chance(200)) {
      memory.mostWatches = random.between(2, 8);
    }
    memory.blind = random.chance(100);
    for (int i = random.between(1, 8); i > 0; i--) {
      Doc doc = new Doc("/d" + i % 3 + "/f" + i + (random.chance(500) ? ".txt" : ".bin"));
      docs.add(doc);
      if (random.chance(800)) {
        write(doc);
      }
    }
  }

  Doc anyDoc() {
    return docs.get(random.below(docs.size()));
  }

  private byte[] content(Doc doc, int length) {
    String word = "%04d of %s; ".formatted(doc.versions.size(), doc.path);
    byte[] bytes = word.repeat(length / word.length() + 1).getBytes(StandardCharsets.US_ASCII);
    return Arrays.copyOf(bytes, length);
  }

  /// Changes something, as a system call does.
  void change() {
    Doc doc = anyDoc();
    FileMemory.Inode inode = memory.find(doc.path);
    switch (random.below(8)) {
      case 0 -> write(doc);
      case 1 -> beginWrite(doc, inode);
      case 2 -> {
        if (inode != null) {
          memory.unlink(doc.path);
          doc.now(null);
        }
      }
      case 3 -> {
        if (inode != null) {
          memory.link(doc.path, "/aside/link" + random.below(3));
        }
      }
      case 4 -> memory.overflow();
      case 5 -> memory.at(anyStep(), this::change);
      default -> {
        byte[] content = content(doc, 4 + random.skewed(mostBytes));
        memory.unlink("/aside/new");
        memory.write("/aside/new", content);
        memory.rename("/aside/new", doc.path);
        doc.now(content);
      }
    }
  }

  private FileMemory.Step anyStep() {
    FileMemory.Step[] steps = FileMemory.Step.values();
    return steps[random.below(steps.length)];
  }

  private void write(Doc doc) {
    byte[] content = content(doc, 4 + random.skewed(mostBytes));
    doc.rewritten = true;
    memory.write(doc.path, content);
    doc.now(content);
  }

  /// A write that has begun: half of its bytes are there. It ends when a thread waits for it, or
  /// with [#finishWrites].
  private void beginWrite(Doc doc, FileMemory.@Nullable Inode inode) {
    if (inode != null && inode.coming == null) {
      byte[] content = content(doc, inode.content.length);
      doc.rewritten = true;
      memory.beginWrite(doc.path, content);
      doc.versions.add(content);
    }
  }

  /// Ends every write that has begun.
  void finishWrites() {
    for (Doc doc : docs) {
      FileMemory.Inode inode = memory.find(doc.path);
      if (inode != null && inode.coming != null) {
        memory.finish(inode);
        doc.floor = doc.versions.size() - 1;
      }
    }
  }
}
