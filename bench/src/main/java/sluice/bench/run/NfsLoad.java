package sluice.bench.run;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The calls that the load generator sends to an NFS server. Immutable.
///
/// @param operation `getattr`, `read`, …, or `metadata`: a CREATE, then the REMOVE of the same name
/// @param recordBytes of a read or write; 0 for other calls
/// @param stable true if writes must be on the device before their answer (`FILE_SYNC`)
/// @param udp true to use UDP
/// @param export the mounted path
/// @param file a file in its root; null if the calls need none
/// @param mountPort the port of MOUNT; 0 for the port of NFS
public record NfsLoad(
    String operation,
    int recordBytes,
    boolean stable,
    boolean udp,
    String export,
    @Nullable String file,
    int mountPort) {
  public static NfsLoad of(String operation, int recordBytes) {
    return new NfsLoad(operation, recordBytes, false, false, "/", NfsPeers.FILE, 0);
  }

  public NfsLoad stably() {
    return new NfsLoad(operation, recordBytes, true, udp, export, file, mountPort);
  }

  public NfsLoad overUdp() {
    return new NfsLoad(operation, recordBytes, stable, true, export, file, mountPort);
  }

  NfsLoad at(String exported, int port) {
    return new NfsLoad(operation, recordBytes, stable, udp, exported, file, port);
  }

  /// Returns the generator's options.
  public List<String> options() {
    List<String> options = new ArrayList<>(List.of("--nfs", operation, "--export", export));
    if (file != null) {
      options.addAll(List.of("--file", file));
    }
    if (mountPort != 0) {
      options.addAll(List.of("--mount-port", Integer.toString(mountPort)));
    }
    if (recordBytes > 0) {
      options.addAll(List.of("--record", Integer.toString(recordBytes)));
    }
    if (stable) {
      options.add("--stable");
    }
    if (udp) {
      options.add("--udp");
    }
    return options;
  }
}
