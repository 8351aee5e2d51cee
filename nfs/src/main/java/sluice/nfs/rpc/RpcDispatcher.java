package sluice.nfs.rpc;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decodes the headers of calls, finds their programs, and writes the headers of replies (RFC 5531,
/// section 9). [#tryCall] is confined to one loop's thread, whereas [#call] may be invoked
/// concurrently by workers.
final class RpcDispatcher {
  /// The result of [#tryCall] if the reply has been written.
  static final int ANSWERED = 0;

  /// The result of [#tryCall] if a worker must execute the call with [#call].
  static final int PASSED = 1;

  /// The result of [#tryCall] if the message is not a call.
  static final int NOT_A_CALL = 2;

  private static final Logger LOGGER = System.getLogger("sluice.nfs");

  private static final int CALL = 0;
  private static final int REPLY = 1;
  private static final int RPC_VERSION = 2;
  private static final int MSG_ACCEPTED = 0;
  private static final int MSG_DENIED = 1;
  private static final int RPC_MISMATCH = 0;
  private static final int AUTH_ERROR = 1;
  private static final int SUCCESS = 0;
  private static final int PROGRAM_UNAVAILABLE = 1;
  private static final int PROGRAM_MISMATCH = 2;

  /// The length of the header of an accepted reply.
  static final int REPLY_HEADER_BYTES = 24;

  private static final int ACCEPT_STATUS_AT = REPLY_HEADER_BYTES - Integer.BYTES;

  private final RpcProgram[] programs;
  private final CredentialCache credentials = new CredentialCache();

  RpcDispatcher(List<RpcProgram> programs) {
    this.programs = programs.toArray(RpcProgram[]::new);
  }

  /// Processes a message if that is possible without waiting.
  ///
  /// @param call contains the sender of the message; the other fields are set from the header
  /// @param reply an empty writer, which remains empty unless the result is [#ANSWERED]
  int tryCall(RpcCall call, XdrReader message, XdrWriter reply) {
    if (message.remaining() < 2 * Integer.BYTES) {
      return NOT_A_CALL;
    }
    int xid = message.int32();
    if (message.int32() != CALL) {
      return NOT_A_CALL;
    }
    try {
      if (!header(call, xid, message, reply)) {
        return ANSWERED;
      }
      accepted(reply, xid);
      if (call.procedure() == 0 || call.program().tryCall(call, message, reply)) {
        return ANSWERED;
      }
      reply.clear();
      return PASSED;
    } catch (RuntimeException | Error e) {
      refused(reply, xid, e);
      return ANSWERED;
    }
  }

  /// Executes a call on a worker.
  ///
  /// @param reply an empty writer
  void call(RpcCall call, XdrWriter reply) {
    try {
      XdrReader arguments = call.rewound();
      accepted(reply, call.xid());
      call.program().call(call, arguments, reply);
    } catch (IOException | RuntimeException | Error e) {
      refused(reply, call.xid(), e);
    }
  }

  /// Completes a call whose reply was delayed until its change was stable.
  ///
  /// @param failure the reason why the change could not be made stable, or null
  void stable(RpcCall call, XdrWriter reply, @Nullable IOException failure) {
    StableReply waited = call.stableReply();
    try {
      if (waited != null) {
        waited.then().stable(failure);
      }
    } catch (RuntimeException | Error e) {
      refused(reply, call.xid(), e);
    }
  }

  /// Decodes the header of a call.
  ///
  /// @return false if the call was refused and the refusal has been written
  private boolean header(RpcCall call, int xid, XdrReader message, XdrWriter reply) {
    if (message.int32() != RPC_VERSION) {
      denied(reply, xid).int32(RPC_MISMATCH).int32(RPC_VERSION).int32(RPC_VERSION);
      return false;
    }
    int number = message.int32();
    int version = message.int32();
    int procedure = message.int32();
    Credentials by = credentials.read(message);
    verifier(message, by);
    RpcProgram program = program(number, version);
    if (program == null) {
      unavailable(reply, xid, number);
      return false;
    }
    call.called(xid, program, version, procedure, by);
    call.arguments(message);
    return true;
  }

  private static void verifier(XdrReader message, Credentials by) {
    int flavor = message.int32();
    int bytes = message.int32();
    boolean none = flavor == Credentials.AUTH_NONE && bytes == 0;
    if (bytes < 0
        || bytes > Credentials.MAX_BODY_BYTES
        || (!none && by.flavor() == Credentials.AUTH_SYS)) {
      throw new RpcRefusal(RpcRefusal.AUTH_BADVERF);
    }
    message.skip(bytes);
  }

  private @Nullable RpcProgram program(int number, int version) {
    for (RpcProgram program : programs) {
      if (program.number() == number
          && version >= program.lowestVersion()
          && version <= program.highestVersion()) {
        return program;
      }
    }
    return null;
  }

  /// Writes the reply to a call of an unknown program or of an unsupported version.
  private void unavailable(XdrWriter reply, int xid, int number) {
    int lowest = Integer.MAX_VALUE;
    int highest = 0;
    for (RpcProgram program : programs) {
      if (program.number() == number) {
        lowest = Math.min(lowest, program.lowestVersion());
        highest = Math.max(highest, program.highestVersion());
      }
    }
    accepted(reply, xid);
    if (lowest > highest) {
      reply.patch(ACCEPT_STATUS_AT, PROGRAM_UNAVAILABLE);
    } else {
      reply.patch(ACCEPT_STATUS_AT, PROGRAM_MISMATCH);
      reply.int32(lowest).int32(highest);
    }
  }

  private static void accepted(XdrWriter reply, int xid) {
    reply.int32s(xid, REPLY).int32s(MSG_ACCEPTED, Credentials.AUTH_NONE).int32s(0, SUCCESS);
  }

  private static XdrWriter denied(XdrWriter reply, int xid) {
    return reply.int32(xid).int32(REPLY).int32(MSG_DENIED);
  }

  private static void refused(XdrWriter reply, int xid, Throwable why) {
    reply.clear();
    int status = RpcRefusal.SYSTEM_ERROR;
    switch (why) {
      case XdrException e -> status = RpcRefusal.GARBAGE_ARGUMENTS;
      case RpcRefusal refusal -> {
        if (refusal.ofCredentials()) {
          denied(reply, xid).int32(AUTH_ERROR).int32(refusal.status());
          return;
        }
        status = refusal.status();
      }
      default -> LOGGER.log(Level.ERROR, "a procedure failed; the client is told SYSTEM_ERR", why);
    }
    accepted(reply, xid);
    reply.patch(ACCEPT_STATUS_AT, status);
  }
}
