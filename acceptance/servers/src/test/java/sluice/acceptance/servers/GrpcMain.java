package sluice.acceptance.servers;

import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/// gRPC on Netty's NIO transport. The main thread of a process calls; methods run in gRPC's pool.
final class GrpcMain {
  private GrpcMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .channelType(NioServerSocketChannel.class)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .addService(GrpcMethods.service(GrpcMain::unary, GrpcMain::stream, GrpcMain::echo));
    if (launch.secure()) {
      builder.sslContext(
          GrpcSslContexts.configure(SslContextBuilder.forServer(launch.keys()), SslProvider.JDK)
              .build());
    }
    Server server = builder.build().start();
    Launch.ready(
        server.getPort(),
        () -> {
          if (!server.shutdown().awaitTermination(100, TimeUnit.SECONDS)) {
            throw new IllegalStateException("calls do not end");
          }
          loops.shutdownGracefully(0, 100, TimeUnit.SECONDS).sync();
        });
  }

  private static void unary(byte[] request, StreamObserver<byte[]> replies) {
    replies.onNext(request);
    replies.onCompleted();
  }

  /// As many messages as the request has bytes.
  private static void stream(byte[] request, StreamObserver<byte[]> replies) {
    for (int i = 0; i < request.length; i++) {
      replies.onNext(GrpcMethods.message(i));
    }
    replies.onCompleted();
  }

  private static StreamObserver<byte[]> echo(StreamObserver<byte[]> replies) {
    return new StreamObserver<>() {
      @Override
      public void onNext(byte[] message) {
        replies.onNext(message);
      }

      @Override
      public void onError(Throwable error) {
        error.printStackTrace(System.out);
      }

      @Override
      public void onCompleted() {
        replies.onCompleted();
      }
    };
  }
}
