package sluice.nfs.host;

import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.sys.Errno;
import sluice.sys.FileHandles;
import sluice.sys.Statx;

/// The files of a host directory that have been seen, by inode number. Any thread may use it.
///
/// It forgets when there are many; a client that has the handle finds the file again, because the
/// kernel does ([#LIMIT]).
final class HostFiles {
  /// Files that are kept, at most; about 200 bytes each.
  static final int LIMIT = 1 << 18;

  private final ConcurrentHashMap<Long, HostFile> byInode = new ConcurrentHashMap<>();
  private final long device;
  private final int limit;

  /// @param device number of the file system everything is on
  HostFiles(long device, int limit) {
    this.device = device;
    this.limit = limit;
  }

  /// @throws FsException `ESTALE` for a number that was not asked for lately
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

  /// The file of a descriptor.
  ///
  /// @param attributes filled from `fd`
  /// @throws FsException `EXDEV` on another file system
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

  /// An eighth of all goes, whichever the table gives first: a caller that needs one finds it
  /// again.
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

  /// Number of the file system everything is on.
  long device() {
    return device;
  }

  int size() {
    return byInode.size();
  }
}
