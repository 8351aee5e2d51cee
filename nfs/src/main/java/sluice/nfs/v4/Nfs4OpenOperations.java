package sluice.nfs.v4;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4RequestedAttributes;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.sys.Errno;

/// The operations OPEN, OPEN_DOWNGRADE and CLOSE (RFC 8881, sections 18.16, 18.18 and 18.2). These
/// methods are called by workers, and [Nfs4Opens] checks for conflicts between opens.
///
/// A file is retained in its tree once for each open, so that it remains readable after its last
/// name has been removed.
final class Nfs4OpenOperations {
  private static final int RESULT_LOCKTYPE_POSIX = 4;
  private static final int PLAIN_MODE = 0600;

  /// The maximum number of lookups of a name that other clients create and remove concurrently.
  private static final int ATTEMPTS = 16;

  private static final long NANOS = 1_000_000_000L;

  private final Nfs4Services services;
  private final Nfs4NameOperations names;
  private final Nfs4Opens opens;

  Nfs4OpenOperations(Nfs4Services services, Nfs4NameOperations names) {
    this.services = services;
    this.names = names;
    opens = new Nfs4Opens(services.stateManager());
  }

  /// The file that was found or created by OPEN.
  ///
  /// @param info the change information of the directory, or null if OPEN did not use a directory
  /// @param set the attributes that were set when the file was created
  private record Found(
      FileRef file, boolean created, Nfs4Change.@Nullable ChangeInfo info, Bitmap set) {
    static Found old(FileRef file) {
      return new Found(file, false, null, Bitmap.NONE);
    }
  }

  int open(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    Nfs4OpenArguments arguments = Nfs4OpenArguments.read(c);
    requireGrace(c, arguments.isReclaim());
    FileRef at = c.file();
    FileRef file = null;
    boolean retained = false;
    try {
      Found found = null;
      for (int attempt = 0; !retained; attempt++) {
        if (attempt == ATTEMPTS) {
          throw new NfsException(Nfs4Status.DELAY);
        }
        found = find(c, at, arguments);
        file = found.file;
        retained = retain(file);
        if (!retained && arguments.name() == null) {
          throw new NfsException(NfsStatus.STALE);
        }
      }
      if (found == null || file == null) {
        throw new IllegalStateException("nothing was opened");
      }
      StateId id = opened(c, found, arguments);
      retained = false; // the open releases it on CLOSE
      answer(c, found, arguments, id);
      return NfsStatus.OK;
    } finally {
      if (retained && file != null) {
        Nfs4Compound.tree(file).release(file.inode);
      }
    }
  }

  private void requireGrace(Nfs4Compound c, boolean reclaim) throws NfsException, IOException {
    Nfs4StateManager stateManager = services.stateManager();
    if (reclaim) {
      if (!stateManager.grace.isActive() || c.client().complete) {
        throw new NfsException(Nfs4Status.NO_GRACE);
      }
      if (!stateManager.grace.knows(c.client().owner)) {
        throw new NfsException(Nfs4Status.RECLAIM_BAD);
      }
      return;
    }
    if (stateManager.grace.isActive() || !c.client().complete) {
      throw new NfsException(Nfs4Status.GRACE);
    }
    stateManager.tend();
  }

  /// Retains a file.
  ///
  /// @return false if the file was removed after it had been looked up, so that its inode number
  ///   may belong to another file
  private static boolean retain(FileRef file) throws IOException {
    FileTree tree = Nfs4Compound.tree(file);
    try {
      tree.retain(file.inode);
    } catch (FsException e) {
      if (e.errno() != Errno.ESTALE) {
        throw e;
      }
      return false;
    }
    boolean same = false;
    try {
      same = tree.attributes(file.inode).generation() == file.generation;
    } finally {
      if (!same) {
        tree.release(file.inode);
      }
    }
    return same;
  }

  // ---- finding or creating the file -------------------------------------------------------------

