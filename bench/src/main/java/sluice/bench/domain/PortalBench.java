package sluice.bench.domain;

import java.util.List;

/// What a call through a portal costs, and the copies it makes. Used by the harness's main thread.
public final class PortalBench extends WorkBench {
  static final String NAME = "portal";

  static final String CALL = "null call";
  static final String RECORD = "copy of a 64-byte record";
  static final String ORDER = "copy of an order";
  static final String ORDER_CALL = "call with an order";

  static final String FAST = "sluice/caller-thread";
  static final String SERVICE = "sluice/service-thread";
  static final String CARRIER = "sluice/service-thread-one-carrier";
  static final String COPY = "sluice/copy";
  static final String DIRECT = "direct";
  static final String BY_HAND = "by-hand";
  static final String KRYO = "kryo";
  static final String FORY = "fory";
  static final String QUEUE = "synchronous-queue";
  static final String EXCHANGER = "exchanger";
  static final String WASM = "chicory";

  public PortalBench() {
    super(
        NAME,
        List.of(
            new WorkCase(
                CALL, true, List.of(FAST, SERVICE, CARRIER, DIRECT, QUEUE, EXCHANGER, WASM)),
            new WorkCase(RECORD, true, List.of(COPY, BY_HAND, KRYO, FORY)),
            new WorkCase(ORDER, true, List.of(COPY, BY_HAND, KRYO, FORY)),
            new WorkCase(ORDER_CALL, false, List.of(FAST, SERVICE, DIRECT))));
  }
}
