package sluice.fs.ext2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.NewFile;
import sluice.memory.Memory;

/// The operations to be disturbed, one of each kind, and the tree on which they work. Confined to
/// the test's thread.
enum FaultCase {
  CREATE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.create(Caller.ROOT, 2, name("new"), NewFile.regular(0644));
    }
  },
  MKDIR {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.create(Caller.ROOT, 2, name("new"), NewFile.directory(0755));
    }
  },
  SYMLINK {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.create(Caller.ROOT, 2, name("new"), NewFile.symlink(name("t".repeat(200))));
    }
  },
  LONG_NAME_IN_A_FULL_BLOCK {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.create(Caller.ROOT, find(tree, "full"), name("n".repeat(250)), NewFile.regular(0644));
    }
  },
  LINK {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.link(Caller.ROOT, find(tree, "f"), find(tree, "full"), name("n".repeat(240)));
    }
  },
  UNLINK {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.unlink(Caller.ROOT, 2, name("f"));
    }
  },
  RMDIR {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.rmdir(Caller.ROOT, 2, name("empty"));
    }
  },
  RENAME_OVER {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.rename(Caller.ROOT, 2, name("g"), 2, name("f"), 0);
    }
  },
  MOVE_A_DIRECTORY {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.rename(Caller.ROOT, 2, name("d"), find(tree, "full"), name("m".repeat(250)), 0);
    }
  },
  EXCHANGE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.rename(Caller.ROOT, 2, name("f"), 2, name("d"), FileTree.EXCHANGE);
    }
  },
  EXTEND {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      fill(memory, 9_000);
      tree.write(Caller.ROOT, find(tree, "g"), 290_100, memory, 0, 9_000);
    }
  },
  REWRITE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      fill(memory, 9_000);
      tree.write(Caller.ROOT, find(tree, "f"), 1_700, memory, 0, 9_000);
    }
  },
  CUT {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.setAttributes(Caller.ROOT, find(tree, "f"), AttributeChange.NONE.withSize(20_500));
    }
  },
  GROW {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.setAttributes(Caller.ROOT, find(tree, "f"), AttributeChange.NONE.withSize(400_000));
    }
  },
  PUNCH {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      int flags = FileTree.PUNCH_HOLE | FileTree.KEEP_SIZE;
      tree.allocate(Caller.ROOT, find(tree, "f"), flags, 9_000, 60_000);
    }
  },
  ALLOCATE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.allocate(Caller.ROOT, find(tree, "g"), 0, 10_000, 30_000);
    }
  },
  SET_ATTRIBUTE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.setExtendedAttribute(Caller.ROOT, find(tree, "f"), name("user.b"), new byte[500], 0);
    }
  },
  REMOVE_ATTRIBUTE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      tree.removeExtendedAttribute(Caller.ROOT, find(tree, "g"), name("user.long"));
    }
  },
  RELEASE {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      long inode = find(tree, "f");
      tree.retain(inode);
      tree.unlink(Caller.ROOT, 2, name("f"));
      tree.release(inode);
    }
  },
  GROUP {
    @Override
    void run(Ext2 tree, Memory memory) throws IOException {
      try (FileTree.Group group = tree.group()) {
        long records = find(tree, "records");
        tree.rename(Caller.ROOT, 2, name("g"), find(tree, "empty"), name("h"), 0);
        fill(memory, 5_000);
        tree.write(Caller.ROOT, records, 2_000, memory, 0, 5_000);
        assert group != null;
      }
    }
  };

  abstract void run(Ext2 tree, Memory memory) throws IOException;

  /// Returns true if a refused operation may have been executed in part.
  boolean inParts() {
    return this == RELEASE || this == GROUP;
  }

  static byte[] name(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static long find(Ext2 tree, String name) throws IOException {
    return tree.lookup(Caller.ROOT, 2, name(name));
  }

  private static void fill(Memory memory, int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    memory.copyFrom(content, 0, 0, bytes);
  }

  /// Creates the files that the operations need.
  static void prepare(Ext2 tree, Memory memory) throws IOException {
    long f = tree.create(Caller.ROOT, 2, name("f"), NewFile.regular(0644));
    fill(memory, 100_000);
    tree.write(Caller.ROOT, f, 0, memory, 0, 100_000);
    long g = tree.create(Caller.ROOT, 2, name("g"), NewFile.regular(0644));
    tree.write(Caller.ROOT, g, 0, memory, 0, 700);
    tree.setExtendedAttribute(Caller.ROOT, g, name("user.long"), new byte[600], 0);
    tree.create(Caller.ROOT, 2, name("empty"), NewFile.directory(0755));
    long d = tree.create(Caller.ROOT, 2, name("d"), NewFile.directory(0755));
    tree.create(Caller.ROOT, d, name("x"), NewFile.regular(0644));
    long full = tree.create(Caller.ROOT, 2, name("full"), NewFile.directory(0755));
    int blockBytes = tree.status().blockBytes();
    // One more name of this length needs another block.
    for (int i = 0; i < blockBytes / 260; i++) {
      byte[] name = name(i + "y".repeat(242));
      tree.link(Caller.ROOT, g, full, name);
    }
    long records =
        tree.create(Caller.ROOT, 2, name("records"), NewFile.regular(0600).withJournaledData());
    tree.write(Caller.ROOT, records, 0, memory, 0, 3_000);
  }
}
