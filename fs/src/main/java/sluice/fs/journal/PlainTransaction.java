package sluice.fs.journal;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;
import sluice.fs.cache.FrameClaims;
import sluice.fs.cache.FrameClaims.Purpose;
import sluice.fs.cache.FrameClaims.Start;
import sluice.memory.Memory;

/// A transaction that marks changed blocks but is not atomic if the system crashes. Instances are
/// confined to one thread.
final class PlainTransaction extends FrameTransaction {
  private final AtomicReference<@Nullable PlainJournal> owner;

  /// Creates a transaction.
  ///
  /// @param owner refers to the journal until it is closed
  PlainTransaction(AtomicReference<@Nullable PlainJournal> owner) {
    this.owner = owner;
  }

  private PlainJournal journal() {
    PlainJournal journal = owner.get();
    if (journal == null) {
      throw new IllegalStateException("the journal is closed");
    }
    return journal;
  }

  @Override
  FrameClaims claims() {
    return journal().claims();
  }

  @Override
  public Buffer change(long block) throws IOException {
    return take(block, Start.CONTENT, Purpose.METADATA);
  }

  @Override
  public Buffer create(long block) throws IOException {
    return take(block, Start.ZEROS, Purpose.METADATA);
  }

  @Override
  public Buffer changeLast(long block) throws IOException {
    checkOpen();
    journal().writeLast(block);
    return change(block);
  }

  @Override
  public Buffer createFirst(long block) throws IOException {
    checkOpen();
    journal().writeFirst(block);
    return create(block);
  }

  @Override
  public Buffer data(long block, boolean fresh) throws IOException {
    return take(block, fresh ? Start.ZEROS : Start.CONTENT, Purpose.CONTENT);
  }

  @Override
  public void overwrite(long block, int count, Memory from, long at) throws IOException {
    checkOpen();
    PlainJournal journal = journal();
    int bytes = journal.blockBytes();
    int done = 0;
    while (done < count) {
      long place = at + (long) done * bytes;
      int run = journal.runs().overwrite(block + done, count - done, from, place);
      if (run == 0) {
        fill(journal.claims().claim(block + done, Start.ANY, Purpose.CONTENT), from, place);
        run = 1;
      }
      done += run;
    }
  }

  private Buffer take(long block, Start start, Purpose purpose) throws IOException {
    return buffer(claim(block, start, purpose));
  }

  @Override
  public void forget(long block) {
    checkOpen();
    claims().forget(block);
  }

  @Override
  public void forgetData(long block, int count) {
    checkOpen();
    PlainJournal journal = journal();
    int done = 0;
    while (done < count) {
      done += journal.runs().forget(block + done, count - done);
      if (done < count) {
        journal.claims().forget(block + done);
        done++;
      }
    }
  }

  @Override
  public void abort(IOException reason) {
    // The changes reach the device like all others because this journal is not atomic.
  }

  @Override
  void ended(long stamp) {
    journal().ended(stamp);
  }
}
