package sluice.nfs.rpc;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The portmapper, version 2 (RFC 1833, section 3), which informs clients about the ports of this
/// server's programs. This class is thread-safe.
///
/// Registrations by clients are refused. Indirect calls (`PMAPPROC_CALLIT`) are not supported,
/// because they can be used for attacks on other servers.
public final class Portmapper implements RpcProgram {
  static final int NUMBER = 100_000;
  static final int VERSION = 2;

  /// The protocol number of TCP in a mapping.
  public static final int TCP = 6;

  public static final int UDP = 17;

  static final int SET = 1;
  static final int UNSET = 2;
  static final int GETPORT = 3;
  static final int DUMP = 4;

  /// A registered program.
  ///
  /// @param protocol [#TCP] or [#UDP]
  record Mapping(int program, int version, int protocol, int port) {}

  private final List<Mapping> mappings = new CopyOnWriteArrayList<>();

  /// Registers all versions of the given program.
  public void register(RpcProgram program, int protocol, int port) {
    for (int version = program.lowestVersion(); version <= program.highestVersion(); version++) {
      Mapping mapping = new Mapping(program.number(), version, protocol, port);
      if (!mappings.contains(mapping)) {
        mappings.add(mapping);
      }
    }
  }

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public int lowestVersion() {
    return VERSION;
  }

  @Override
  public boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    switch (call.procedure()) {
      case SET, UNSET -> results.bool(false);
      case GETPORT -> {
        int program = arguments.int32();
        int version = arguments.int32();
        int protocol = arguments.int32();
        arguments.skip(Integer.BYTES); // the port, which is unused in GETPORT
        results.int32(port(program, version, protocol));
      }
      case DUMP -> {
        for (Mapping each : mappings) {
          results.bool(true).int32(each.program).int32(each.version);
          results.int32(each.protocol).int32(each.port);
        }
        results.bool(false);
      }
      default -> throw new RpcRefusal(RpcRefusal.PROCEDURE_UNAVAILABLE);
    }
    return true;
  }

  /// Returns the port of a program, or 0 if it is not registered. For an unknown version, the port
  /// of another version is returned, because the program at that port replies with the versions
  /// that it supports.
  private int port(int program, int version, int protocol) {
    int other = 0;
    for (Mapping each : mappings) {
      if (each.program == program && each.protocol == protocol) {
        if (each.version == version) {
          return each.port;
        }
        other = each.port;
      }
    }
    return other;
  }

  @Override
  public void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException {
    throw new IllegalStateException("the portmapper answers at once");
  }
}
