import org.jspecify.annotations.NullMarked;

/// Benchmarks against peers. Not shipped.
@NullMarked
module sluice.bench {
  requires static org.jspecify;
  requires runtime; // Chicory, named by its file
  requires wasm; // Chicory
  requires com.esotericsoftware.kryo;
  requires com.google.gson;
  requires com.zaxxer.hikari;
  requires io.aeron.client;
  requires io.aeron.driver;
  requires io.netty.buffer;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.classes.io_uring;
  requires java.management;
  requires java.sql;
  requires jdk.attach;
  requires jdk.httpserver;
  requires jdk.management;
  requires org.agrona;
  requires org.apache.commons.compress;
  requires org.apache.commons.csv;
  requires org.apache.commons.text;
  requires org.apache.fory.core;
  requires org.apache.tomcat.embed.core;
  requires org.eclipse.jetty.http;
  requires org.eclipse.jetty.server;
  requires org.eclipse.jetty.util;
  requires org.glassfish.grizzly;
  requires org.glassfish.grizzly.http;
  requires org.glassfish.grizzly.http.server;
  requires sluice.domain;
  requires sluice.fs;
  requires sluice.http;
  requires sluice.isocket;
  requires sluice.loop;
  requires sluice.memory;
  requires sluice.net;
  requires sluice.sys;
  requires sluice.testbase;
  requires sluice.verify;
  requires sluice.vi;

  exports sluice.bench;
}