  private Found find(Nfs4Compound c, FileRef at, Nfs4OpenArguments arguments)
      throws NfsException, IOException {
    byte[] name = arguments.name();
    if (name == null) {
      return Found.old(at);
    }
    if (!arguments.creates()) {
      long version = c.requireDirectory(at).version();
      FileRef file = names.find(c, at, name);
      return new Found(
          file, false, new Nfs4Change.ChangeInfo(false, version, version), Bitmap.NONE);
    }
    long version = c.requireDirectory(at).version();
    Nfs4NameOperations.requireFree(at, name);
    if (at.export.readOnly()) {
      FileRef existing = findExisting(c, at, name);
      useExisting(c, existing, arguments);
      return new Found(
          existing, false, new Nfs4Change.ChangeInfo(false, version, version), Bitmap.NONE);
    }
    Found[] found = new Found[1];
    Nfs4Change.ChangeInfo info =
        Nfs4Change.attempt(
            c,
            at,
            change -> {
              found[0] = findOrMake(c, at, change, arguments);
              return found[0].created;
            });
    c.redo(); // discards the reply that was recorded for a retry
    return new Found(found[0].file, found[0].created, info, found[0].set);
  }

  /// Looks up an existing file in a read-only export.
  ///
  /// @throws NfsException `ROFS` if the file does not exist, because it cannot be created
  private FileRef findExisting(Nfs4Compound c, FileRef directory, byte[] name)
      throws NfsException, IOException {
    try {
      return names.find(c, directory, name);
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
      throw new NfsException(NfsStatus.ROFS);
    }
  }

