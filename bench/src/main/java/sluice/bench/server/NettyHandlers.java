package sluice.bench.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.time.Instant;
import java.util.Map;

/// The handlers of the Netty peer. Each instance belongs to one channel's event loop.
@SuppressWarnings("FutureReturnValueIgnored") // void promises: failures reach exceptionCaught
final class NettyHandlers {
  private NettyHandlers() {}

  /// Writes without promises, flushes once per batch of reads, closes on errors.
  abstract static class Batching extends ChannelInboundHandlerAdapter {
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  static final class Echo extends Batching {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message, context.voidPromise());
    }
  }

  /// The files served, and the Date header. Shared by all channels of one event loop.
  static final class Site {
    private final CannedReply reply;
    final Map<String, ByteBuf> bodies;
    final AsciiString lastModified;
    final AsciiString etag;
    private AsciiString date = AsciiString.EMPTY_STRING;
    private ByteBuf raw = Unpooled.EMPTY_BUFFER;
    private long second;

    Site(CannedReply reply, String uri) {
      this.reply = reply;
      bodies = Map.of(uri, direct(reply.body()));
      lastModified = AsciiString.cached(reply.lastModified());
      etag = AsciiString.cached(reply.etag());
    }

    private static ByteBuf direct(byte[] bytes) {
      return Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
    }

    private void refresh() {
      long now = System.currentTimeMillis() / 1000;
      if (now != second) {
        second = now;
        date = AsciiString.cached(CannedReply.date(Instant.ofEpochSecond(now)));
        raw = direct(reply.bytes(Instant.ofEpochSecond(now)));
      }
    }

    AsciiString date() {
      refresh();
      return date;
    }

    ByteBuf raw() {
      refresh();
      return raw;
    }
  }

  static final class RawHttp extends Batching {
    private final Site site;
    private final RequestScan scan = new RequestScan();

    RawHttp(Site site) {
      this.site = site;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf input = (ByteBuf) message;
      int ended = 0;
      for (int i = input.readerIndex(), end = input.writerIndex(); i < end; i++) {
        if (scan.take(input.getByte(i))) {
          ended++;
        }
      }
      input.release();
      ByteBuf reply = site.raw();
      for (int i = 0; i < ended; i++) {
        context.write(reply.duplicate(), context.voidPromise());
      }
    }
  }

  static final class Http extends Batching {
    private static final AsciiString SERVER = AsciiString.cached("netty");
    private static final AsciiString TYPE = AsciiString.cached("text/plain");
    private static final HttpHeadersFactory HEADERS =
        DefaultHttpHeadersFactory.headersFactory().withValidation(false);
    private static final HttpHeadersFactory TRAILERS =
        DefaultHttpHeadersFactory.trailersFactory().withValidation(false);

    private final Site site;

    Http(Site site) {
      this.site = site;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        context.write(response(request.uri()), context.voidPromise());
      } else {
        ReferenceCountUtil.release(message);
      }
    }

    private FullHttpResponse response(String uri) {
      ByteBuf body = site.bodies.get(uri);
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              body == null ? HttpResponseStatus.NOT_FOUND : HttpResponseStatus.OK,
              body == null ? Unpooled.EMPTY_BUFFER : body.duplicate(),
              HEADERS,
              TRAILERS);
      response
          .headers()
          .set(HttpHeaderNames.SERVER, SERVER)
          .set(HttpHeaderNames.DATE, site.date())
          .set(HttpHeaderNames.CONTENT_TYPE, TYPE)
          .setInt(HttpHeaderNames.CONTENT_LENGTH, body == null ? 0 : body.readableBytes())
          .set(HttpHeaderNames.LAST_MODIFIED, site.lastModified)
          .set(HttpHeaderNames.ETAG, site.etag);
      return response;
    }
  }
}
