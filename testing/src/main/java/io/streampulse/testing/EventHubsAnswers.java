package io.streampulse.testing;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * The broker's answers with the stand-in's address in the place of the broker's.
 *
 * <p>Thread-safe.
 *
 * @param host the stand-in's
 * @param port the stand-in's
 */
record EventHubsAnswers(String host, int port) {
  /** Answer and header as a frame without its length. */
  static ByteBuffer frame(RequestHeader request, ApiMessage answer, short version) {
    return RequestUtils.serialize(
        new ResponseHeaderData().setCorrelationId(request.correlationId()),
        request.apiKey().responseHeaderVersion(version),
        answer,
        version);
  }

  /**
   * What the client gets for the broker's answer.
   *
   * @param throttleMillis what an answer to a produce request says of throttling; 0 for what the
   *     broker says
   */
  ByteBuffer rewrite(RequestHeader request, ByteBuffer answer, int throttleMillis) {
    short version = request.apiVersion();
    return switch (request.apiKey()) {
      case METADATA ->
          frame(request, here(new MetadataResponseData(body(request, answer), version)), version);
      case FIND_COORDINATOR ->
          frame(
              request,
              here(new FindCoordinatorResponseData(body(request, answer), version)),
              version);
      case PRODUCE ->
          throttleMillis == 0
              ? answer
              : frame(
                  request,
                  new ProduceResponseData(body(request, answer), version)
                      .setThrottleTimeMs(throttleMillis),
                  version);
      default -> answer;
    };
  }

  private MetadataResponseData here(MetadataResponseData answer) {
    answer.brokers().forEach(broker -> broker.setHost(host).setPort(port));
    return answer;
  }

  /** An answer that knows no coordinator has no address either, and keeps none. */
  private FindCoordinatorResponseData here(FindCoordinatorResponseData answer) {
    if (answer.port() > 0) {
      answer.setHost(host).setPort(port);
    }
    answer.coordinators().stream()
        .filter(coordinator -> coordinator.port() > 0)
        .forEach(coordinator -> coordinator.setHost(host).setPort(port));
    return answer;
  }

  private static ByteBufferAccessor body(RequestHeader request, ByteBuffer answer) {
    ByteBuffer body = answer.duplicate();
    ApiKeys api = request.apiKey();
    ResponseHeader.parse(body, api.responseHeaderVersion(request.apiVersion()));
    return new ByteBufferAccessor(body);
  }
}
