package sluice.acceptance.servers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Calls of all kinds to [GrpcMain] over several connections at once, each message compared. The
/// main thread of a process starts it; callers are virtual threads, Netty's loops are below them.
final class GrpcLoad {
  private static final int CONNECTIONS = 8;
  private static final int CALLERS = 32;
  private static final int ROUNDS = 4;
  private static final int STREAMED = 40;
  private static final int LARGE_BYTES = 3_000_000;

  private GrpcLoad() {}

  /// @param arguments those of [LoadLaunch]
  public static void main(String[] arguments) throws Exception {
    LoadLaunch launch = LoadLaunch.of(arguments);
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    ManagedChannel[] channels = new ManagedChannel[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
      channels[i] = connect(launch, loops);
    }
    launch.run(CALLERS, caller -> calls(channels[caller % CONNECTIONS], caller));
    for (ManagedChannel channel : channels) {
      if (!channel.shutdown().awaitTermination(100, TimeUnit.SECONDS)) {
        throw new IOException("a connection does not end");
      }
    }
    loops.shutdownGracefully(0, 100, TimeUnit.SECONDS).sync();
    launch.done();
  }

  private static ManagedChannel connect(LoadLaunch launch, EventLoopGroup loops) throws Exception {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), launch.port()))
            .channelType(NioSocketChannel.class)
            .eventLoopGroup(loops);
    if (launch.trustStore() == null) {
      builder.usePlaintext();
    } else {
      builder.sslContext(
          GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
              .trustManager(launch.trust())
              .build());
    }
    return builder.build();
  }

  private static int calls(ManagedChannel channel, int seed) throws Exception {
    int messages = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int length = seed < 4 && round == 2 ? LARGE_BYTES : (seed + 1) * (round * 977 + 1);
      byte[] request = Payload.pattern(length, seed + round);
      CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(120, TimeUnit.SECONDS);
      byte[] reply = ClientCalls.blockingUnaryCall(channel, GrpcMethods.UNARY, options, request);
      LoadLaunch.compare("unary", reply, request);
      Iterator<byte[]> streamed =
          ClientCalls.blockingServerStreamingCall(
              channel, GrpcMethods.STREAM, options, new byte[STREAMED]);
      for (int i = 0; i < STREAMED; i++) {
        LoadLaunch.compare("stream " + i, streamed.next(), GrpcMethods.message(i));
      }
      if (streamed.hasNext()) {
        throw new IOException("stream: too many messages");
      }
      Echoes echoes = new Echoes();
      StreamObserver<byte[]> requests =
          ClientCalls.asyncBidiStreamingCall(channel.newCall(GrpcMethods.ECHO, options), echoes);
      for (int i = 0; i < STREAMED; i++) {
        requests.onNext(GrpcMethods.message(i));
      }
      requests.onCompleted();
      messages += 1 + STREAMED + echoes.count.get(120, TimeUnit.SECONDS);
    }
    return messages;
  }

  /// Compares the answers of one call. gRPC calls it, from one thread at a time.
  private static final class Echoes implements StreamObserver<byte[]> {
    final CompletableFuture<Integer> count = new CompletableFuture<>();
    private int next;
    private @Nullable String wrong;

    @Override
    public void onNext(byte[] message) {
      if (wrong == null && !Arrays.equals(message, GrpcMethods.message(next))) {
        wrong = "echo " + next + " of " + message.length + " bytes is wrong";
      }
      next++;
    }

    @Override
    public void onError(Throwable error) {
      count.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
      if (wrong != null || next != STREAMED) {
        count.completeExceptionally(new IOException(wrong + ", " + next + " messages"));
      } else {
        count.complete(next);
      }
    }
  }
}
