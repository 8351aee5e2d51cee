package sluice.nfs.host;

import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.sys.Errno;
import sluice.sys.FileHandles;
import sluice.sys.Statx;

/// A table of the known files of a host directory, keyed by inode number. This class is
/// thread-safe.
///
/// When the table exceeds [#LIMIT], some files are evicted. A client can still use the handle of an
/// evicted file, because the kernel finds the file by its handle.
final class HostFiles {
  /// The maximum number of known files, each of which requires about 200 bytes.
  static final int LIMIT = 1 << 18;

  private final ConcurrentHashMap<Long, HostFile> byInode = new ConcurrentHashMap<>();
  private final long device;
  private final int limit;

  /// Creates an empty table.
  ///
  /// @param device the device number of the file system
  HostFiles(long device, int limit) {
    this.device = device;
    this.limit = limit;
  }

  /// Returns the known file with the given inode number.
  ///
  /// @throws FsException `ESTALE` if the number is not known
  HostFile get(long inode) throws FsException {
    HostFile file = byInode.get(inode);
    if (file == null) {
      throw FsException.of(Errno.ESTALE, "inode " + inode + " is not known");
    }
    return file;
  }

  boolean knows(long inode, byte[] handle) {
    HostFile known = byInode.get(inode);
    return known != null && known.is(handle, handle.length);
  }

  /// Returns the file that the given descriptor refers to, and adds it to the table.
  ///
  /// @param attributes the attributes of `fd`
  /// @throws FsException `EXDEV` if the file is on another file system
  HostFile of(int fd, Statx attributes) throws FsException {
    if (attributes.device() != device) {
      throw FsException.of(Errno.EXDEV, "another file system is mounted there");
    }
    HostFile known = byInode.get(attributes.inode());
    byte[] handle = new byte[Integer.BYTES + FileHandles.MAX_BYTES];
    int length = (int) HostCalls.check(FileHandles.nameToHandle(fd, handle), "name_to_handle_at");
    if (known != null && known.is(handle, length)) {
      return known;
    }
    FileKind kind = FileKind.ofMode(attributes.mode());
    return put(new HostFile(attributes.inode(), Arrays.copyOf(handle, length), kind));
  }

  private HostFile put(HostFile file) {
    if (byInode.size() >= limit) {
      forgetSome();
    }
    byInode.put(file.inode, file);
    return file;
  }

  /// Evicts an eighth of the files, in the iteration order of the hash table.
  private synchronized void forgetSome() {
    int goes = limit / 8;
    Iterator<HostFile> all = byInode.values().iterator();
    while (goes > 0 && byInode.size() >= limit - limit / 8 && all.hasNext()) {
      HostFile file = all.next();
      if (file.retained == 0) {
        all.remove();
        goes--;
      }
    }
  }

  /// Returns the device number of the file system.
  long device() {
    return device;
  }

  int size() {
    return byInode.size();
  }
}
