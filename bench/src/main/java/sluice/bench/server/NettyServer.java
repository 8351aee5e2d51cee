package sluice.bench.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringBufferRingConfig;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringFixedBufferRingAllocator;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/// The Netty 4.2 peer on NIO, epoll or io_uring, with one event loop: echo, HTTP with the codec, or
/// HTTP that only finds the end of each request (raw). Pooled buffers, void promises, one flush per
/// read batch; with io_uring multishot receives into a buffer ring. The JVM flags are in `Systems`.
final class NettyServer {
  private static final short BUFFER_GROUP = 1;
  private static final int BUFFER_COUNT = 1024;
  private static final int BUFFER_BYTES = 16 << 10;

  private NettyServer() {}

  /// Runs the server. Arguments: `PORT nio|epoll|io_uring echo|http|raw|https [FILE [CERTIFICATE
  /// KEY]]`.
  public static void main(String[] args) throws IOException, InterruptedException {
    int port = Integer.parseInt(args[0]);
    String transport = args[1];
    List<String> rest = List.of(args).subList(3, args.length);
    ChannelInitializer<Channel> pipeline = pipeline(args[2], rest);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlerFactory(transport));
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(channelClass(transport))
            .option(ChannelOption.SO_BACKLOG, 4096)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(pipeline);
    if (transport.equals("io_uring")) {
      bootstrap.childOption(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, BUFFER_GROUP);
    }
    bootstrap.bind(InetAddress.getLoopbackAddress(), port).sync();
    group.terminationFuture().sync();
  }

  private static IoHandlerFactory handlerFactory(String transport) {
    return switch (transport) {
      case "nio" -> NioIoHandler.newFactory();
      case "epoll" -> EpollIoHandler.newFactory();
      case "io_uring" -> IoUringIoHandler.newFactory(ringConfig());
      default -> throw new IllegalArgumentException("transport " + transport);
    };
  }

  private static IoUringIoHandlerConfig ringConfig() {
    return new IoUringIoHandlerConfig()
        .setBufferRingConfig(
            IoUringBufferRingConfig.builder()
                .bufferGroupId(BUFFER_GROUP)
                .bufferRingSize((short) BUFFER_COUNT)
                .batchSize(BUFFER_COUNT / 4)
                .allocator(
                    new IoUringFixedBufferRingAllocator(
                        PooledByteBufAllocator.DEFAULT, BUFFER_BYTES))
                .build());
  }

  private static Class<? extends ServerChannel> channelClass(String transport) {
    return switch (transport) {
      case "nio" -> NioServerSocketChannel.class;
      case "epoll" -> EpollServerSocketChannel.class;
      default -> IoUringServerSocketChannel.class;
    };
  }

  private static ChannelInitializer<Channel> pipeline(String protocol, List<String> files)
      throws IOException {
    if (protocol.equals("echo")) {
      return initializer(channel -> channel.pipeline().addLast(new NettyHandlers.Echo()));
    }
    String file = files.getFirst();
    NettyHandlers.Site site =
        new NettyHandlers.Site(CannedReply.of(Path.of(file)), "/" + name(file));
    if (protocol.equals("raw")) {
      return initializer(channel -> channel.pipeline().addLast(new NettyHandlers.RawHttp(site)));
    }
    SslContext tls = protocol.equals("https") ? tls(files.get(1), files.get(2)) : null;
    return initializer(channel -> {
      if (tls != null) {
        channel.pipeline().addLast(tls.newHandler(channel.alloc()));
      }
      channel
          .pipeline()
          .addLast(
              new HttpServerCodec(new HttpDecoderConfig().setValidateHeaders(false)),
              new NettyHandlers.Http(site));
    });
  }

  /// Returns a context with the JDK's engine, as Netty uses it without a native library.
  private static SslContext tls(String certificate, String key) throws IOException {
    return SslContextBuilder.forServer(new File(certificate), new File(key))
        .sslProvider(SslProvider.JDK)
        .protocols("TLSv1.3")
        .build();
  }

  private static String name(String file) {
    Path name = Path.of(file).getFileName();
    return name == null ? "" : name.toString();
  }

  private static ChannelInitializer<Channel> initializer(java.util.function.Consumer<Channel> to) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        to.accept(channel);
      }
    };
  }
}
