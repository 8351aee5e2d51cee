package sluice.bench.iozone;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// Runs the passes of one operation over a file and measures the time. Used by one thread.
///
/// A pass goes through all records of the file in order. If a pass is short, several are timed
/// together, so that the cost of reading the clock is negligible.
final class IozonePasses {
  /// The fewest bytes between two readings of the clocks, which take half a microsecond: with so
  /// many bytes, in the smallest records, that is negligible.
  private static final int FEWEST_BYTES = 4 << 20;

  /// The greatest total size of the files in a batch of first writes. They are removed after the
  /// batch, so without this limit the length of a record would determine how much memory is written
  /// before any is reused: 64 files of 512 KB are 32 MB, which no cache holds.
  private static final int MOST_BYTES = 512 << 10;

  private static final int PREPARE_BYTES = 1 << 20;

  /// The length above which files are removed after each measurement, so that all workers fit into
  /// memory.
  private static final long KEEP_BYTES = 64 << 20;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final IozoneTarget target;
  private long prepared;
  private boolean open;

  IozonePasses(IozoneTarget target) {
    this.target = target;
  }

  /// A request to a worker.
  ///
  /// @param operation the timed operation
  /// @param fileBytes a multiple of the record
  /// @param recordBytes at most [IozoneTarget#MAX_RECORD_BYTES]
  /// @param millis the time to measure, at least one pass
  /// @param sync true if the timed part ends with fsync
  /// @param slices true to read without a copy
  record Request(
      IozoneOperation operation,
      long fileBytes,
      int recordBytes,
      long millis,
      boolean sync,
      boolean slices) {
    long records() {
      return fileBytes / recordBytes;
    }
  }

  /// The cost of a record.
  ///
  /// @param nanos of the clock
  /// @param cpuNanos of this thread, including its time in the kernel
  record Cost(double nanos, double cpuNanos) {
    @Override
    public String toString() {
      return nanos + " " + cpuNanos;
    }
  }

  Cost measure(Request request) throws IOException {
    set(request);
    boolean first = request.operation() == IozoneOperation.WRITE;
    int batch = batch(request);
    long end = System.nanoTime() + request.millis() * 1_000_000L;
    long nanos = 0;
    long cpu = 0;
    long passes = 0;
    while (passes == 0 || System.nanoTime() - end < 0) {
      long cpuBegin = THREADS.getCurrentThreadCpuTime();
      long begin = System.nanoTime();
      for (int i = 0; i < batch; i++) {
        pass(request, i);
      }
      nanos += System.nanoTime() - begin;
      cpu += THREADS.getCurrentThreadCpuTime() - cpuBegin;
      passes += batch;
      for (int i = 0; first && i < batch; i++) {
        target.remove(i);
      }
    }
    if (request.operation() == IozoneOperation.EXTEND || request.fileBytes() > KEEP_BYTES) {
      drop();
    }
    double records = (double) passes * request.records();
    return new Cost(nanos / records, cpu / records);
  }

  /// Returns the number of passes that are timed together.
  private static int batch(Request request) {
    if (request.sync()) {
      return 1;
    }
    long records = IozoneTarget.FILES;
    if (request.operation() != IozoneOperation.WRITE) {
      records = Math.max(records, (long) FEWEST_BYTES / request.recordBytes());
    }
    long passes = records / request.records();
    if (request.operation() == IozoneOperation.WRITE) {
      passes = Math.min(passes, MOST_BYTES / request.fileBytes());
    }
    return (int) Math.max(1, passes);
  }

  private void set(Request request) throws IOException {
    switch (request.operation()) {
      case WRITE -> drop();
      case EXTEND -> {
        drop();
        target.create(0);
        open = true;
      }
      case READ -> {
        prepare(request.fileBytes());
        target.shut();
        open = false;
      }
      case REWRITE, REREAD -> prepare(request.fileBytes());
    }
  }

  private void pass(Request request, int index) throws IOException {
    switch (request.operation()) {
      case EXTEND -> {
        put(request);
        target.truncate();
      }
      case REWRITE -> put(request);
      case READ -> {
        target.open();
        get(request);
        target.shut();
      }
      case REREAD -> get(request);
      case WRITE -> {
        target.create(index);
        put(request);
        target.shut();
      }
    }
  }

  private void put(Request request) throws IOException {
    int record = request.recordBytes();
    for (long at = 0; at < request.fileBytes(); at += record) {
      target.write(at, record);
    }
    if (request.sync()) {
      target.sync();
    }
  }

  private void get(Request request) throws IOException {
    int record = request.recordBytes();
    if (request.slices()) {
      for (long at = 0; at < request.fileBytes(); at += record) {
        target.readSlices(at, record);
      }
    } else {
      for (long at = 0; at < request.fileBytes(); at += record) {
        target.read(at, record);
      }
    }
  }

  private void drop() throws IOException {
    target.shut();
    open = false;
    prepared = 0;
    for (int i = 0; i < IozoneTarget.FILES; i++) {
      target.remove(i);
    }
  }

  /// Prepares a file of that length: open, stable, and checked to hold the bytes written.
  private void prepare(long bytes) throws IOException {
    if (prepared != bytes) {
      drop();
      target.create(0);
      open = true;
      int record = (int) Math.min(bytes, PREPARE_BYTES);
      for (long at = 0; at < bytes; at += record) {
        target.mark(at);
        target.write(at, record);
      }
      target.sync();
      for (long at = 0; at < bytes; at += record) {
        target.read(at, record);
        if (target.marked() != at) {
          throw new IOException("other bytes were read than written at " + at);
        }
      }
      prepared = bytes;
    }
    if (!open) {
      target.open();
      open = true;
    }
  }
}
