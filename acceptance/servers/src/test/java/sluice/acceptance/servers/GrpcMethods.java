package sluice.acceptance.servers;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// The gRPC service of [GrpcMain], described by hand: messages are bytes. Any thread may call.
final class GrpcMethods {
  private static final String SERVICE = "Bytes";

  /// Answers its request.
  static final MethodDescriptor<byte[], byte[]> UNARY = method("Unary", MethodType.UNARY);

  /// Answers `message(0)`, `message(1)`... as many as the request has bytes.
  static final MethodDescriptor<byte[], byte[]> STREAM =
      method("Stream", MethodType.SERVER_STREAMING);

  /// Answers each message, in order.
  static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo", MethodType.BIDI_STREAMING);

  private GrpcMethods() {}

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setType(type)
        .build();
  }

  static ServerServiceDefinition service(
      ServerCalls.UnaryMethod<byte[], byte[]> unary,
      ServerCalls.ServerStreamingMethod<byte[], byte[]> stream,
      ServerCalls.BidiStreamingMethod<byte[], byte[]> echo) {
    return ServerServiceDefinition.builder(SERVICE)
        .addMethod(UNARY, ServerCalls.asyncUnaryCall(unary))
        .addMethod(STREAM, ServerCalls.asyncServerStreamingCall(stream))
        .addMethod(ECHO, ServerCalls.asyncBidiStreamingCall(echo))
        .build();
  }

  /// The message with a number in a stream: lengths go from 0 to 8 000 bytes, with some of 70 000.
  static byte[] message(int number) {
    return Payload.pattern(number % 20 == 7 ? 70_000 : number * 7_919 % 8_001, number);
  }
}
