package sluice.acceptance.servers;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Netty's HTTP codec on its NIO transport. The main thread of a process calls; handlers run in its
/// event loops.
final class NettyMain {
  private static final int LARGEST_BODY_BYTES = 16 << 20;

  private NettyMain() {}

  private static final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request)
        throws IOException {
      byte[] answer = Payload.answer(request.uri(), ByteBufUtil.getBytes(request.content()));
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(answer));
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.length);
      ChannelFuture _ = context.writeAndFlush(response);
    }
  }

  private static final class Pipeline extends ChannelInitializer<Channel> {
    private final @Nullable SslContext keys;

    Pipeline(@Nullable SslContext keys) {
      this.keys = keys;
    }

    @Override
    protected void initChannel(Channel channel) {
      if (keys != null) {
        SslHandler tls = keys.newHandler(channel.alloc());
        tls.setHandshakeTimeoutMillis(100_000);
        channel.pipeline().addLast(tls);
      }
      channel
          .pipeline()
          .addLast(
              new HttpServerCodec(), new HttpObjectAggregator(LARGEST_BODY_BYTES), new Answers());
    }
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    SslContext keys = launch.secure() ? SslContextBuilder.forServer(launch.keys()).build() : null;
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    Channel server =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childHandler(new Pipeline(keys))
            .bind(Launch.HOST, 0)
            .sync()
            .channel();
    Launch.ready(
        ((InetSocketAddress) server.localAddress()).getPort(),
        () -> {
          server.close().sync();
          loops.shutdownGracefully(0, 100, java.util.concurrent.TimeUnit.SECONDS).sync();
        });
  }
}
