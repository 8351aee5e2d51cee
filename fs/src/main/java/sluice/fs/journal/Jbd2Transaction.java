package sluice.fs.journal;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.cache.Frame;
import sluice.fs.cache.FrameClaims;
import sluice.fs.cache.FrameClaims.Purpose;
import sluice.fs.cache.FrameClaims.Start;
import sluice.memory.Memory;

/// A transaction that is atomic even if the system crashes. Instances are confined to one thread.
final class Jbd2Transaction extends FrameTransaction {
  private final AtomicReference<@Nullable Jbd2Journal> owner;

  /// The number of metadata blocks that were reserved for this transaction.
  private int credits;

  /// Creates a transaction.
  ///
  /// @param owner refers to the journal until it is closed
  Jbd2Transaction(AtomicReference<@Nullable Jbd2Journal> owner) {
    this.owner = owner;
  }

  private Jbd2Journal journal() {
    Jbd2Journal journal = owner.get();
    if (journal == null) {
      throw new IllegalStateException("the journal is closed");
    }
    return journal;
  }

  @Override
  FrameClaims claims() {
    return journal().claims();
  }

  void credit(int blocks) {
    credits += blocks;
  }

  @Override
  public Buffer change(long block) throws IOException {
    return log(block, Start.CONTENT);
  }

  @Override
  public Buffer create(long block) throws IOException {
    return log(block, Start.ZEROS);
  }

  private Buffer log(long block, Start start) throws IOException {
    Frame frame = claim(block, start, Purpose.LOGGED);
    Buffer buffer = buffer(frame);
    journal().changed(block);
    return buffer;
  }

  @Override
  public Buffer data(long block, boolean fresh) throws IOException {
    Frame frame = claim(block, fresh ? Start.ZEROS : Start.CONTENT, Purpose.CONTENT);
    Buffer buffer = buffer(frame);
    note(frame);
    return buffer;
  }

  @Override
  public void overwrite(long block, int count, Memory from, long at) throws IOException {
    checkOpen();
    Jbd2Journal journal = journal();
    int bytes = journal.blockBytes();
    int done = 0;
    while (done < count) {
      long place = at + (long) done * bytes;
      int run = overwriteRun(journal, block + done, count - done, from, place);
      if (run == 0) {
        overwriteOne(block + done, from, place);
        run = 1;
      }
      done += run;
    }
  }

  /// Overwrites the blocks that `FrameRuns` can process in a single call. Returns their number.
  private static int overwriteRun(
      Jbd2Journal journal, long block, int count, Memory from, long at) {
    int run = count; // if the source fails, any of them may have changed
    try {
      run = journal.runs().overwrite(block, count, from, at);
    } finally {
      journal.content(block, run);
    }
    return run;
  }

  private void overwriteOne(long block, Memory from, long at) throws IOException {
    Frame frame = claim(block, Start.ANY, Purpose.CONTENT);
    try {
      note(frame);
    } finally {
      fill(frame, from, at);
    }
  }

  /// Records a change of content.
  private void note(Frame frame) throws FsException {
    long block = frame.number();
    if (frame.isHeld()) {
      journal().changed(block); // changed as metadata before: it stays in the log
    } else {
      journal().content(block, 1);
    }
  }

  @Override
  public void forget(long block) {
    checkOpen();
    boolean promised = journal().freed(block, false);
    assert !promised;
    claims().forget(block);
  }

  @Override
  public void forgetData(long block, int count) {
    checkOpen();
    for (int i = 0; i < count; i++) {
      if (!journal().freed(block + i, true)) {
        // The content of a short-lived file is neither written nor kept in memory.
        claims().drop(block + i);
      }
    }
  }

  @Override
  public void abort(IOException reason) {
    journal().abort(reason);
  }

  @Override
  void ended(long stamp) {
    int unused = credits;
    credits = 0;
    journal().ended(stamp, unused);
  }
}