  private Found findOrMake(
      Nfs4Compound c, FileRef directory, Nfs4Change change, Nfs4OpenArguments arguments)
      throws NfsException, IOException {
    byte[] name = arguments.requireName();
    try {
      FileRef existing = names.find(c, directory, name);
      useExisting(c, existing, arguments);
      return Found.old(existing);
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
    Nfs4RequestedAttributes requested = arguments.requested();
    AttributeChange asked = requested.change();
    Bitmap set = requested.asked();
    if (arguments.isExclusive()) {
      asked =
          asked
              .withAccess(accessOf(arguments.verifier()))
              .withModify(modifyOf(arguments.verifier()));
      set = set.with(Nfs4Attribute.TIME_ACCESS).with(Nfs4Attribute.TIME_MODIFY);
    }
    NewFile what = NewFile.regular(requested.permissions(PLAIN_MODE));
    AttributeChange attributes = asked;
    Bitmap kept = set;
    Found[] found = new Found[1];
    // A retry with UNCHECKED finds the existing file.
    boolean once = arguments.isGuarded() || arguments.isExclusive();
    change.grouped(
        () -> {
          FileAttributes made = Nfs4NameOperations.make(c, directory, name, what, attributes);
          FileRef file = services.handles().ref(directory.export, made.inode(), made.generation());
          found[0] = new Found(file, true, null, kept);
        },
        once ? (info, _) -> answerForLater(c, found[0], arguments, info) : null);
    return found[0];
  }

  /// Encodes the verifier of an exclusive creation as the times of the file, which survive a crash.
  /// The client sets the actual times afterwards.
  private static long accessOf(long verifier) {
    return (verifier >>> 32 & 0x7FFF_FFFF) * NANOS;
  }

  private static long modifyOf(long verifier) {
    return (verifier & 0x7FFF_FFFF) * NANOS;
  }

  private static void useExisting(Nfs4Compound c, FileRef file, Nfs4OpenArguments arguments)
      throws NfsException, IOException {
    if (arguments.isGuarded()) {
      throw new NfsException(NfsStatus.EXIST);
    }
    if (arguments.isExclusive()) {
      FileAttributes a = c.attributes(file);
      boolean same =
          a.accessNanos() == accessOf(arguments.verifier())
              && a.modifyNanos() == modifyOf(arguments.verifier())
              && a.sizeBytes() == 0;
      if (!same) {
        throw new NfsException(NfsStatus.EXIST);
      }
    }
  }

  // ---- opening the file -------------------------------------------------------------------------

  private StateId opened(Nfs4Compound c, Found found, Nfs4OpenArguments arguments)
      throws NfsException, IOException {
    FileRef file = found.file;
    Nfs4Compound.requireRegular(c.attributes(file));
    if ((arguments.access() & Nfs4Open.WRITE) != 0) {
      Nfs4Compound.requireWritable(file);
    }
    if (!found.created) {
      requireRights(c, file, arguments);
    }
    Nfs4Opens.Request request =
        new Nfs4Opens.Request(
            c.client(),
            arguments.owner(),
            Nfs4Compound.key(file),
            arguments.access(),
            arguments.deny());
    if (!found.created && arguments.truncates()) {
      opens.check(request);
      truncate(c, file);
    }
    return opens.open(request);
  }

  /// Checks the caller's permissions. The right to execute a file includes the right to read it. An
  /// owner that reclaims an open or opens by handle does not require permission, because the mode
  /// of the file may have been changed since the first open.
  private static void requireRights(Nfs4Compound c, FileRef file, Nfs4OpenArguments arguments)
      throws NfsException, IOException {
    FileTree tree = Nfs4Compound.tree(file);
    Caller caller = c.caller(file);
    if (arguments.name() == null && c.attributes(file).uid() == caller.uid()) {
      return;
    }
    boolean reads = (arguments.access() & Nfs4Open.READ) != 0;
    boolean writes = (arguments.access() & Nfs4Open.WRITE) != 0 || arguments.truncates();
    int rights = (reads ? FileTree.READ : 0) | (writes ? FileTree.WRITE : 0);
    int granted = tree.access(caller, file.inode, rights | FileTree.EXECUTE);
    boolean runs = !writes && (granted & FileTree.EXECUTE) != 0;
    if ((granted & rights) != rights && !runs) {
      throw new NfsException(NfsStatus.ACCES);
    }
  }

  /// Writes the reply that is sent if the request is retried after a restart. Its stateid is not
  /// valid, because the client has to reclaim the open in this case.
  private void answerForLater(
      Nfs4Compound c, Found found, Nfs4OpenArguments arguments, Nfs4Change.ChangeInfo info) {
    StateId past = new StateId(1, services.stateManager().states.instance(), 0);
    answer(c, new Found(found.file, true, info, found.set), arguments, past);
  }

  private static void truncate(Nfs4Compound c, FileRef file) throws NfsException, IOException {
    AttributeChange empty = AttributeChange.NONE.withSizeOfOpened(0);
    FileTree tree = Nfs4Compound.tree(file);
    Nfs4Change.truncate(c, file, () -> tree.setAttributes(c.caller(file), file.inode, empty));
  }

  private static void answer(Nfs4Compound c, Found found, Nfs4OpenArguments arguments, StateId id) {
    c.file(found.file);
    c.stateId = id;
    id.write(c.out);
    Nfs4Change.ChangeInfo info = found.info;
    (info == null ? new Nfs4Change.ChangeInfo(false, 0, 0) : info).write(c.out);
    c.out.int32(RESULT_LOCKTYPE_POSIX);
    boolean truncated = !found.created && arguments.truncates();
    (truncated ? Bitmap.of(Nfs4Attribute.SIZE) : found.set).write(c.out);
    arguments.writeNoDelegation(c.out);
  }

  // ---- downgrading and closing ------------------------------------------------------------------

  int downgrade(Nfs4Compound c) throws NfsException {
    c.mayWait();
    StateId id = c.stateId();
    c.in.int32(); // the seqid, unused since the session orders requests
    int access = c.in.int32() & ~Nfs4OpenArguments.WANTS;
    int deny = c.in.int32();
    if (access < 1 || access > Nfs4Open.BOTH || (deny & ~Nfs4Open.BOTH) != 0) {
      return NfsStatus.INVAL;
    }
    StateId less = opens.downgrade(c.client(), id, Nfs4Compound.key(c.file()), access | deny << 2);
    c.stateId = less;
    less.write(c.out);
    return NfsStatus.OK;
  }

  int close(Nfs4Compound c) throws NfsException {
    c.mayWait();
    c.in.int32();
    StateId id = c.stateId();
    opens.close(c.client(), id, Nfs4Compound.key(c.file()));
    c.stateId = StateId.INVALID;
    StateId.INVALID.write(c.out);
    return NfsStatus.OK;
  }
}
